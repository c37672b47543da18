"""simlab replay."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from simlab.cli.common import (
    AllowOption,
    BotOption,
    CardsOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    complete_game,
    complete_scenario,
    decide,
    index_number,
    knob_values,
    show,
    single_bots,
    table,
    table_files,
)
from simlab.errors import UserMistake, nearest

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.setting import Setting
    from simlab.engine.stepper import Stepper
    from simlab.game import Description
    from simlab.runs.results import CellResult, Results

_MOST_NAMES = 12  # entries of a list printed in full
_LONG = 100  # characters of a list that still stands in one line
_PARTED = re.compile(r", | \| |; ")


def replay(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="Slug or folder of the game; not needed with --from.",
            autocompletion=complete_game,
            show_default=False,
        ),
    ] = None,
    index: Annotated[
        int, typer.Option("--game", "-g", metavar="N", parser=index_number, help="Index of the game, from 0.")
    ] = 0,
    seed: SeedOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="Replay a game of these results, and compare its row."),
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option("--cell", metavar="KEY", help="With --from: key, first digits of it, or label of the cell."),
    ] = None,
    allow: AllowOption = None,
    brief: Annotated[bool, typer.Option("--brief", help="One line a decision: who did what.")] = False,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="FILE",
            help="Replay a scenario file, or a ready one by its name (`simlab show scenarios`).",
            autocompletion=complete_scenario,
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--beside",
            metavar="NAME=VALUE",
            help="Beside it, the same luck with another knob, seat's bot or table's file; again for more.",
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Play one game again and print it, decision by decision: what was done, what changed, which rules fired.

    A game is a function of its seed and index, so any game of any run can be seen again. Seats without --bot
    play at random. With --from, game, seed, bots and knobs are those of the results; exit status 1 if the row
    differs from the stored one. With --scenario, a file says what is drawn and done, and what has to come of it;
    exit status 1 if it comes out otherwise. With --beside the game stands on the left, and
    the one that another knob, bot or table makes of the same luck on the right.

    Examples:
      simlab replay simple_siege --seed 1 --game 3 --bot besieger=rusher
      simlab replay simple_siege --game 3 --set walls_start=6 --brief
      simlab replay --scenario montsegur_sample_turn --brief
      simlab replay simple_siege --game 3 --beside walls_start=6
    """
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.registry import load_game

    if scenario is not None:
        if game or bot or set_ or cards or from_ or cell or index or seed is not None:
            raise UserMistake("--scenario brings game, seed, knobs, cards and all that is done: leave the rest out.")
        _replay_scenario(scenario, brief, quiet)
        return
    stored: dict[str, Any] | None = None
    if from_ is not None:
        if game or bot or set_ or cards or seed is not None:
            raise UserMistake("--from brings game, seed, bots, knobs and cards: give --game and --cell only.")
        match, seed, stored = _of_results(from_, cell, index, allow or [])
    elif allow:
        raise UserMistake("--allow goes with --from FOLDER.")
    elif game is None:
        raise UserMistake("which game? Give its slug, --from a folder of results, or --scenario with a file.")
    elif cell is not None:
        raise UserMistake("--cell goes with --from FOLDER.")
    else:
        loaded = load_game(game)
        match = Match(loaded, knobs=knob_values(set_), tables=table_files(cards), bots=single_bots(loaded, bot))
    with Progress(quiet) as progress:
        progress.say("compiling, when it is the first time")
        stepper = Stepper(match, 1 if seed is None else seed, index)
        other = Stepper(_beside(match, beside), stepper.seed, index) if beside else None
    if other is not None:
        _tell_beside(stepper, other, beside or [])
        return
    heading = [f"{match.game.title}, seed {stepper.seed}, game {stepper.index}"]
    heading += [f"  {bot.seat}: {bot.text}" for bot in match.bots]
    for line in _told(stepper, heading, brief, _by_bots(stepper)):
        show(line)
    row = stepper.row()
    show(*_end(match, row))
    if stored is not None:
        different = [name for name, value in stored.items() if name in row and row[name] != value]
        if different:
            show("NOT as stored: " + ", ".join(f"{name} is {row[name]}, stored {stored[name]}" for name in different))
            raise typer.Exit(1)
        show("The stored row says the same.")


