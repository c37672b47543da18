"""simlab bots."""

from __future__ import annotations

import dataclasses
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.common import (
    BotOption,
    GameArgument,
    JsonOption,
    PlayersOption,
    SeedOption,
    SetOption,
    emit_json,
    knob_values,
    positive,
    show,
    single_bots,
    table,
)
from simlab.errors import UserMistake, nearest

if TYPE_CHECKING:
    from simlab.game import Game
    from simlab.studies.behaviour import Distance, Fingerprint


def bots(
    game: GameArgument,
    distance: Annotated[
        str | None,
        typer.Option("--distance", metavar="BOTS", help="How often these bots choose differently, two by two: a,b,c."),
    ] = None,
    fingerprint: Annotated[
        str | None,
        typer.Option("--fingerprint", metavar="BOTS", help="What these bots choose in the same fixed positions: a,b."),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option("--seat", metavar="SEAT", help="Ask them in this seat; by default in all they can take."),
    ] = None,
    bot: BotOption = None,
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", parser=positive, help="Games that lead to the positions.")
    ] = 20,
    seed: SeedOption = None,
    players: PlayersOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """List the bots of a game, the seats they can take, and their traits; or ask what they choose.

    A trait is set behind a colon: --bot besieger=rusher:threshold=0.5

    Two kinds look ahead, in any game; `playout` names the bots of their playouts:
    --bot besieger=ismcts:iterations=400:playout=stormer+warden

    Three are made of others: --bot 'besieger=noisy(rusher:0.05)'

    --distance plays games with each of two bots and asks in every position of their seat what the other would do;
    --bot names the bots of the other seats. --fingerprint asks them in games played at random.

    Examples:
      simlab bots simple_siege
      simlab bots simple_siege --json
      simlab bots simple_siege --distance 'rusher,stormer,noisy(rusher:0.1)' --bot besieged=mason -n 5
      simlab bots simple_siege --fingerprint rusher,stormer -n 5
    """
    from simlab.registry import load_game

    loaded = load_game(game, players)
    if seat is not None and seat not in loaded.seats:
        raise UserMistake(f"--seat {seat}: {loaded.slug} has no such seat. {nearest(seat, loaded.seats)}")
    if distance and fingerprint:
        raise UserMistake("--distance and --fingerprint are two questions: ask one at a time.")
    start = 1 if seed is None else seed
    knobs = knob_values(set_)
    if distance:
        _distances(loaded, distance, seat, single_bots(loaded, bot), games, start, knobs, json)
    elif fingerprint:
        _fingerprints(loaded, fingerprint, seat, games, start, knobs, json)
    else:
        _list(loaded, json)


def _list(game: Game, json: bool) -> None:
    from simlab.engine.mixed import mixing_bots
    from simlab.engine.search import searching_bots
    from simlab.registry import example_bot, find_bots

    known = find_bots(game)
    policies = [policy for _, policy in sorted(known.items())]
    policies += [policy for name, policy in searching_bots().items() if name not in known]
    policies += mixing_bots(example_bot(game)).values()
    if json:
        listed = [
            {
                "bot": p.name, "seats": list(p.seats or game.seats), "help": p.help,
                "traits": {
                    name: {"default": t.default, "low": t.low, "high": t.high, "help": t.help}
                    for name, t in p.traits.items()
                },
            }
            for p in policies
        ]  # fmt: skip
        emit_json({"game": game.slug, "bots": listed}, "bots")
        return
    rows = []
    for p in policies:
        traits = "\n".join(f"{name} = {t.default:g} ({t.low:g}..{t.high:g}): {t.help}" for name, t in p.traits.items())
        rows.append((p.name, ", ".join(p.seats) or "all", " ".join(p.help.split()), traits))
    show(table(["bot", "seats", "how it plays", "traits"], rows))


def _named(game: Game, texts: str, seat: str | None, least: int) -> dict[str, list[str]]:
    """Seat -> those of the bots that can take it; only seats that at least so many can take.

    Raises:
        UserMistake: a bot that can take no seat, or no seat that so many can take.
    """
    from simlab.refs import split_outside
    from simlab.registry import load_bot, seats_for

    named = list(dict.fromkeys(text for text in split_outside(texts, ",") if text))
    able: dict[str, list[str]] = {name: [] for name in ([seat] if seat else game.seats)}
    for text in named:
        if seat:
            load_bot(game, seat, text)
        for name in [seat] if seat else seats_for(game, text):
            able[name].append(text)
    able = {name: texts for name, texts in able.items() if len(texts) >= least}
    if not able:
        raise UserMistake(f"{', '.join(named) or 'no bot'}: name {least} bots or more that can take the same seat.")
    return able


def _distances(
    game: Game, texts: str, seat: str | None, field: dict[str, str], games: int, seed: int,
    knobs: dict[str, str], json: bool,
) -> None:  # fmt: skip
    from simlab.studies.behaviour import distance

    measured: list[Distance] = []
    for name, named in _named(game, texts, seat, 2).items():
        for one, other in combinations(named, 2):
            measured.append(distance(game, name, one, other, against=field, games=games, seed=seed, knobs=knobs))
    if json:
        emit_json({"game": game.slug, "distances": [dataclasses.asdict(one) for one in measured]}, "distances")
        return
    rows = []
    for pair in measured:
        widest = sorted(pair.by_decision.items(), key=lambda item: -item[1][1])[:3]
        where = "; ".join(f"{kind}: {k} of {n}" for kind, (n, k) in widest if k)
        interval = f"{pair.differ.value:.1%} ({pair.differ.low:.1%} to {pair.differ.high:.1%})"
        rows.append((pair.seat, pair.one, pair.other, interval, f"{pair.positions:,}", where))
    show(table(["seat", "bot", "other bot", "choose differently", "positions", "most often at"], rows))
    show("Positions with more than one legal action, in games led by either bot; 95 % intervals over games.")


def _fingerprints(
    game: Game, texts: str, seat: str | None, games: int, seed: int, knobs: dict[str, str], json: bool
) -> None:
    from simlab.studies.behaviour import fingerprint

    taken: list[Fingerprint] = []
    for name, named in _named(game, texts, seat, 1).items():
        taken += [fingerprint(game, name, text, games=games, seed=seed, knobs=knobs) for text in named]
    if json:
        emit_json({"game": game.slug, "fingerprints": [dataclasses.asdict(one) for one in taken]}, "fingerprints")
        return
    rows = []
    for one in taken:
        habits = "\n".join(f"{h.decision}: {h.action} {h.share:.0%} of {h.positions}" for h in one.habits)
        rows.append((one.seat, one.bot, one.digest, f"{one.positions:,}", habits))
    show(table(["seat", "bot", "fingerprint", "positions", "what it takes most often"], rows))
    show(
        "The same positions for each bot of a seat, out of games played at random: the same fingerprint, the same bot."
    )
