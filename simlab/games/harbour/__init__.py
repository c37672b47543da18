"""Harbour, a worker-placement game for 2 to 4."""
