"""How much does more skill win, and does the favourite change with skill?"""