def _replay_scenario(name: str, brief: bool, quiet: bool) -> None:
    from simlab.studies.scenario import load_scenario

    scenario = load_scenario(name)
    with Progress(quiet) as progress:
        progress.say("compiling, when it is the first time")
        stepper = scenario.stepper()
    heading = [f"{stepper.game.title}: {scenario.title}"]
    heading += [f"  {line}" for line in (scenario.source, scenario.start.comment) if line]
    moves = ((move.action, move.comment) for move in scenario.moves(stepper))
    for line in _told(stepper, heading, brief, moves):
        show(line)
    if stepper.over:
        show(*_end(stepper.match, stepper.row()))
    else:
        show("", f"The scenario ends here, after {stepper.decisions} decisions.")
    if scenario.expectations:
        show(f"All {scenario.expectations} expectations of {scenario.path.name} hold.")


def _by_bots(stepper: Stepper) -> Iterator[tuple[int, str]]:
    while not stepper.over:
        yield decide(stepper), ""


def _told(stepper: Stepper, heading: list[str], brief: bool, moves: Iterator[tuple[int, str]]) -> Iterator[str]:
    """The lines of a game as it is played.

    Args:
        moves: action and comment of each decision, asked for one after the other.
    """
    game, match = stepper.game, stepper.match
    yield from heading
    changed = {k: v for k, v in match.knobs_resolved.items() if v != game.knobs[k].default}
    yield "  knobs: " + (", ".join(f"{k} = {_value(v)}" for k, v in changed.items()) or "all as printed")
    if not brief:
        yield ""
        yield "set-up"
        yield from (f"    {line}" for line in position(stepper.describe(), whole=False))
        yield from _rules(match, stepper.state.fired.copy(), 0)
    turn = -1
    while not stepper.over:
        if int(stepper.state.turn) != turn:
            turn = int(stepper.state.turn)
            if not brief:
                yield ""
                yield f"{game.turn_name} {turn}"
        move = next(moves, None)  # a bot may fail here: what led to it stands above
        if move is None:
            return
        action, comment = move
        seat, label = stepper.seat, stepper.label(action)
        if comment:
            yield f"  # {comment}"
        if brief:
            yield f"{game.turn_name} {turn:>3}  {seat}: {label}"
            yield from _asides(stepper, action)
        else:
            yield f"  {seat}: {label}"
            turn = yield from _parts(match, stepper, action)


def _asides(stepper: Stepper, action: int) -> Iterator[str]:
    """Carries an action out; what a brief replay tells of it besides: checks, choices with one option."""
    game, match = stepper.game, stepper.match
    knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
    before = stepper.copy()
    for _ in stepper.apply_in_parts(action):
        for text in game.asides(before.state, stepper.state, knobs, cards):
            yield f"{'':{len(game.turn_name) + 8}}{text}"
        before = stepper.copy()


def _parts(match: Setting, stepper: Stepper, action: int) -> Generator[str, None, int]:
    """What an action changed, under a heading for each phase that it led to; returns the last turn with a heading."""
    game, state = match.game, stepper.state
    heading = match.part_name(state)
    turn = int(state.turn)
    since = last = stepper.describe(), state.fired.copy()
    for name in stepper.apply_in_parts(action):
        if name != heading:
            yield from _difference(match, since, last)
            since, heading = last, name
            if int(state.turn) != turn:
                turn = int(state.turn)
                yield ""
                yield f"{game.turn_name} {turn}"
            yield f"  {name}"
        last = stepper.describe(), state.fired.copy()
    yield from _difference(match, since, last)
    return turn


def _difference(match: Setting, before: tuple[Description, Any], after: tuple[Description, Any]) -> Iterator[str]:
    headings = (match.game.turn_name, "phase") if match.game.play_part else ()
    for name, change in changes(before[0], after[0]):
        if name not in headings:
            yield f"    {name}: {change}"
    yield from _rules(match, after[1], before[1])


def _beside(match: Match, texts: list[str]) -> Match:
    """The match with some knobs, bots or tables changed."""
    from simlab.engine.match import Match
    from simlab.experiments.options import read_assignments

    game = match.game
    knobs: dict[str, object] = dict(match.knobs_set)
    tables, bots = dict(match.table_files), {bot.seat: bot.text for bot in match.bots}
    for name, value in read_assignments(texts, "--beside", "NAME=VALUE, as --beside walls=6").items():
        if name in game.seats:
            bots[name] = value
        elif name in match.table_rows:
            tables[name] = Path(value)
        elif name in game.knobs:
            knobs[name] = value
        else:
            known = [*game.knobs, *game.seats, *match.table_rows]
            raise UserMistake(
                f"--beside {name}={value}: {game.slug} has no knob, seat or table '{name}'. {nearest(name, known)}"
            )
    return Match(game, knobs=knobs, tables=tables, bots=bots)


