"""How often does each seat win?"""
