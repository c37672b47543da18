"""Which choices matter: what is at stake in each kind of decision, and what do the bots throw away?"""
