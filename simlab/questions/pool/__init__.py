"""Which bots are left when best answers are added until none gains?"""
