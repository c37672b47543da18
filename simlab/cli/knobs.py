"""simlab knobs."""

from __future__ import annotations

from simlab.cli.common import GameArgument, JsonOption, PlayersOption, emit_json, show, table


def knobs(game: GameArgument, players: PlayersOption = None, json: JsonOption = False) -> None:
    """List the knobs of a game: the numbers a designer turns, and the rulings that could go the other way.

    Set one with --set KNOB=VALUE, try several values with --vary KNOB=RANGE.

    Examples:
      simlab knobs simple_siege
      simlab knobs simple_siege --json
    """
    from simlab.registry import load_game

    loaded = load_game(game, players)
    knobs = [*loaded.knobs.values(), *loaded.luck_knobs.values()]
    if json:
        listed = [
            {
                "knob": k.name, "kind": k.kind, "default": k.default, "allowed": k.allowed, "unit": k.unit,
                "rules": list(k.rules), "switch": k.switch, "luck": k.luck, "help": k.help,
            }
            for k in knobs
        ]  # fmt: skip
        emit_json({"game": loaded.slug, "knobs": listed}, "knobs")
        return
    kinds = ("Numbers", "Rulings that could go the other way", "Luck: weighted dice and cards, bad shuffles")
    for kind, title in enumerate(kinds):
        rows = [
            (
                k.name,
                str(k.default).lower() if isinstance(k.default, bool) else k.default,
                k.allowed,
                ", ".join(k.rules),
                k.help,
            )
            for k in knobs
            if (2 if k.luck else int(k.switch)) == kind
        ]
        if rows:
            show(table(["knob", "default", "allowed", "rules", "what"], rows, right=["default"], title=title))
