"""Are games that people play like those of bots, and of which bots?"""
