"""Cutty, aggregate sharing for user-defined windows (Carbone, Traub, Katsifodimos, Haridi, Markl, 2016)."""
