"""Playtests of people compared with games of bots: do they agree, and which bots fit best? People play few games, so no
method here relies on large samples. Rates are compared by Fisher's exact test. Numbers are compared by how often
equally small samples of the bots' games are as far from the bots' mean. Both are adjusted for the number of comparisons
(Holm 1979). The fit is compared by the likelihood of the recorded data, with intervals over resampled playtests.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import numpy as np

from simlab.bot_registry import bots_for
from simlab.engine.outcome import score_columns, sides_of
from simlab.errors import InputError, nearest
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Estimate, bare, share_of
from simlab.registry import load_game
from simlab.spec.csv_file import Sheet, column_name, read_csv
from simlab.stats.figure import score_name
from simlab.stats.p_values import holm
from simlab.words import line_up

MOST_GAMES, MOST_LINE_UPS = 10_000, 400  #: of a file; line-ups of bots in all seats
RESAMPLED = 2_000  #: times that a playtest or a sample of bots' games is drawn
LENGTH_BINS = 6
BURNT = 500  #: first draws of a chain, which still depend on its start
SURE = 20.0  #: how many times as likely the games must be under the best of two line-ups, for the other to be worse
NOBODY = ("nobody", "none", "no one")
SHARED = ("tie", "tied", "draw", "drawn", "shared", "all", "both")
_MINUTES = re.compile(r"(?:(\d+)\s*(?:h|hrs?|hours?)\.?\s*)?(?:(\d+)\s*(?:m|mins?|minutes?)?\.?)?")  # "45" is a number


@dataclass(frozen=True)
class Playtests:
    """People's games from a file.

    Attributes:
        lines: line of the file of each game.
        columns: column -> its value in each game, (games,). An unknown value is -1, or nan in minutes and scores. A
            winner is stored as the bits of the seats that won, an ending as its index.
        players: name -> seats that they sat in, by game: (game, seat) pairs.
        left_out: number of players -> games of the file that are not compared, because bots play with another number.
        ignored: columns that are not read.
    """

    path: Path
    lines: list[int]
    columns: dict[str, Array]
    players: dict[str, list[tuple[int, int]]]
    left_out: dict[int, int]
    ignored: tuple[str, ...]

    @property
    def games(self) -> int:
        return len(self.lines)

    def known(self, column: str) -> Array:
        """Whether each game reports a column: bool (games,)."""
        values = self.columns[column]
        return ~np.isnan(values) if values.dtype.kind == "f" else values >= 0

    def reported(self, column: str) -> Array:
        """The values of a column in the games that report it."""
        return np.asarray(self.columns[column][self.known(column)])


# --- Reading ----------------------------------------------------------------------


def columns_of(game: Game) -> dict[str, str]:
    """The columns that a file may have, with their contents in an example."""
    columns = {"winner": game.seats[0], "ending": game.endings[0], "turns": f"{min(12, game.max_turns)}"}
    columns |= dict.fromkeys(_scores(game), "10")
    columns |= {f"player_{seat}": f"name {place}" for place, seat in enumerate(game.seats, 1)}
    return columns | {"minutes": "40", "note": "an example: write over it"}


def _scores(game: Game) -> list[str]:
    """The columns of scores, by seat; empty if the game has no scores."""
    return [score_name(seat) for seat in game.seats] if game.has_scores else []


def template(game: Game) -> str:
    """A file to fill in: the columns, and one game as an example."""
    out, columns = io.StringIO(), columns_of(game)
    csv.writer(out, lineterminator="\n").writerows([columns.keys(), columns.values()])
    return out.getvalue()


def read_playtests(path: Path, game: Game) -> Playtests:
    """The games of a CSV file at the game's number of players. Columns that the lab does not know are left out.

    Raises:
        InputError: the file is unreadable, has a mistyped column, no column to compare, an invalid cell, or no game at
            this number of players; the message names line and column.
    """
    sheet = read_csv(path, "a table of playtests", 5_000_000, gaps=True)
    template_of = f"`simlab analyze playtest {game.reference} --template`"
    if not sheet.head:
        raise InputError(f"{path}: is empty. {template_of} writes a file to fill in.")
    fewest, most = game.players if game.players[1] else (len(game.seats), len(game.seats))
    largest = game if most == len(game.seats) else load_game(game.reference, most)
    known = columns_of(largest) | ({"players": "2"} if fewest < most else {})
    names = {column_name(name): name for name in known}
    written: dict[str, str] = {}
    ignored = []
    for name in sheet.head:
        column = names.get(column_name(name), "")
        if column in written:
            raise InputError(f"{path}, line {sheet.line}: column '{column}' is there twice.")
        if column:
            written[column] = name
        else:
            _check_free(f"{path}, line {sheet.line}", name, known, sheet.head, template_of)
            ignored.append(name)
    compared = ["winner", "ending", "turns", *_scores(largest)]
    if not {*written} & {*compared}:
        raise InputError(
            f"{path}, line {sheet.line}: nothing to compare with the bots' games. Give one of: {', '.join(compared)}. "
            f"{template_of} prints the columns."
        )
    if not 1 <= len(sheet.rows) <= MOST_GAMES:
        raise InputError(f"{path}: {len(sheet.rows):,} games; a file of playtests has 1 to {MOST_GAMES:,}.")
    rows = [_Row(sheet, line, {column: cells[name] for column, name in written.items()}) for line, cells in sheet.rows]
    counts = [row.players(game, largest, fewest, most) for row in rows]
    games = [row for row, players in zip(rows, counts, strict=True) if players == len(game.seats)]
    others = Counter(players for players in counts if players != len(game.seats))
    if not games:
        first = min(others)
        raise InputError(
            f"{path}, line {rows[counts.index(first)].line}: a game of {first} players, and no game has "
            f"{len(game.seats)}. Compare it with --players {first}; a column `players` names the number."
        )
    for row, players in zip(rows, counts, strict=True):  # every cell is checked, also of games that are left out
        if players != len(game.seats):
            row.values(load_game(game.reference, players))
    columns = {name: np.full(len(games), -1 if name in compared[:3] else np.nan) for name in _numeric(game)}
    people: dict[str, tuple[str, list[tuple[int, int]]]] = {}
    for place, row in enumerate(games):
        for name, value in row.values(game).items():
            columns[name][place] = value
        for who, seat in row.people(game).items():
            people.setdefault(_same_person(who), (who, []))[1].append((place, seat))
    return Playtests(path, [row.line for row in games], columns, dict(people.values()), dict(others), tuple(ignored))


def _numeric(game: Game) -> tuple[str, ...]:
    """The columns that are read as numbers."""
    return ("winner", "ending", "turns", "minutes", *_scores(game))


def _check_free(at: str, name: str, known: Collection[str], head: Sequence[str], template_of: str) -> None:
    """Raises InputError for an unknown column that looks like a mistyped one, or like that of another kind of table."""
    short, heads = column_name(name), {column_name(other) for other in head}
    if heads & {"player", "seat", "name", "who"} and heads & {"won", "score", "points", "win", "result"}:
        raise InputError(f"{at}: column '{name}': write one row per game, not per player. {template_of} shows how.")
    if short.startswith(("score_", "player_")) or get_close_matches(short, known, cutoff=0.75):
        raise InputError(f"{at}: unknown column '{name}'. {nearest(short, known)}")


def _same_person(name: str) -> str:
    """Equal for spellings of a name that differ only in case and spaces."""
    return " ".join(name.casefold().split())


@dataclass(frozen=True)
class _Row:
    """A game of people as it is written: cells by column, of which some are blank."""

    sheet: Sheet
    line: int
    cells: dict[str, str]

    def where(self, name: str) -> str:
        return self.sheet.where(self.line, name)

    def players(self, game: Game, largest: Game, fewest: int, most: int) -> int:
        """The number of players: as written in the column `players`, or up to the last seat with a name or a score.

        A row without names and scores is taken for a game of the number of players that is compared.
        """
        if cell := self.cells.get("players", ""):
            return int(self.number("players", cell, fewest, most, True))
        own = {seat: (score_name(seat), f"player_{seat}") for seat in largest.seats}
        filled = [place for place, names in enumerate(own.values()) if any(self.cells.get(name) for name in names)]
        least, usual = max(filled, default=-1) + 1, len(game.seats)
        seats = {seat.lower(): place for place, seat in enumerate(largest.seats, 1)}
        least = max([least, *(seats.get(part.lower(), 0) for part in _parts(self.cells.get("winner", "")))])
        return least if least > usual or (filled and least >= fewest) else usual

    def people(self, game: Game) -> dict[str, int]:
        """Name -> seat."""
        names = {self.cells.get(f"player_{seat}", ""): place for place, seat in enumerate(game.seats)}
        return {name: place for name, place in names.items() if name}

    def values(self, game: Game) -> dict[str, float]:
        """The cells as numbers, without blank ones."""
        read: dict[str, Callable[[str], float]] = {
            "winner": lambda cell: self.winners(game, cell), "ending": lambda cell: self.ending(game, cell),
            "turns": lambda cell: self.number("turns", cell, 0, game.max_turns, True), "minutes": self.minutes,
        }  # fmt: skip
        for name in _scores(game):
            read[name] = partial(self.number, name, low=-1e9, high=1e9, whole=True)
        return {name: one(self.cells[name]) for name, one in read.items() if self.cells.get(name)}

    def ending(self, game: Game, cell: str) -> int:
        word = cell.lower().replace(" ", "_")
        endings = [ending.replace(" ", "_") for ending in game.endings]
        if word not in endings:
            raise InputError(f"{self.where('ending')}: '{cell}' is not an ending. {nearest(word, game.endings)}")
        return endings.index(word)

    def winners(self, game: Game, cell: str) -> int:
        """The seats that won, as bits: seats, sides or names of players, joined by `+`, `,`, `&` or `/`."""
        if cell.lower() in NOBODY:
            return 0
        people = {_same_person(name): 1 << place for name, place in self.people(game).items()}
        sides = {name.lower(): sum(1 << seat for seat in seats) for name, seats, _ in sides_of(game)}
        known = people | sides | {seat.lower(): 1 << place for place, seat in enumerate(game.seats)}
        if cell.lower() in known:
            return known[cell.lower()]
        if cell.lower() in SHARED:
            raise InputError(
                f"{self.where('winner')}: '{cell}' does not show who won. Write the seats that share the win, "
                f"{' + '.join(game.seats[:2])}, or {NOBODY[0]}."
            )
        bits = 0
        for part in _parts(cell):
            if _same_person(part) not in known:
                names = {*sides, *(seat.lower() for seat in game.seats), NOBODY[0]}
                raise InputError(
                    f"{self.where('winner')}: '{part}' is not a seat. {nearest(part.lower(), names)} A player's "
                    f"name is understood if the row has it in a column such as player_{game.seats[0]}."
                )
            bits |= known[_same_person(part)]
        return bits

    def minutes(self, cell: str) -> float:
        """Minutes: 65, 65 min or 1h05."""
        if re.fullmatch(r"\d+:\d\d(:\d\d)?", cell):
            raise InputError(f"{self.where('minutes')}: '{cell}' may be hours or minutes. Write minutes, such as 65.")
        timed = _MINUTES.fullmatch(cell.lower())
        if timed and re.search("[hm]", cell.lower()):
            return float(60 * int(timed[1] or 0) + int(timed[2] or 0))
        return self.number("minutes", cell, 0, 100_000, False)

    def number(self, name: str, cell: str, low: float, high: float, whole: bool) -> float:
        try:
            number = float(self.sheet.number(self.line, self.column(name), cell, whole))
        except ValueError:
            number = np.nan
        if not low <= number <= high or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            ends = f"{low:g}..{high:g}"
            raise InputError(f"{self.where(name)}: '{cell}' is not allowed. Write {kind} in {ends}, or leave it empty.")
        return number

    def column(self, name: str) -> str:
        """A column as the file writes it."""
        return next(written for written in self.sheet.head if column_name(written) == column_name(name))


def _parts(cell: str) -> list[str]:
    """The winners in a cell."""
    return [part for part in re.split(r"\s*[+&/;,]\s*|\s+and\s+", cell.strip()) if part]


# --- Bots' games ------------------------------------------------------------------


@dataclass(frozen=True)
class LineUp:
    """Bots in all seats, and their games."""

    bots: dict[str, str]
    rows: Array

    @property
    def name(self) -> str:
        kinds = set(self.bots.values())
        return kinds.pop() if len(kinds) == 1 else line_up(self.bots)


def line_ups(game: Game, bots: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """All combinations of the bots named for the seats. If none is named, all bots meet in games of one or two seats;
    in larger games each bot plays all seats that it can take.
    """
    lists = dict(bots)
    rest = lists.pop("*", [])
    for seat in lists:
        game.seat_number(seat, f"--bot {seat}=...: ")
    every = {seat: list(bots_for(game, seat)) for seat in game.seats}
    if len(game.seats) > 2 and not lists:
        named = list(dict.fromkeys(itertools.chain(*every.values()))) if rest in ([], ["*"]) else rest
        return [dict.fromkeys(game.seats, bot) for bot in named if all(bot in every[s] or rest for s in game.seats)]
    wanted = {seat: list(lists.get(seat, rest or ["*"])) for seat in game.seats}
    wanted = {seat: every[seat] if names == ["*"] else names for seat, names in wanted.items()}
    number = int(np.prod([len(names) for names in wanted.values()]))
    if number > MOST_LINE_UPS:
        raise InputError(f"{number:,} line-ups of bots are too many: name fewer, {MOST_LINE_UPS} at most in all.")
    return [dict(zip(game.seats, bots, strict=True)) for bots in itertools.product(*wanted.values())]


# --- Comparison -------------------------------------------------------------------


class Statistic(Part):
    """A statistic of people's games and of bots' games.

    Attributes:
        people: value in people's games; a rate has a 95 % interval. bots: value in bots' games; a number has the range
            that contains the mean of equally few bots' games in 95 of 100 cases.
        games: number of people's games that report it. p: probability of at least this difference if both kinds of
            games are alike; adjusted: the same probability, adjusted for all statistics.
    """

    words: str
    people: Number
    bots: Number
    games: int
    p: float
    adjusted: float = 1.0


class Fit(Part):
    """How well a line-up explains the people's games.

    Attributes:
        log_likelihood: natural logarithm of the likelihood. behind: how far it is below the best line-up's.
        weight: the probability that this line-up played all games, if one of the line-ups did and all were equally
            likely a priori.
        significantly_worse: the games are less likely under it by a factor of 20 times the number of other line-ups
            tried, and it is also behind the best in 97.5 % of resampled playtests, adjusted for all other line-ups
            (Bonferroni) and with the noise of the finite number of bots' games.
        share_of_mix: its share of the games, if each game was played by one of the line-ups.
    """

    name: str
    bots: dict[str, str]
    log_likelihood: float
    behind: float
    weight: float
    significantly_worse: bool
    share_of_mix: Rate
    statistics: tuple[Statistic, ...]


class Person(Part):
    """A person's games with a known winner. won: share of these games that the person won."""

    name: str
    games: int
    wins: int
    won: Rate


