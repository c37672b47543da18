"""The Peace of Westphalia in plain Python, written from the rulebook and the ledger alone.

It shares no code with the game: hexes are counted out by coordinates, a power is 0 to 7 for a player and 8 + its ID for
a principality, everything else lies in lists and dictionaries. Chance is handed in. A question is yielded as (kind,
seat -> the options of each question that he is asked), and seat -> his answers comes back; all seats named choose
together. A question with one option is not asked.
"""

from tests.games.westphalia.reference.play import Peace

__all__ = ["Peace"]
