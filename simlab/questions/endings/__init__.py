"""How do games end, and what goes with each ending?"""
