"""Which choices matter: how much is at stake in each kind of decision, and how much do the bots give away?"""