def _tell_beside(one: Stepper, other: Stepper, texts: list[str]) -> None:
    """Two games with the same luck in two columns, turn by turn; a star marks the turns that differ."""
    sides = [_by_turn(stepper) for stepper in (one, other)]
    turns = sorted(set(sides[0]) | set(sides[1]))
    rows: list[list[str]] = []
    for turn in turns:
        left, right = (side.get(turn, []) for side in sides)
        mark = "" if left == right else "*"
        for place in range(max(len(left), len(right))):
            pair = [side[place] if place < len(side) else "" for side in (left, right)]
            rows.append([str(turn) if place == 0 else "", mark if place == 0 else "", *pair])
    game = one.game
    show(f"{game.title}, seed {one.seed}, game {one.index}, beside {', '.join(texts)}")
    show(table([game.turn_name, "", "as it was", "beside"], rows))
    for name, stepper in (("as it was", one), ("beside", other)):
        lines = list(_end(stepper.match, stepper.row()))
        show(f"{name}: {lines[1]}")


def _by_turn(stepper: Stepper) -> dict[int, list[str]]:
    """Turn -> what was done in it, a line a decision."""
    found: dict[int, list[str]] = {}
    while not stepper.over:
        turn, seat, action = int(stepper.state.turn), stepper.seat, decide(stepper)
        found.setdefault(turn, []).append(f"{seat}: {stepper.label(action)}")
        stepper.apply(action)
    return found


def _rules(match: Setting, fired: Any, before: Any) -> Iterator[str]:
    new = fired.astype(int) - before
    names = [f"{rule.id} x{n}" if n > 1 else rule.id for rule, n in zip(match.game.rules, new, strict=True) if n > 0]
    if names:
        yield f"    rules: {', '.join(names)}"


def changes(before: Description, after: Description) -> Iterator[tuple[str, str]]:
    """What differs between two descriptions: (name, `5 -> 4`, `+Mine -9C`, or a long text as it is now)."""
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, str) and isinstance(new, tuple):  # what was hidden lies open
            yield name, _whole(new)
        elif isinstance(old, tuple) or isinstance(new, tuple):
            yield name, _list_change(_items(old), _items(new))
        else:
            yield name, _text_change(old, new)


def _text_change(old: str | None, new: str | None) -> str:
    """Of texts with the same parts, as `Faith 4, Food 8`, the parts that differ."""
    if old is None or new is None:
        return new or "-"
    parts, others = _PARTED.split(old), _PARTED.split(new)
    pairs = [(a, b) for a, b in zip(parts, others, strict=False) if a != b]
    if len(parts) != len(others) or (len(pairs) == len(parts) and not all(_akin(a, b) for a, b in pairs)):
        return f"{old} -> {new}"
    return ", ".join(_part_change(a, b) for a, b in pairs)


def _akin(old: str, new: str) -> bool:
    """Whether two texts share a word, its ending aside: `1 marker`, `2 markers`."""
    return not {word[:4] for word in old.split() if word.isalpha()}.isdisjoint(word[:4] for word in new.split())


def _part_change(old: str, new: str) -> str:
    """`Food 8 -> 7` where the last word alone differs, else both in full."""
    words, others = old.rpartition(" "), new.rpartition(" ")
    same = words[0] == others[0] and not any(c.isdigit() for c in words[0])
    return f"{old} -> {others[2] if same else new}"


def _items(value: str | tuple[str, ...] | None) -> list[str]:
    return list(value) if isinstance(value, tuple) else [value] if value else []


def _list_change(old: list[str], new: list[str]) -> str:
    left = list(new)
    gone = []
    for thing in old:
        if thing in left:
            left.remove(thing)
        else:
            gone.append(thing)
    if not left and not gone:
        return "in another order: " + _whole(tuple(new))
    if not new and len(gone) > 1:
        return "none any more"
    words = []
    for thing in list(gone):  # `Crest: 1 Cathar` that became `Crest: 1 Crusader` is one change
        name = thing.partition(": ")[0] + ": "
        if [t for t in gone if t.startswith(name)] == [thing] and sum(t.startswith(name) for t in left) == 1:
            other = next(t for t in left if t.startswith(name))
            words.append(name + _text_change(thing.removeprefix(name), other.removeprefix(name)))
            left.remove(other)
            gone.remove(thing)
    words += [f"+{thing}" for thing in left] + [f"-{thing.partition(': ')[0]}" for thing in gone]
    if len(words) > _MOST_NAMES // 2 and new:
        return "-> " + _whole(tuple(new))
    if len(words) > 2 * _MOST_NAMES:
        return f"{len(left)} came, {len(gone)} went"
    return ("; " if any(" " in word for word in words) else " ").join(words)


