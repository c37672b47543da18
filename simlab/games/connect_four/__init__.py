"""Connect Four, a game of one class."""
