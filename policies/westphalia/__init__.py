"""Bots for The Peace of Westphalia (rule ledger, section 7). A bot sees the table, its own cards and its own stream.

One file per bot, named after it, with the bot's own style. All other decisions are shared (answers.py): where a
point of influence goes (influence.py), the worth of a die (faith.py), whom to attack and what to take (war.py), which
card to play (battle.py). Numbers that part the bots from each other are traits, the same for all (measures.py).

Nothing is imported here: a bot's compiled code is kept under a digest of what its file imports, so that an edit of one
bot leaves the others' code as it is.
"""
