"""What do the statistics of simlab.engine.counts show?"""
