"""Which games of a run are worth watching?"""
