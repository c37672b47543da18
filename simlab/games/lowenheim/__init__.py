"""Siege of Lowenheim, a game for six factions by Bart Vanderputten and Phil Dutré's circle of miniature gamers."""
