"""Play: workers, the run that drives them, and the folder that stores the results."""
