"""Think: what can be asked of games that were played, or are played again for it."""
