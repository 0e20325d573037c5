"""Disordered streams as record sets: what workloads.delay and workloads.distance are cut into."""
