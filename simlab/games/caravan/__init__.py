"""Caravan, a deck builder for 2 to 4 players."""
