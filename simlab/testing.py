"""The conformance kit: requirements for every game and every bot in the lab.

`check_game` and `check_policy` play random games and raise `ConformanceError` at the first breach, with seed, game and
decision. Use them in a game's or a bot's own tests; `simlab dev check-game` and `simlab dev check-bot` call them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from simlab.author.build import ClassBot
from simlab.author.same import compare, in_words, where_written
from simlab.bot_registry import find_bots
from simlab.bounds import CheckedGames
from simlab.engine.abreast import TwinDiffers
from simlab.engine.conduct import difference, fault_of_decision
from simlab.engine.match import Match
from simlab.engine.outcome import score_columns
from simlab.engine.setup import game_text
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, GameTruncated, RunFailed, StateMutationError
from simlab.game import Array, Game, KnobValue
from simlab.questions.conformance.words import NOTE
from simlab.twin import check_twin
from simlab.words import counted

__all__ = [
    "ConformanceError",
    "TwinDiffers",
    "check_game",
    "check_map",
    "check_policy",
    "check_rows",
    "check_twin",
]


_PART_OF_BOTS = 4  # one in so many of the games that are compared at random is compared with each bot as well
Stage = Callable[[str], None]  #: called with the next step of a check
Compiling = Callable[[str, int, int], None]


class ConformanceError(RunFailed):
    """A game or a bot breaks the contract."""

    exit_code = 1


def check_game(
    game: Game,
    *,
    games: int = 40,
    seed: int = 1,
    knobs: Mapping[str, KnobValue] | None = None,
    invariant: Callable[[Any], object] | None = None,
    bounds: bool = False,
    stage: Stage = lambda text: None,
    compiling: Compiling | None = None,
) -> list[str]:
    """Checks a game with random play.

    Args:
        games: number of games to step through (ten times as many are played in bulk).
        invariant: called with the state after every decision; raises or returns False if it does not hold.
        bounds: whether games are also played with every array index checked, in a separate process, which has to
            compile the game once more.
        stage: called with the next step of the check. compiling: as for Match.compile.
    Returns:
        The checks that passed, one sentence for each.
    Raises:
        ConformanceError: the first breach, with seed, game and decision.
    """
    match = Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random"))
    what = f"{10 * games} games with every array index checked, in a second process that compiles the rules again"
    stage("compiling the rules; stored for the next time")
    try:
        if not bounds:
            match.compile(compiling)
            return _check_game(match, games, seed, invariant, stage)
        with CheckedGames(game_text(game), match.knobs_set, seed, 10 * games) as checked:
            match.compile(compiling)  # while the other process plays
            stage(what)
            # Before the game is played in this process, where a wrong index may end it.
            fault = checked.fault(lambda: stage(f"{what}: still running"))
        if fault:
            raise ConformanceError(fault)
        done = _check_game(match, games, seed, invariant, stage)
    except GameTruncated:
        raise
    except BotFault as breach:  # random play takes legal actions only: a fault of the game
        raise ConformanceError(str(breach)) from breach
    return [*done, f"{10 * games} games played with every array index checked: none out of range"]


def check_metric(
    game: Game,
    *,
    games: int = 30,
    seed: int = 1,
    bots: Mapping[str, str] | None = None,
    knobs: Mapping[str, Any] | None = None,
    stage: Stage = lambda text: None,
    compiling: Compiling | None = None,
) -> list[str]:
    """Checks an author's own metrics (simlab.engine.custom_metrics) against plain Python.

    Args:
        game: a game with such metrics, as from load_game("simple_siege:metric=./mine.py"). bots: seat -> bot for every
            seat; random bots if None.
        stage, compiling: as for check_game.
    Returns:
        A sentence for each column.
    Raises:
        ConformanceError: a value differs.
        MetricFault: a metric raised, wrote to read-only data, or returned a value that a row cannot store.
    """
    match = Match(game, knobs=knobs, bots=bots or dict.fromkeys(game.seats, "random"))
    stage(f"{games} games, decision by decision, with the metric in plain Python")
    columns = [column.name for one in game.own for column in one.columns(game.seats)]
    # Before the compiled games, in which a wrong index may end the process.
    plain = [Stepper(match, seed, index).finish() for index in range(games)]
    stage("compiling; stored for the next time")
    match.compile(compiling)
    rows = match.play(seed, 0, games).rows
    for index, alone in enumerate(plain):
        for name in columns:
            if alone[name] != rows[name][index]:
                raise ConformanceError(
                    f"metric '{name}', game {index} of seed {seed}: {rows[name][index]} compiled, {alone[name]} in "
                    f"plain Python. The game: {match.replay_command(seed, index)}"
                )
    same = f"the same in plain Python in all {games} games"
    return [
        f"{name}: {rows[name].min()} to {rows[name].max()}, mean {rows[name].mean():.4g}; {same}" for name in columns
    ]


def _check_game(
    match: Match, games: int, seed: int, invariant: Callable[[Any], object] | None, stage: Stage
) -> list[str]:
    game = match.game
    stage(f"stepping through {games} games, decision by decision")
    for why in _faults_of_data(game):
        raise ConformanceError(f"{game.slug}: {why}.")
    kinds = counted(len(game.decisions), "kind of decision", "kinds of decision")
    done = [f"{counted(len(game.rules), 'rule')}, {counted(len(game.knobs), 'knob')} and {kinds} agree"]
    hidden = _HiddenInformation()
    # First, because its errors are more precise.
    stepped = [_walk(match, seed, index, invariant, hidden) for index in range(games)]
    hidden.check(game)
    done.append(f"{games} games stepped through: legal actions never empty, labelled and kept to; states bounded")
    if game.is_class:
        decisions = compare(match, seed, games, components=True)
        done.append(f"{decisions} decisions of {games} games are the same in plain Python")
        done += _compare_bots(match, games, seed, stage)
    stage(f"playing {10 * games} games in bulk, three times")
    bulk = match.play(seed, 0, 10 * games)
    _same(game, np.concatenate(stepped), bulk.rows[:games], "a stepped game and the same game in the batch")
    done.append("each stepped game is the same game as in the batch")
    done.append(check_rows(game, bulk.rows))
    if game.hex_map:
        done.append(check_map(game, bulk.tally.counts))
    again = match.play(seed, games, games)
    _same(game, bulk.rows[games : 2 * games], again.rows, "the same games in another batch")
    some = min(35, bulk.rows.size // 7 * 7)
    parts = np.concatenate([match.play(seed, first, 7).rows for first in range(0, some, 7)])
    _same(game, bulk.rows[:some], parts, "the same games in batches of seven")
    done.append("a game does not depend on the batch that it is played in")
    other = match.play(seed + 1, 0, 10 * games)
    names = [n for n in game.row_type.names or () if n != "game"]
    if 10 * games >= 100 and all(np.array_equal(bulk.rows[n], other.rows[n]) for n in names):
        raise ConformanceError(f"{game.slug}: another seed gives the same games; chance must come from `below`.")
    done.append("another seed gives other games")
    never = [rule.id for rule, count in zip(game.rules, bulk.tally.fired, strict=True) if count == 0]
    done.append(f"{len(game.rules) - len(never)} of {len(game.rules)} rules fired in {10 * games} random games")
    if never:
        done.append(
            f"{NOTE}these rules never fired: {', '.join(never)}. If random play should reach one of them, the game "
            f"does not carry it out{'' if game.is_class else ', or its code does not call count_rule'}"
        )
    return done


def _compare_bots(match: Match, games: int, seed: int, stage: Stage) -> list[str]:
    """Compares games of each bot of a game's class, in all seats that it can take, with plain Python: its choices, and
    rules that random play does not reach.
    """
    game, done = match.game, []
    games = -(-games // _PART_OF_BOTS)
    for name, bot in find_bots(game).items():
        if not isinstance(bot, ClassBot):
            continue
        stage(f"{games} games of {name}, compiled and in plain Python")
        seats = {seat: name if not bot.seats or seat in bot.seats else "random" for seat in game.seats}
        decisions = compare(match.with_bots(seats), seed, games, components=True, bots=True)
        played = counted(games, "game")
        done.append(f"{decisions} decisions of {played} of {name} are the same in plain Python")
    return done


def check_policy(
    game: Game,
    seat: str,
    bot: str,
    *,
    games: int = 30,
    seed: int = 1,
    opponents: str = "random",
    knobs: Mapping[str, KnobValue] | None = None,
    stage: Stage = lambda text: None,
    compiling: Compiling | None = None,
) -> list[str]:
    """Checks a bot in a seat: its actions are legal and repeatable, and it neither changes the state nor peeks.

    The bot must choose legal actions in every position, not only in those that it reaches itself, because a search may
    use it to play on from any position. The check therefore also uses random games, and games of the bot in which every
    third decision is random.

    Args:
        bot: as on the command line, `rusher:threshold=0.5` or `./my_bot.py:patient_miner`.
        opponents: the bot in the other seats.
        stage, compiling: as for check_game.
    Returns:
        The checks that passed, one sentence for each.
    Raises:
        ConformanceError: the first breach, with seed, game and decision.
        InputError: the bot does not exist, or it does not compile.
    """
    bots = {name: bot if name == seat else opponents for name in game.seats}
    match = Match(game, knobs=knobs, bots=bots)
    stage(f"{bot} as {seat}: compiling; stored for the next time")
    match.compile(compiling)
    stage(f"{bot} as {seat}: playing {10 * games} games")
    try:
        match.play(seed, 0, 10 * games)
    except GameTruncated:  # not the bot's fault
        raise
    except BotFault as fault:  # a fault of another seat's bot is not a breach of this bot
        if isinstance(fault, StateMutationError) or fault.seat == seat:
            raise ConformanceError(str(fault)) from fault
        raise
    done = [f"{10 * games} games played: every action legal"]
    if game.is_class:
        stage(f"{bot} as {seat}: {games} games, compiled and in plain Python")
        compared = compare(match, seed, games, bots=True)
        done.append(f"{compared} decisions of {games} games are the same in plain Python")
    stage(f"{bot} as {seat}: asking it again in {games} games, with redrawn secrets")
    number = game.seats.index(seat)
    asked = 0
    for index in range(games):
        for stepper in Stepper(match, seed, index).positions():
            if int(stepper.state.seat) == number:
                asked += 1
                if why := fault_of_decision(stepper, number):
                    where = f"{bot}, game {stepper.index} of seed {stepper.seed}, decision {stepper.decisions}"
                    raise ConformanceError(f"{where}: {why}")
    if not asked:
        raise ConformanceError(f"{bot} was never asked in {games} games: nothing was checked.")
    done.append(f"asked at {asked} decisions: the same position gives the same action")
    done.append("it changes nothing in the state but its own random stream")
    done.append("it does not peek: with all that its seat cannot see redrawn, it acts the same")
    stage(f"{bot} as {seat}: asking it in positions reached by other bots")
    strangers = Match(game, knobs=knobs, bots={name: "random" if name == seat else opponents for name in game.seats})
    kinds = Counter[str]()
    guest = Stepper(match)
    for index in range(games):
        for leaders in (strangers, match):
            for position in _played_with_errors(leaders, strangers, seed, index):
                if int(position.state.seat) == number:
                    _check_as_guest(guest, position, kinds)
    asked_for = ", ".join(f"{kind} {times}" for kind, times in kinds.items())
    done.append(f"legal in {sum(kinds.values())} positions reached by other bots as well: {asked_for}")
    return done


def _faults_of_data(game: Game) -> Iterator[str]:
    """Faults in the parts of the contract that can be checked without playing."""
    if len(game.seats) < 1 or len(set(game.seats)) != len(game.seats):
        yield "seats must be at least one, each name once"
    if not game.rules:
        yield "no docstring begins with a rule's ID, as 'R-1: text'" if game.is_class else "ledger.toml holds no rule"
    if int(game.state["fired"].shape[0]) != len(game.rules):
        yield "the state counts other rules than ledger.toml holds"
    known = {rule.id for rule in game.rules}
    for knob in game.knobs.values():
        yield from (f"knob {knob.name} names rule {r}, which the ledger lacks" for r in knob.rules if r not in known)
    for rule in game.rules:
        yield from (f"rule {rule.id} names knob {k}, which knobs.toml lacks" for k in rule.knobs if k not in game.knobs)


def _played_with_errors(leaders: Match, strangers: Match, seed: int, index: int) -> Iterator[Stepper]:
    """Positions of a game that the bots of `leaders` play, except for every third decision, which `strangers` make."""
    game, stranger = Stepper(leaders, seed, index), Stepper(strangers, seed, index)
    while not game.over:
        yield game
        if game.decisions % 3 == index % 3:
            stranger.move_to(game)
            action = stranger.policy_action()
            game.move_to(stranger)  # its bot's random stream has moved on
        else:
            action = game.policy_action()
        game.apply(action)


def _check_as_guest(guest: Stepper, position: Stepper, kinds: Counter[str]) -> None:
    """Asks a bot in a position reached by other bots, and counts the position by kind of decision."""
    guest.move_to(position)
    legal, decision = guest.legal(), guest.decision
    bot = guest.match.bots[int(position.state.seat)]
    where = (
        f"{bot.text}, put into game {position.index} of seed {position.seed} that other bots led, "
        f"decision {position.decisions} ({decision.id} {decision.name})"
    )
    try:
        action = guest.policy_action()
    except BotFault as fault:
        raise ConformanceError(f"{where}: {fault}") from fault
    if action not in legal:
        raise ConformanceError(
            f"{where}: action {action} is not legal. Legal: {legal}. "
            f"A bot has to be legal in every position, not only in those that it leads to."
        )
    kinds[decision.id] += 1


class _HiddenInformation:
    """The information that `describe` hides from the seat to act, by name, and whether two redraws by `determinize`
    ever differ in it.

    If a game forgets to redraw something, or always deals it in the same way, bots can peek at it or look ahead to a
    single deal. No check of a bot can detect that.
    """

    _ENOUGH = 20  # positions in which something was hidden

    def __init__(self) -> None:
        self._hidden = Counter[str]()
        self._values = defaultdict[str, set[str]](set)
        self._redrawn: set[str] = set()

    def look(
        self, whole: Mapping[str, object], seen: Mapping[str, object], redrawn: Callable[[int], Mapping[str, object]]
    ) -> None:
        """Records a position.

        Args:
            whole: the position as it is. seen: the position as the seat to act sees it. redrawn: returns the position
                after a redraw for that seat with other random numbers.
        """
        kept = {name: value for name, value in whole.items() if seen.get(name) != value}
        self._hidden.update(kept.keys())
        for name, value in kept.items():
            self._values[name].add(str(value))
        if not self._redrawn.issuperset(kept):
            one, other = redrawn(0), redrawn(1)
            self._redrawn.update(name for name in kept if one.get(name) != other.get(name))

    def check(self, game: Game) -> None:
        for name, positions in self._hidden.items():
            if positions >= self._ENOUGH and len(self._values[name]) > 1 and name not in self._redrawn:
                raise ConformanceError(
                    f"{game.slug}: describe hid '{name}' from the seat to act in {positions} positions, and "
                    "two redraws by determinize differ in it in none. A bot could look at it unnoticed, or look ahead "
                    "to a single deal. Redraw it there at random."
                )


def _walk(
    match: Match, seed: int, index: int, invariant: Callable[[Any], object] | None, hidden: _HiddenInformation
) -> Array:
    """Steps through a game, looks at every position, and returns its row, shape (1,)."""
    game: Any = match.game
    named = f"{game.slug}, game {index} of seed {seed}"
    last: Stepper | None = None
    for stepper in Stepper(match, seed, index).positions():
        try:
            faults = (f"{named}, decision {stepper.decisions}: {why}" for why in _faults_at(stepper, invariant, hidden))
            why = next(faults, "")
        except BotFault as fault:
            why = str(fault)
        if why:
            for kernel, own in _IN_CLASS.items() if game.is_class else ():
                why = why.replace(kernel, own)
            at = f"Written in {where_written(game, int(stepper.state.decision))}\n" if game.is_class else ""
            position = f"Position: {in_words(stepper.describe())}\nReplay it: {match.replay_command(seed, index)}"
            raise ConformanceError(f"{why}\n{at}{position}")
        last = stepper
    if last is None:
        raise ConformanceError(f"{named} is over before the first decision.")
    last.row()
    if why := match.fault_of_rows(last.rows)[1]:
        raise ConformanceError(f"{named}: {why}")
    return last.rows


#: Words of a breach -> those of a game class, whose author does not know the kernels.
_IN_CLASS = {
    "legal_actions offers nothing": "no option is legal",
    "legal_actions changes the state": "a may_ method changes the game",
    "determinize changes": "a redraw of what the seat cannot see changes",
    "describe returns nothing": "words() returns nothing",
    "track_values adds to its values. It must set each: they hold older ones": "score() changes the game",
}


def _faults_at(
    stepper: Stepper, invariant: Callable[[Any], object] | None, hidden: _HiddenInformation
) -> Iterator[str]:
    """The breaches of the contract in a position. BotFault: a function of the game fails."""
    before, seat = stepper.copy(), int(stepper.state.seat)
    legal = stepper.legal()
    if sorted(set(legal)) != legal:
        yield f"legal actions {legal} must be ascending, each once."
    if changed := difference(before.state, stepper.state):
        yield f"legal_actions changes the state, in `{changed}`."
    labels = stepper.labels(legal)
    if len(set(labels)) != len(labels) or not all(labels):
        yield f"actions need different labels: {labels}."
    whole, seen = stepper.describe(), stepper.describe(seat)
    if not whole or not seen:
        yield "describe returns nothing."
    if invariant is not None and invariant(stepper.state) is False:
        yield "the invariant does not hold."
    if stepper.tracks() != stepper.tracks():
        yield "track_values adds to its values. It must set each: they hold older ones."
    redrawn = stepper.copy()
    redrawn.redraw(seat)
    if redrawn.legal() != legal:
        yield "determinize changes what the seat may do."
    if redrawn.describe(seat) != seen:
        yield "determinize changes what the seat sees."

    def future(number: int, of: Stepper = stepper) -> Stepper:
        """The position after a redraw; the same number gives the same random draws."""
        twin = of.copy()
        twin.branch(number)
        twin.redraw(seat)
        return twin

    # Otherwise a bot that redraws, to look ahead, would learn about hidden information.
    if changed := difference(future(0).state, future(0, redrawn).state):
        yield (
            f"after determinize, `{changed}` still depends on the earlier hidden state. Sort hidden cards before it is "
            "shuffled, as simlab.engine.streams.redraw_order does."
        )
    hidden.look(whole, seen, lambda number: future(number).describe())


def check_rows(game: Game, rows: Array) -> str:
    """Checks the rows of finished games against the ranges and codes that the game states.

    Args:
        rows: structured array of Game.row_type.
    Returns:
        The check that passed, as a sentence.
    Raises:
        ConformanceError: a value is outside the stated range or codes; the message names game and metric.
    """
    seats = score_columns(rows, game.seats)
    for metric in game.measures.values():
        values = seats[metric.name] if metric.name in seats else rows[metric.name]
        for value in np.unique(values):
            if not metric.allows(value.item()):
                index = int(rows["game"][np.flatnonzero(values == value)[0]])
                where = "Game.score_range" if metric.name in seats else f"Metric({metric.name!r}, ..)"
                raise ConformanceError(
                    f"{game.slug}, game {index}: metric {metric.name} is {value}, but the game states "
                    f"{metric.range_text}. Change outcome(), or what {where} states."
                )
    stated = sum(metric.kind == "category" or None not in (metric.low, metric.high) for metric in game.metrics)
    if not game.metrics:
        return "no metrics are declared"
    return f"metrics that match their declarations: {len(game.metrics)}, of which {stated} with codes or a full range"


def check_map(game: Game, counts: Mapping[str, Array]) -> str:
    """Compares the map of hexes, and the counts on it, with the game's declaration.

    Args:
        counts: `hex_games` and `hex_sums` (simlab.engine.counts.hexes) of some games.
    Returns:
        The check that passed, as a sentence.
    Raises:
        ConformanceError: two hexes share a place or a number, a number is out of range, or a mark is neither 0 nor 1,
            or decreased; the message names game, hex or mark.
    """
    assert game.hex_map is not None
    hexes = game.hex_map.hexes(game.own_tables)
    places: dict[tuple[int, int], str] = {}
    numbers: dict[int, str] = {}
    for h in hexes:
        if not -1 <= h.number < game.n_hexes:
            raise ConformanceError(f"{game.slug}: hex {h.name} has number {h.number}, outside -1..{game.n_hexes - 1}.")
        if (h.q, h.r) in places or (h.number >= 0 and h.number in numbers):
            other = places.get((h.q, h.r)) or numbers[h.number]
            raise ConformanceError(f"{game.slug}: hexes {other} and {h.name} have one place or one number.")
        places[h.q, h.r] = numbers[h.number] = h.name
    games = counts["hex_games"].astype(np.int64)[:, None]
    for place, mark in enumerate(game.hex_marks):
        sums = counts["hex_sums"][:, place]
        if (sums < 0).any() or (not mark.happens and (sums > games).any()):
            wanted = "never falls" if mark.happens else "is 0 or 1"
            raise ConformanceError(
                f"{game.slug}: hex_values() must write numbers for mark {mark.name} of which each {wanted}."
            )
    return f"{len(hexes)} hexes on the map, each with a place of its own; {len(game.hex_marks)} marks in range"


def _same(game: Game, some: Array, others: Array, what: str) -> None:
    for name in game.row_type.names or ():
        wrong = np.flatnonzero((some[name] != others[name]).reshape(some.size, -1).any(axis=1))
        if wrong.size:
            one, other = some[wrong[0]], others[wrong[0]]
            raise ConformanceError(
                f"{game.slug}, game {one['game']}: {what} differ: {name} is {one[name]} and {other[name]}. "
                "Only the state, knobs, cards and `below` may decide."
            )
