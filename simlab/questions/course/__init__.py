"""How does a game develop: who is likely to win when, and when is it decided?"""
