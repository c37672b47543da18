"""Which rules fire, and which numbers depend on rulings?"""
