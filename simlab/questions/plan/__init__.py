"""How many games does an answer take?"""
