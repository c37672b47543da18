"""How did a game go, decision by decision?"""
