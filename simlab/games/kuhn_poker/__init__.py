"""Kuhn poker, a game of one class."""
