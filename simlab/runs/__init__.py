"""Play: workers, the run that drives them, and the folder that keeps what they played."""
