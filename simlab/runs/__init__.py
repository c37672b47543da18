"""Runs: the workers that play, the driver of the workers, and the folder that stores the results."""
