"""Relics, an auction game for 3 to 5."""
