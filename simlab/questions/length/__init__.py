"""How long do games last?"""
