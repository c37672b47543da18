"""Pig, a game of one class."""
