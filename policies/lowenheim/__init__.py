"""Bots for Siege of Lowenheim (rule ledger, section 7). One file per bot, named after it.

All of them share the steward's routine (steward.py): cards, trades, fights, food, fires, demands. They differ in where
they send their groups, in the cards that they hand in, and in how they use their powers. Their view of the map is
in lookout.py: who is in contact, the nearest intruders, the threatened places.

Nothing is imported here: a bot's compiled code is kept under a digest of what its file imports, so that an edit of one
bot leaves the others' code as it is.
"""
