"""At which settings is the game fair, or on target?"""
