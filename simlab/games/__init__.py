"""The games that come with the lab, one folder per game."""
