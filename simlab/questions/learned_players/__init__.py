"""How well does a player do that learned the game by itself?"""
