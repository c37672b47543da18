"""What do the single cells of a run show?"""
