"""simlab analyze course."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from simlab.cli.common import (
    HOW,
    TIMEOUT,
    BotOption,
    CardsOption,
    GamesOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    VariantArgument,
    count,
    emit_json,
    knob_values,
    show,
    single_bots,
    table,
    table_files,
)

FuturesOption = Annotated[
    int,
    typer.Option("--futures", "-f", metavar="N", parser=count, help="How often each position is played on.",
                 rich_help_panel=HOW),
]  # fmt: skip
SeenByOption = Annotated[
    str | None,
    typer.Option(
        "--seen-by", metavar="SEAT", help="Chances as this seat may know them: what it cannot see is dealt anew. "
        "Without it, those of somebody who sees the whole table.", rich_help_panel=HOW,
    ),
]  # fmt: skip


def course(
    game: VariantArgument,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    futures: FuturesOption = 100,
    seen_by: SeenByOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Follow games turn by turn: who is likely to win when, drama, when a game is decided, runaway leaders.

    At the start of each turn the position is played on many times by the same bots with other luck; the share that a
    side wins is its win chance there. 100 games unless --games says otherwise. A random game is one cluster: the
    intervals come from how games differ. Seats without --bot play the game's default bot.

    Examples:
      simlab analyze course simple_siege --bot besieger=rusher --bot besieged=mason -n 30 --futures 40
    """
    from simlab.engine.match import Match
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.studies.course import GAMES, check_bounds, course_study, seat_number

    wanted = games or GAMES
    check_bounds(wanted, futures)  # before anything is compiled
    variant = read_variant(game, set_, cards, bot, seed, players)
    loaded = load_game(at_table(variant.game, players))
    seat_number(loaded, seen_by)
    match = Match(
        loaded, knobs=knob_values(variant.set_), tables=table_files(variant.cards),
        bots=single_bots(loaded, variant.bot),
    )  # fmt: skip
    with Progress(quiet) as progress:
        match.compile(progress.compiling)
        answer = course_study(
            match, 1 if variant.seed is None else variant.seed, wanted, futures, seen_by, tell=progress.say,
            each=lambda done: progress.counting(done, wanted, "games followed"),
        )  # fmt: skip
    seed = 1 if variant.seed is None else variant.seed
    for line in answer["lines"]:
        line["replay"] = match.replay_command(seed, line["game"])
    if json:
        emit_json({"game": loaded.slug, "bots": {b.seat: b.text for b in match.bots}, "seed": seed, **answer}, "course")
        return
    bots = " v ".join(b.text for b in match.bots)
    title = f"{bots}: {answer['games']:,} games, each position played on {futures:,} times"
    rows = [(figure["words"], _text(figure), f"{figure['games']:,}") for figure in answer["figures"]]
    show(table(["figure", "", "games"], rows, ["", "games"], title))
    show(_chances(answer))
    show(calibration_sentence(answer["calibration"]))
    for line in answer["lines"]:
        show(f"{line['what'].capitalize()}: {line['replay']}")
    if answer["games"] < answer["asked"]:
        show(f"{answer['asked'] - answer['games']:,} games went on for too long, or their futures did: left out.")


def _chances(answer: dict[str, Any]) -> Any:
    """The mean chance of each side at some turns, and what is still open."""
    by_turn = answer["by_turn"]
    places = range(0, len(by_turn["turns"]), -(-len(by_turn["turns"]) // 10))
    turns = [str(by_turn["turns"][place]) for place in places]
    rows = []
    for side, mean, quantiles in zip(answer["sides"], by_turn["mean"], by_turn["quantiles"], strict=True):
        spread = [f"{100 * mean[p]:.0f} ({100 * quantiles[0][p]:.0f}-{100 * quantiles[-1][p]:.0f})" for p in places]
        rows.append((side, *spread))
    rows.append(("still open", *(f"{100 * by_turn['open'][p]:.0f}" for p in places)))
    head = f"at the start of {answer['turn_name']}"
    title = "Win chance in %, mean and where nine games of ten lie; a game that is over counts with its result"
    return table([head, *turns], rows, turns, title)


def calibration_sentence(bins: list[dict[str, Any]]) -> str:
    """Whether the chances hold, in words."""
    from simlab.stats.course import off_bins

    judged = [one for one in bins if one.get("gap_p_value") is not None]
    if not judged:
        return "Too few games to hold the chances against their results."
    off = off_bins(bins)
    held = f"Chances held against results in {len(judged)} bins: "
    if not off:
        return held + "of the positions with a chance of p, p are won, as far as luck allows."
    named = ", ".join(f"{100 * b['said']:.0f} % said and {100 * b['won']:.0f} % won" for b in off)
    return (
        held + f"off in {len(off)} ({named}); bots that draw no luck of their own before they look ahead can do that."
    )


def _text(figure: dict[str, Any]) -> str:
    if figure["estimate"] is None:
        return "-"
    scale, digits = (100, 0) if figure["unit"] else (1, 2)
    unit = f" {figure['unit']}".rstrip()
    unit = " point" if unit == " points" and f"{scale * figure['estimate']:.0f}".lstrip("-") == "1" else unit
    ends = [
        "?" if figure[end] is None else f"{scale * figure[end]:.{digits}f}" for end in ("low", "high")
    ]  # fmt: skip
    between = " to " if ends[0].startswith("-") else "-"
    return f"{scale * figure['estimate']:.{digits}f}{unit} ({ends[0]}{between}{ends[1]})"
