"""How do the tracks move over the turns?"""
