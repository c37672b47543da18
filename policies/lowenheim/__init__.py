"""Bots for Siege of Lowenheim (rule ledger, section 7). One file per bot, named after it.

All of them share the steward's routine (steward.py): cards, trades, fights, food, fires, demands. They differ in where
they send their groups, which cards they hand in, and how they use their powers. Their view of the map is in lookout.py:
contact with intruders, the nearest intruders, the threatened places.

Nothing is imported here: a bot's compiled code is cached under a digest of its file's imports, so editing one bot does
not recompile the others.
"""
