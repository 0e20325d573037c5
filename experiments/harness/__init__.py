"""Shared by all papers: cells and measurements, the plan and the engine that runs it, provenance, executors."""
