"""Which bot is best, and does the balance of the game depend on the bots?"""
