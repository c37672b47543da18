"""Which traits make a bot do best against given bots?"""
