"""Bots for Montségur (rule ledger, section 7). A bot sees the board, its own hand and its own stack.

One file per bot, named after it; `peace` shares the file of `value`. Each file reads top-down: the bot, then its list,
line by line. All bots share the same measures: the worth of an event to a side (events.py), the worth of points
(points.py), the best attack (attacks.py), the Redeploy plan (redeploy.py). `value` plays the option with the highest
worth; the others first go through their own list and play like `value` if no line fits (plans.py, lookout.py,
answers.py).

Values closer than 1e-9 count as equal, and the option with the lower number is taken.

Nothing is imported here: a bot's compiled code is cached under a digest of its file's imports, so editing one bot does
not recompile the others.
"""
