"""Which changes were tried, in order, and what was the effect of each?"""
