"""Fens, an area-majority game for 2 to 4."""