class Minutes(Part):
    """How long games took. per_turn: None if no game has both its minutes and its turns."""

    mean: float
    shortest: float
    longest: float
    per_turn: float | None


class LeftOut(Part):
    """Games of a file that are not compared, because they have another number of players."""

    players: int
    games: int


class PlaytestAnswer(Answer, form="playtest", version=2, source="simlab analyze playtest GAME"):
    """People's games compared with bots' games.

    Attributes:
        games: number of people's games with this number of players. left_out: games with other numbers, the fewest
            players first. ignored: columns of the file that are not read.
        bot_games: number of games of each line-up. fitted_to: parts of the likelihood. line_ups: the best fit first.
    """

    game: str
    file: str
    players: int
    games: int
    left_out: tuple[LeftOut, ...]
    ignored: tuple[str, ...]
    bot_games: int
    fitted_to: tuple[str, ...]
    line_ups: tuple[Fit, ...]
    people: tuple[Person, ...]
    minutes: Minutes | None


def compare(data: Playtests, game: Game, played: Sequence[LineUp], seed: int = 1) -> PlaytestAnswer:
    """Compares people's games with those of each line-up.

    Args:
        played: line-ups with equal numbers of games.
        seed: seed of the resampling; the same seed gives the same answer.
    """
    luck = np.random.default_rng([seed, 0x91A7])
    likelihoods, errors, explains = _likelihoods(data, played)
    total = likelihoods.sum(axis=1)
    picks = luck.integers(0, data.games, (RESAMPLED, data.games))
    counts = np.stack([np.bincount(pick, minlength=data.games) for pick in picks])
    again = counts @ likelihoods.T + errors * luck.standard_normal((RESAMPLED, len(played)))
    first = int(total.argmax())
    lost = total[first] - total
    weights = np.exp(-lost) / np.exp(-lost).sum()
    # The best of k line-ups is compared with each of the others.
    behind = np.quantile(again[:, [first]] - again, 0.025 / max(len(played) - 1, 1), axis=0)
    mix, low, high = _mix(likelihoods, luck)
    # Of many wrong line-ups one fits by luck: each of them does so 20 times better in 5 of 100 playtests at most.
    sure = np.log(SURE * max(len(played) - 1, 1))
    fits = [
        Fit(
            name=one.name, bots=one.bots, log_likelihood=float(total[i]), behind=float(lost[i]),
            weight=float(weights[i]), significantly_worse=bool(behind[i] > 0 and lost[i] > sure),
            share_of_mix=Estimate(float(mix[i]), float(low[i]), float(high[i])),
            statistics=_statistics(data, game, one.rows, luck),
        )
        for i, one in enumerate(played)
    ]  # fmt: skip
    fits.sort(key=lambda fit: -fit.log_likelihood)
    return PlaytestAnswer(
        game=game.slug, file=str(data.path), players=len(game.seats), games=data.games,
        left_out=tuple(LeftOut(players=players, games=n) for players, n in sorted(data.left_out.items())),
        ignored=data.ignored, bot_games=int(played[0].rows.size), fitted_to=explains,
        line_ups=tuple(fits), people=tuple(_people(data)), minutes=_minutes(data),
    )  # fmt: skip


