"""How much does each option and each card contribute to winning, and which pairs are partners or rivals?"""
