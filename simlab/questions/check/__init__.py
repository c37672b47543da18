"""Does the game keep its contract? Did a change of the rules change any game?"""
