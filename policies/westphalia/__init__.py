"""Bots for The Peace of Westphalia (rule ledger, section 7). A bot sees the table, its own cards and its own stream.

A file a bot, named after it: what it does in its own way. All else it answers as the others do (answers.py): where a
point of influence goes (influence.py), what a die is worth (faith.py), whom to attack and what to take (war.py), which
card to play (battle.py). Numbers that part the bots from each other are traits, the same for all (measures.py).

Nothing is imported here: a bot's compiled code is kept under a digest of what its file imports, so that an edit of one
bot leaves the others' code as it is.
"""
