"""How were the numbers made, what do they assume, and how can you reproduce them?"""
