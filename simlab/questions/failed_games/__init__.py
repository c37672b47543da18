"""Which games of a run could not be played?"""
