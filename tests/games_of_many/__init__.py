"""Four small games for more than two seats, each a page: what the lab does for many seats is tried on each of them.

harvest     3 to 6, drafting with secret choices; the most points win, ties share the win
dyke        2 to 5 against the sea: all win or all lose, with points of their own
keep        one against many: a warlord against 2 to 4 defenders, who win together
last_lamp   3 to 6, elimination: the last one whose lamps burn wins
"""