def _likelihoods(data: Playtests, played: Sequence[LineUp]) -> tuple[Array, Array, tuple[str, ...]]:
    """Log-likelihood of each game under each line-up, (line-ups, games); the standard error of each line-up's sum from
    the finite number of bots' games; and the parts of the likelihood.

    A game is its winners, its ending and its length in a few bands, if they were recorded; half a game is added to each
    distinct case (Jeffreys), so no case is impossible.
    """
    rows = np.concatenate([one.rows for one in played])
    parts = {"winner": "winner", "ending": "ending", "length": "turns"}
    known = {part: data.known(column) for part, column in parts.items()}
    explains = tuple(name for name, there in known.items() if there.any())
    cuts = np.unique(np.quantile(rows["turns"], np.linspace(0, 1, LENGTH_BINS + 1)[1:-1]))

    def coded(winners: Array, endings: Array, turns: Array) -> dict[str, Array]:
        return {"winner": winners, "ending": endings, "length": np.searchsorted(cuts, turns, side="left")}

    own = coded(*(data.columns[column] for column in parts.values()))
    bots = [coded(one.rows["winners"], one.rows["ending"], one.rows["turns"]) for one in played]
    logs, spread = np.zeros((len(played), data.games)), np.zeros(len(played))
    patterns: dict[tuple[str, ...], list[int]] = {}
    for place in range(data.games):
        patterns.setdefault(tuple(name for name in explains if known[name][place]), []).append(place)
    for names, places in patterns.items():
        if not names:
            continue
        theirs = [list(zip(*(b[name].tolist() for name in names), strict=True)) for b in bots]
        wanted = list(zip(*(own[name][places].tolist() for name in names), strict=True))
        cases = {case: i for i, case in enumerate(dict.fromkeys([*itertools.chain(*theirs), *wanted]))}
        for i, games in enumerate(theirs):
            times = np.bincount([cases[case] for case in games], minlength=len(cases)) + 0.5
            which = [cases[case] for case in wanted]
            logs[i, places] = np.log(times / times.sum())[which]
            met = np.bincount(which, minlength=len(cases))
            spread[i] += (met**2 / times).sum() - len(places) ** 2 / times.sum()
    return logs, np.sqrt(spread), explains


