"""simlab bots."""

from __future__ import annotations

from simlab.cli.common import GameArgument, JsonOption, PlayersOption, emit_json, show, table


def bots(game: GameArgument, players: PlayersOption = None, json: JsonOption = False) -> None:
    """List the bots of a game, the seats they can take, and the traits that can be set.

    A trait is set behind a colon: --bot besieger=rusher:threshold=0.5

    The last ones look ahead, in any game; `playout` names the bots of their playouts:
    --bot besieger=ismcts:iterations=400:playout=stormer+warden

    Examples:
      simlab bots simple_siege
      simlab bots simple_siege --json
    """
    from simlab.engine.search import searching_bots
    from simlab.registry import at_table, find_bots, load_game

    loaded = load_game(at_table(game, players))
    policies = [policy for _, policy in sorted(find_bots(loaded).items())]
    policies += [policy for name, policy in searching_bots().items() if name not in find_bots(loaded)]
    if json:
        listed = [
            {
                "bot": p.name, "seats": list(p.seats or loaded.seats), "help": p.help,
                "traits": {
                    name: {"default": t.default, "low": t.low, "high": t.high, "help": t.help}
                    for name, t in p.traits.items()
                },
            }
            for p in policies
        ]  # fmt: skip
        emit_json({"game": loaded.slug, "bots": listed})
        return
    rows = []
    for p in policies:
        traits = "\n".join(f"{name} = {t.default:g} ({t.low:g}..{t.high:g}): {t.help}" for name, t in p.traits.items())
        rows.append((p.name, ", ".join(p.seats) or "all", " ".join(p.help.split()), traits))
    show(table(["bot", "seats", "how it plays", "traits"], rows))
