"""How much processor time does a decision take each bot?"""
