"""How much of the result is luck, how much is skill, and how much is the seat?"""
