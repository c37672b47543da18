"""What does a game, or the lab, consist of?"""
