"""Tricks, a game of one class."""
