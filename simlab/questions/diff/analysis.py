"""Two experiments on the same seeds, compared game by game.

The answer shows how many games have a different winner, how far each statistic moves, where flipped games diverge, and
which games to watch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, Literal

import numpy as np

from simlab import shell
from simlab.engine.conduct import check_bots
from simlab.engine.match import Match
from simlab.engine.outcome import winners_text
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.present.answer import Answer, Part
from simlab.present.estimate import share_of
from simlab.questions.comparison import (
    Change,
    Count,
    Pair,
    common_figures,
    family_size,
    pooled_change,
    share_of_games,
)
from simlab.registry import load_game
from simlab.runs.cells import Cell, cells
from simlab.runs.events import ProgressCount, no_progress
from simlab.runs.truncation import ended_in_all, play_ended
from simlab.spec.design import show_value
from simlab.spec.experiment import Experiment, belongs
from simlab.stats.intervals import level_of_each

MOST_GAMES = 20_000_000  #: of one side, all cells together
STEPPED = 36  #: flipped games that are stepped through


# --- The answer --------------------------------------------------------------


class Flip(Part):
    """Games that one side won before, and another side won after."""

    before: str
    after: str
    games: int


class CellDiff(Part):
    """A cell before and after.

    Attributes:
        base, tweak: labels of the cells; both empty for all cells together. differ: number of games that differ in any
            column. flipped: number of games with a different winner.
        flips: changes of the winner, the most frequent first.
        truncated: number of truncated games before and after; both are left out.
    """

    base: str
    tweak: str
    games: int
    differ: Count
    flipped: Count
    flips: tuple[Flip, ...]
    changes: tuple[Change, ...]
    truncated: tuple[int, int]

    def change(self, statistic: str) -> Change:
        """The change of a statistic, by its name."""
        return next(change for change in self.changes if change.statistic == statistic)


Kind = Literal["choice", "options", "decision", "end", "none"]


class Divergence(Part):
    """The first decision at which two games with the same random draws differ.

    Attributes:
        turn: turn of that decision; -1 if there is none.
        seat, decision: the seat and its decision in the base game.
        kind: `choice`: the same options but a different choice; `options`: different options; `decision`: a different
            decision is pending; `end`: one game is over; `none`: the same choices throughout.
        base, tweak: the choice on each side, or the pending decision.
        position_turn: turn at which the positions first differ; -1 if they already differ after the set-up.
        position: difference between the positions.
    """

    cell: str
    game: int
    turn: int
    seat: str
    decision: str
    kind: Kind
    base: str
    tweak: str
    position_turn: int
    position: tuple[str, ...]

    @property
    def sort(self) -> tuple[str, str, str]:
        """Seat, decision and kind."""
        return self.seat, self.decision, self.kind


class NotableGame(Part):
    """A flipped game worth watching.

    Attributes:
        why: why it was chosen.
        base, tweak: commands that replay each side. beside: command that shows both side by side, or "".
    """

    why: str
    cell: str
    game: int
    base: str
    tweak: str
    beside: str


class Diff(Answer, form="diff", version=2, source="simlab diff EXPERIMENT"):
    """A base and a tweak on the same seeds.

    Attributes:
        settings: changes of the tweak: name -> (before, after), as texts.
        cells: pairs of cells. together: all pairs together, or the only pair.
        left_out: labels of cells that only one experiment has.
        sides: win rates of each side with several seats, and of each seat that is in no such side.
        prespecified: statistics that a contract of the experiments names. All others are exploratory.
        divergences: divergences of some flipped games. usual: share of these games that diverge in the most common way.
        notable_games: up to three games worth watching.
        level: confidence of all intervals jointly, for this number of games (Bonferroni).
    """

    base: str
    tweak: str
    game: str
    turn_name: str
    article: str
    seed: int
    level: float
    settings: dict[str, tuple[str, str]]
    sides: tuple[str, ...]
    prespecified: tuple[str, ...]
    together: CellDiff
    cells: tuple[CellDiff, ...]
    left_out: tuple[str, ...]
    divergences: tuple[Divergence, ...]
    usual: Count | None
    notable_games: tuple[NotableGame, ...]

    @property
    def diverging(self) -> list[Divergence]:
        """The games that diverge at a decision."""
        return [one for one in self.divergences if one.turn >= 0]


# --- Comparing --------------------------------------------------------------------


def diff_experiments(
    base: Experiment,
    tweak: Experiment,
    *,
    level: float = 0.95,
    look: int = STEPPED,
    notify: ProgressCount = no_progress,
) -> Diff:
    """Plays both experiments with the base's seed and number of games, and compares them.

    Args:
        level: level of all intervals jointly (Bonferroni).
        look: number of flipped games that are stepped through.
        notify: called with (games played, games in all, label of the cell).
    Raises:
        InputError: the experiments play different games, have no cells in common, or have too many games. BotFault: a
            bot failed. GameTruncated: too many games were truncated.
    """
    game = load_game(base.table_ref())
    if load_game(tweak.table_ref()).slug != game.slug:
        raise InputError(f"{base.name} and {tweak.name} play different games: {game.slug}, {tweak.game}.")
    sizes = [experiment.sizes or (len(load_game(experiment.table_ref()).seats),) for experiment in (base, tweak)]
    if sizes[0] != sizes[1]:
        counts = " and ".join(", ".join(map(str, size)) for size in sizes)
        raise InputError(
            f"{base.name} and {tweak.name} have {counts} players, so their games cannot be paired. For the effect of "
            "the player count: simlab sweep GAME --vary players=3..5."
        )
    if base.games < 2:
        raise InputError("one game on each side shows no change. Play two or more: -n 2000")
    pairs, left_out = pair_cells(base, tweak)
    total = len(pairs) * base.games
    if total > MOST_GAMES:
        raise InputError(f"{total:,} games are too many for one comparison: at most {MOST_GAMES:,}. Play fewer: -n")
    played = []
    for done, (before, after) in enumerate(pairs):
        notify(done * base.games, total, before.label)
        played.append(_PlayedPair(base, before, after))
    notify(total, total, "")
    each = level_of_each(level, family_size([pair.game for pair in played]))
    cells = tuple(_cell_diff([one], each) for one in played)
    together = cells[0] if len(cells) == 1 else _cell_diff(played, each)
    divergences = _divergences(played, look)
    diverging = [one for one in divergences if one.turn >= 0]
    contract, names = [*base.contract, *tweak.contract], [change.statistic for change in together.changes]
    return Diff(
        base=base.name, tweak=tweak.name, game=game.slug, turn_name=game.turn_name, article=game.article,
        seed=base.seed, level=level, settings=_settings(played[0]), together=together, cells=cells, left_out=left_out,
        sides=tuple(name for name in _sides(played[0]) if name in names),
        prespecified=tuple(name for name in names if belongs(name, contract)),
        divergences=tuple(divergences), usual=_usual_share(diverging, each) if diverging else None,
        notable_games=tuple(_notable_games(played, diverging)),
    )  # fmt: skip


def pair_cells(base: Experiment, tweak: Experiment) -> tuple[list[tuple[Cell, Cell]], tuple[str, ...]]:
    """Cells with the same bots and the same values of the knobs that both experiments vary, and the labels of the cells
    left over.

    Raises:
        InputError: there are no such cells, or the pairing is ambiguous.
    """
    before, after = cells(base), cells(tweak)
    seats = [seat for seat in base.bots if set(base.bots[seat]) == set(tweak.bots[seat])]
    knobs = [name for name in base.varied if name in tweak.varied]

    def key(cell: Cell) -> tuple[Any, ...]:
        return (*(cell.bot_labels.get(seat) for seat in seats), *(cell.varied[name] for name in knobs))

    partners = {key(cell): cell for cell in after}
    if len(partners) < len(after) or len({key(cell) for cell in before}) < len(before):
        raise InputError(
            f"{base.name} and {tweak.name}: which of their cells belong together is ambiguous. Name one bot for each "
            "seat whose bots differ, and vary the same knobs in both."
        )
    pairs = [(cell, partners[key(cell)]) for cell in before if key(cell) in partners]
    if not pairs:
        raise InputError(
            f"{base.name} and {tweak.name}: none of their cells agree in bots and varied knobs, as "
            f"'{before[0].label}' and '{after[0].label}'."
        )
    met = {id(cell) for pair in pairs for cell in pair}
    return pairs, tuple(cell.label for cell in (*before, *after) if id(cell) not in met)


class _PlayedPair(Pair):
    """A cell of both experiments: its games that ended in both. truncated: games before and after."""

    def __init__(self, base: Experiment, before: Cell, after: Cell) -> None:
        self.label, self.labels, self.seed = before.label, (before.label, after.label), base.seed
        self.matches = before.match(), after.match()
        for match in self.matches:
            match.compile()
            check_bots(match, self.seed)
        with ThreadPoolExecutor(2) as pool:  # compiled play lets other threads run
            sides = list(pool.map(lambda match: play_ended(match, self.seed, base.games), self.matches))
        self.truncated = base.games - sides[0].size, base.games - sides[1].size
        rows = ended_in_all(*sides)
        if rows[0].size < 2:
            ended = "one game" if rows[0].size else "no game"
            raise InputError(f"{self.label}: {ended} ended on both sides. A comparison takes two or more: -n")
        super().__init__(self.matches[0].game, *rows)


def _is_shown(pair: Pair, name: str) -> bool:
    """Whether a statistic varies, or is a win rate or the length."""
    figure = pair.figures[name]
    return figure.topic in ("win", "side", "category", "length") or not pair.is_constant(figure)


def _cell_diff(played: Sequence[_PlayedPair], level: float) -> CellDiff:
    """A cell, or several over the game indices that ended in every cell."""
    shared = reduce(np.intersect1d, [pair.index for pair in played])
    if shared.size < 2:
        raise InputError("fewer than two games ended in every cell. Play more games: -n")
    pairs = [pair.only(shared) for pair in played]
    names = [n for n in common_figures([pair.game for pair in pairs]) if any(_is_shown(pair, n) for pair in pairs)]
    if len(pairs) > 1:
        changes = [change for name in names if (change := pooled_change(name, pairs, level))]
    else:
        changes = pairs[0].changes([pairs[0].figures[name] for name in names], level)
    flips = sum((_flips(pair) for pair in pairs), Counter[tuple[str, str]]())
    before, after = (sum(one.truncated[side] for one in played) for side in (0, 1))
    labels = played[0].labels if len(played) == 1 else ("", "")
    return CellDiff(
        base=labels[0], tweak=labels[1], games=sum(pair.games for pair in pairs), changes=tuple(changes),
        truncated=(before, after), differ=share_of_games([pair.differ for pair in pairs], level),
        flipped=share_of_games([pair.flipped for pair in pairs], level),
        flips=tuple(Flip(before=a, after=b, games=games) for (a, b), games in flips.most_common()),
    )  # fmt: skip


def _sides(pair: Pair) -> list[str]:
    """Names of the statistics that are win rates of the sides, and of the roles."""
    joined = {seat for side in pair.game.sides if len(side.seats) > 1 for seat in side.seats}
    return [
        figure.short_name
        for figure in pair.figures.values()
        if figure.topic in ("side", "category") or (figure.topic == "win" and figure.about not in joined)
    ]


def _flips(pair: Pair) -> Counter[tuple[str, str]]:
    """How many games changed winner, by (winner before, winner after)."""
    codes = Counter(zip(*(side["winners"][pair.flipped].tolist() for side in (pair.before, pair.after)), strict=True))
    return Counter({(winners_text(pair.game, a), winners_text(pair.game, b)): n for (a, b), n in codes.items()})


def _settings(played: _PlayedPair) -> dict[str, tuple[str, str]]:
    """Changes of the tweak in a pair of cells: name -> (before, after)."""
    a, b = played.matches
    changed = {
        name: (show_value(a.knob_value(name)), show_value(b.knob_value(name)))
        for name in dict.fromkeys([*b.knobs_resolved, *a.knobs_resolved])
        if a.knob_value(name) != b.knob_value(name)
    }
    for one, other in zip(a.bots, b.bots, strict=True):
        if one.text != other.text:
            changed[one.seat] = (one.text, other.text)
    for table in a.table_rows:
        if a.table_rows[table] != b.table_rows[table]:
            before, after = (str(match.table_files.get(table, "as printed")) for match in (a, b))
            changed[table] = (before, after)
    return changed


# --- Where games diverge ----------------------------------------------------------


def _divergences(played: Sequence[_PlayedPair], look: int) -> list[Divergence]:
    """Where some flipped games diverge; if there are none, some games that differ."""
    flipped = [pair for pair in played if pair.flipped.any()]
    chosen = flipped or [pair for pair in played if pair.differ.any()]
    found = []
    for place, pair in enumerate(chosen):
        games = pair.index[pair.flipped if flipped else pair.differ]
        share = len(range(place, look, len(chosen)))
        picked = games[np.unique(np.linspace(0, games.size - 1, min(share, games.size)).astype(int))]
        found += [divergence(*pair.matches, pair.seed, int(game), pair.label) for game in picked]
    return found


def divergence(a: Match, b: Match, seed: int, game: int, label: str = "") -> Divergence:
    """Steps through a game in both settings up to the first decision that differs."""
    one, other = Stepper(a, seed, game), Stepper(b, seed, game)
    position_turn, position = -1, _position_differs(one, other)
    while (found := _choice_differs(one, other)) is None:
        if not position:
            position, position_turn = _position_differs(one, other), int(one.state.turn)
    kind, before, after = found
    return Divergence(
        cell=label, game=game, turn=-1 if kind == "none" else int(one.state.turn), seat="" if one.over else one.seat,
        decision="" if one.over else one.decision.name, kind=kind, base=before, tweak=after,
        position_turn=position_turn, position=position,
    )  # fmt: skip


def _choice_differs(one: Stepper, other: Stepper) -> tuple[Kind, str, str] | None:
    """How the next choices of two games differ; if they do not, both are taken."""
    if one.over or other.over:
        before, after = (
            "the game is over" if side.over else f"{side.seat}: {side.decision.name}" for side in (one, other)
        )
        return "none" if one.over and other.over else "end", before, after
    if (one.seat, one.decision.name) != (other.seat, other.decision.name):
        return "decision", f"{one.seat}: {one.decision.name}", f"{other.seat}: {other.decision.name}"
    first, second = one.policy_action(), other.policy_action()
    before, after = one.label(first), other.label(second)
    if before != after:  # the same choice may have another number, as a place in a hand
        return "choice" if one.legal() == other.legal() else "options", before, after
    one.apply(first)
    other.apply(second)
    return None


def _position_differs(one: Stepper, other: Stepper) -> tuple[str, ...]:
    """Differences between two positions."""
    if one.state.tobytes() == other.state.tobytes():
        return ()
    a, b = one.describe(), other.describe()
    return tuple(name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name))


def usual_divergence(divergences: Sequence[Divergence]) -> Divergence:
    """A divergence with the most common seat, decision and kind, and the most common choices of these."""
    sort, _ = Counter(one.sort for one in divergences).most_common(1)[0]
    alike = [one for one in divergences if one.sort == sort]
    choices, _ = Counter((one.base, one.tweak) for one in alike).most_common(1)[0]
    return next(one for one in alike if (one.base, one.tweak) == choices)


def _usual_share(diverging: Sequence[Divergence], level: float) -> Count:
    usual, games = usual_divergence(diverging), len(diverging)
    count = sum(one.sort == usual.sort for one in diverging)
    return Count(count=count, games=games, share=share_of(count, games, level, exact=True))


# --- Notable games ----------------------------------------------------------------


def _notable_games(played: Sequence[_PlayedPair], diverging: Sequence[Divergence]) -> Iterator[NotableGame]:
    """The most typical divergent game, the game that diverges last, and the game whose length changes most."""
    by_label = {pair.label: pair for pair in played}
    seen: set[tuple[str, int]] = set()

    def notable(why: str, label: str, game: int) -> NotableGame:
        seen.add((label, game))
        base, tweak, beside = _commands(by_label[label], game)
        return NotableGame(why=why, cell=label, game=game, base=base, tweak=tweak, beside=beside)

    if diverging:
        usual = usual_divergence(diverging)
        alike = [one for one in diverging if one.sort == usual.sort]
        middle = float(np.median([one.turn for one in alike]))
        typical = min(
            alike, key=lambda one: ((one.base, one.tweak) != (usual.base, usual.tweak), abs(one.turn - middle))
        )
        yield notable("typical: it diverges in the most common way", typical.cell, typical.game)

        def lateness(one: Divergence) -> float:
            pair = by_label[one.cell]
            return one.turn / max(int(pair.before["turns"][np.searchsorted(pair.index, one.game)]), 1)

        others = [one for one in diverging if (one.cell, one.game) not in seen]
        for late in sorted(others, key=lateness, reverse=True)[:1]:
            yield notable("late: both sides make the same choices longest", late.cell, late.game)
    swings = []
    for pair in played:
        at = np.flatnonzero(pair.flipped if pair.flipped.any() else pair.differ)
        if at.size:
            gap = np.abs(pair.after["turns"][at].astype(np.int64) - pair.before["turns"][at])
            swings += [(int(gap[i]), pair.label, int(pair.index[at[i]])) for i in np.argsort(-gap, kind="stable")[:3]]
    swings = [swing for swing in swings if swing[0] and swing[1:] not in seen]
    for turns, label, game in sorted(swings, key=lambda swing: -swing[0])[:1]:
        yield notable(f"largest effect: the length changes by {turns} {played[0].game.turn_name}s", label, game)


def _commands(played: _PlayedPair, game: int) -> tuple[str, str, str]:
    """Commands that replay a game: before, after, both side by side."""
    a, b = (match.replay_command(played.seed, game) for match in played.matches)
    options = []
    for name, (_, after) in _settings(played).items():
        if after == "as printed":
            return f"{a} --brief", f"{b} --brief", ""
        options += ["--beside", f"{name}={after}"]
    return f"{a} --brief", f"{b} --brief", f"{a} {shell.join(options)}" if options else ""
