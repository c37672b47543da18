"""Bots for The Peace of Westphalia (rule ledger, section 7). A bot sees the table, its own cards and its own stream.

One file per bot, named after it, with the bot's own style. All other decisions are shared (answers.py): where to place
influence (influence.py), the worth of a die (faith.py), whom to attack and what to take (war.py), which card to play
(battle.py). Numbers that distinguish the bots are traits, the same set for all (measures.py).

Nothing is imported here: a bot's compiled code is cached under a digest of its file's imports, so editing one bot does
not recompile the others.
"""