def _mix(likelihoods: Array, luck: np.random.Generator) -> tuple[Array, Array, Array]:
    """Shares of the line-ups in a mix from which one is drawn for each game: mean and 95 % range, with a uniform prior.

    Gibbs sampling: each game's line-up given the shares, then the shares given how many games each line-up has.
    """
    chances = np.exp(likelihoods - likelihoods.max(axis=0))
    mix, drawn = np.full(len(chances), 1 / len(chances)), []
    for turn in range(BURNT + RESAMPLED):
        ends = np.cumsum(mix[:, None] * chances, axis=0)
        who = (luck.random(ends.shape[1]) * ends[-1] > ends).sum(axis=0)
        mix = luck.dirichlet(1 + np.bincount(who, minlength=len(chances)))
        if turn >= BURNT:
            drawn.append(mix)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return np.mean(drawn, axis=0), low, high


def _statistics(data: Playtests, game: Game, rows: Array, luck: np.random.Generator) -> tuple[Statistic, ...]:
    rates: list[tuple[str, Array, Array]] = []
    winners = data.reported("winner")
    sides = sides_of(game)
    alone = len(sides) == 2 and not np.isin(winners, (0, 3)).any() and not np.isin(rows["winners"], (0, 3)).any()
    for name, seats, wins in sides[:1] if alone else sides:  # if one of two always wins, one rate is enough
        mask = sum(1 << seat for seat in seats)
        rates.append((f"{name} {wins}", (winners & mask) > 0, (rows["winners"].astype(np.int64) & mask) > 0))
    ended = data.reported("ending")
    for place, ending in enumerate(game.endings[: {1: 0, 2: 1}.get(len(game.endings))]):
        rates.append((f"ends by {ending}", ended == place, rows["ending"] == place))
    found = [_rate(*one) for one in rates if one[1].size]
    numbers = {"turns": (f"{game.turn_name}s", rows["turns"])}
    for column, scores in score_columns(rows, game.seats).items() if game.has_scores else ():
        numbers[column] = column.replace("_", " of ", 1), scores
    for column, (words, bots) in numbers.items():
        if (own := data.reported(column)).size:
            found.append(_mean(words, own, bots, luck))
    adjusted = holm([one.p for one in found])
    return tuple(one.model_copy(update={"adjusted": float(p)}) for one, p in zip(found, adjusted, strict=True))


