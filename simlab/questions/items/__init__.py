"""Which cards (or other items) go with winning, and which are never used?"""
