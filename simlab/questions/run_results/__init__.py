"""What did a run show?"""
