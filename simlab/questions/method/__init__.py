"""How were the numbers made, what do they assume, and how do they come out again?"""
