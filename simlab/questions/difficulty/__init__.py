"""At which settings do the players win as often as each level of difficulty wants?"""
