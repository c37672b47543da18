"""Analyses of games that were played, or are played again for them."""
