"""simlab games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simlab.cli.common import JsonOption, emit_json, show, table


def games(json: JsonOption = False) -> None:
    """List the games that can be played.

    Games come with simlab, or from an installed package (entry points `simlab.games`). A game of your own
    needs no
    installation: give the path of its folder wherever GAME is asked for. Small games whose answers are known
    stand apart: they are for learning, for checks, and for a start of your own (`simlab new game mine --like pig`).

    Examples:
      simlab games
      simlab games --json
    """
    from simlab.errors import UserMistake
    from simlab.registry import find_games, warn_of

    games: list[dict[str, Any]] = []
    for slug, entry in find_games().items():
        try:
            game = entry.load()
        except UserMistake as mistake:
            if entry.source == "simlab":
                raise
            warn_of(mistake)
            continue
        games.append(
            {
                "game": slug, "title": game.title, "summary": game.summary, "source": entry.source,
                "seats": list(game.seats), "players": list(game.players), "rules": len(game.rules),
                "knobs": len(game.knobs), "endings": list(game.endings), "small": game.small,
            }
        )  # fmt: skip
    games.sort(key=lambda game: bool(game["small"]))
    if json:
        emit_json({"games": games}, "games")
        return
    show(_listed([game for game in games if not game["small"]]))
    small = [game for game in games if game["small"]]
    if small:
        show("Small known games, for learning and for checks:", _listed(small))


def _listed(games: Sequence[dict[str, Any]]) -> Any:
    """The games as a table."""
    rows = [
        (g["game"], g["title"], _seats(g["seats"], *g["players"]), g["rules"], g["knobs"], g["source"], g["summary"])
        for g in games
    ]
    return table(["game", "title", "seats", "rules", "knobs", "from", "what"], rows, right=["rules", "knobs"])


def _seats(names: Sequence[str], least: int, most: int) -> str:
    """The seats by name where they are few, else how many there may be."""
    if least < most:
        return f"{least} to {most}"
    return " v ".join(names) if len(names) <= 2 else str(len(names))
