"""Does a game, a bot or a metric keep the contract of the lab?"""
