"""How large an experiment may be."""

from __future__ import annotations

MOST_GAMES = 10**12  #: games of one cell
MOST_SEED = 2**63 - 1
MOST_BOTS = 1_000  #: bots named for one seat
MOST_SHARD = 10_000_000  #: games of one shard: what a worker holds in memory
