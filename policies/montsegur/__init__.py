"""Bots for Montségur (rule ledger, section 7). A bot sees the board, its own hand and its own stack.

One file per bot, named after it; `peace` is in the file of `value`. They read top-down: the bot, then its list, line
by line. All share the same measures: the worth of an event to a side (events.py), the worth of points (points.py), the
best attack (attacks.py), the Redeploy plan (redeploy.py). `value` plays the highest of them; the others go through a
list of their own first and play like `value` if no line of it fits (plans.py, lookout.py, answers.py).

Values closer than 1e-9 are equal; then the option of the lower number is taken.

Nothing is imported here: a bot's compiled code is kept under a digest of what its file imports, so that an edit of one
bot leaves the others' code as it is.
"""