def _rate(words: str, people: Array, bots: Array) -> Statistic:
    """Compares two shares by Fisher's exact test; the people's share has Wilson's interval."""
    from scipy.stats import fisher_exact

    table = [[int(side.sum()), int((~side).sum())] for side in (people, bots)]
    return Statistic(
        words=words, people=share_of(table[0][0], people.size), bots=bare(float(bots.mean()), True),
        games=people.size, p=float(fisher_exact(table)[1]),
    )  # fmt: skip


def _mean(words: str, people: Array, bots: Array, luck: np.random.Generator) -> Statistic:
    """Compares two means by how often two such samples of bots' games differ at least as much as these two."""
    mean = float(np.mean(bots))
    size = int(people.size)
    sums = np.zeros(RESAMPLED)
    for _ in range(size):
        sums += luck.choice(bots, RESAMPLED)
    drawn = sums / size
    values, times = np.unique(bots, return_counts=True)
    own = luck.multinomial(bots.size, times / bots.size, RESAMPLED) @ values / bots.size  # their mean varies too
    off = abs(float(np.mean(people)) - mean)
    p = (1 + int((np.abs(drawn - own) >= off - 1e-12).sum())) / (1 + RESAMPLED)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Statistic(
        words=words, people=bare(float(np.mean(people))), bots=Estimate(mean, float(low), float(high), rate=False),
        games=size, p=p,
    )  # fmt: skip


def _people(data: Playtests) -> list[Person]:
    people = []
    for name, seats in data.players.items():
        winners = data.columns["winner"].tolist()
        wins = [bool(winners[game] >> seat & 1) for game, seat in seats if winners[game] >= 0]
        if wins:
            people.append(Person(name=name, games=len(wins), wins=sum(wins), won=share_of(sum(wins), len(wins))))
    return sorted(people, key=lambda one: -one.games)


def _minutes(data: Playtests) -> Minutes | None:
    known, turns = data.reported("minutes"), data.columns["turns"]
    if not known.size:
        return None
    timed = (turns > 0) & data.known("minutes")
    per_turn = float(data.columns["minutes"][timed].sum() / turns[timed].sum()) if timed.any() else None
    return Minutes(mean=float(known.mean()), shortest=float(known.min()), longest=float(known.max()), per_turn=per_turn)
