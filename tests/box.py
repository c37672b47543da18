"""The games of the box, parted: the large ones, over which tests loop, and the small known ones, tested lightly."""

from __future__ import annotations

from simlab.registry import find_games

_ALL = {slug: entry.load() for slug, entry in sorted(find_games().items()) if entry.source == "simlab"}
LARGE = [slug for slug, game in _ALL.items() if not game.small]
SMALL = [slug for slug, game in _ALL.items() if game.small]