def _whole(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    if len(value) > _MOST_NAMES:
        return f"{len(value)}: {', '.join(value[:_MOST_NAMES])}, ..."
    return ", ".join(value) or "none"


def position(seen: Description, whole: bool = True) -> Iterator[str]:
    """A position in lines: a long list has a line for each thing.

    Args:
        whole: False cuts lists that are longer than a dozen.
    """
    for name, value in seen.items():
        if isinstance(value, tuple) and len(", ".join(value)) > _LONG and any(": " in thing for thing in value):
            yield f"{name}:"
            yield from (f"    {thing}" for thing in value)
        else:
            yield f"{name}: {(', '.join(value) or 'none') if whole and isinstance(value, tuple) else _whole(value)}"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def winner_name(match: Setting, row: Mapping[str, Any]) -> str:
    """Who won, in words."""
    seats = match.game.seats
    if row["winner"] >= 0:
        return f"{seats[row['winner']]} wins"
    shared = [seat for i, seat in enumerate(seats) if row["winners"] >> i & 1]
    return f"{' and '.join(shared)} share the win" if shared else "nobody wins"


def ending(match: Setting, row: Mapping[str, Any]) -> Iterator[str]:
    """Who won, how and when; points, where the game has them."""
    game = match.game
    length = f"{row['turns']} {game.turn_name}{'' if row['turns'] == 1 else 's'}, {row['decisions']} decisions"
    yield f"The end: {winner_name(match, row)} ({game.endings[row['ending']]}), {length}."
    if game.has_scores:
        yield "    " + ", ".join(f"{seat} {points}" for seat, points in zip(game.seats, row["score"], strict=True))


def _end(match: Setting, row: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield from ending(match, row)
    yield "    " + ", ".join(f"{metric.name} {metric.value_text(row[metric.name])}" for metric in match.game.metrics)


def _of_results(
    folder: Path, wanted: str | None, index: int, allow: list[Path]
) -> tuple[Match, int, dict[str, Any] | None]:
    """Match, seed and stored row of a game of some results.

    The results may be a stranger's: of the code that the folder names by a path none is run but what `allow` names.
    """
    from simlab.runs.results import load
    from simlab.studies.verify import match_of

    results = load(folder)
    cell = _cell_of(results, wanted)
    match, as_it_was = match_of(results, cell, allow)
    if not as_it_was:
        raise UserMistake(
            f"{folder}: the rules, a bot or a table changed since these games were played, so they cannot be "
            "replayed. Go back to that version, or run the experiment again with --force."
        )
    return match, results.seed, _stored_row(results, cell.key, index, match)


def _cell_of(results: Results, wanted: str | None) -> CellResult:
    """The cell that is meant by a key, its first digits, or its label; the only one if nothing is said."""
    found = [c for c in results.cells if wanted is None or c.key.startswith(wanted) or c.label == wanted]
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {cell.key}  {cell.label}" for cell in (found or results.cells)[:20])
    if wanted is None:
        raise UserMistake(f"{results.folder}: holds {len(found)} cells. Say which with --cell KEY:\n{listed}")
    which = "several cells are" if found else "no cell is"
    gap = f"\n{results.gap}" if results.gap else ""
    raise UserMistake(f"--cell {wanted}: {which} meant in {results.folder}. Known:\n{listed}{gap}")


def _stored_row(results: Results, key: str, index: int, match: Match) -> dict[str, Any] | None:
    """The stored row of a game with codes in place of names; None where only counts were kept."""
    import polars as pl

    if not results.has_rows:
        return None
    found = results.scan().filter((pl.col("cell") == key) & (pl.col("game") == index)).collect()
    if found.height != 1:
        raise UserMistake(f"{results.folder}: cell {key} holds no game {index}. {results.gap}".strip())
    row = found.row(0, named=True)
    game = match.game
    stored: dict[str, Any] = {name: row[name] for name in ("turns", "decisions", *(m.name for m in game.metrics))}
    stored["ending"] = game.endings.index(row["ending"])
    codes = {**{seat: i for i, seat in enumerate(game.seats)}, "nobody": -1, "shared": -2}
    stored["winner"] = codes[row["winner"]]
    if game.has_scores:
        stored["score"] = [row[f"score_{seat}"] for seat in game.seats]
    return stored
