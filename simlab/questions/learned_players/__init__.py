"""How well does a trained player do?"""
