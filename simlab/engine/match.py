"""A match: a game with its knobs, cards and bots, played in bulk."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from simlab import compiler
from simlab.author.chance import warm_up
from simlab.author.same import compare_some, place_of_fault
from simlab.bot_registry import Bot
from simlab.engine import custom_metrics, deadline, loop
from simlab.engine.counts import layout
from simlab.engine.entry_points import guard, records, scratch_of, view
from simlab.engine.explain import place_of_field, raised
from simlab.engine.outcome import NOBODY, SHARED, all_won, score_columns
from simlab.engine.setup import Setup
from simlab.engine.stepper import Stepper, fault_of_offer, fault_of_turn, legal_of, too_long
from simlab.engine.tally import Tally
from simlab.errors import BotFault, GameTruncated, InputError, MetricFault, RangeFault, StateMutationError
from simlab.game import Array, Game, State

F = TypeVar("F", bound=BotFault)

_SEARCHED_GAMES = 2_000  # games stepped through to find who wrote to knobs, cards or traits
_FIRST_CALL = threading.Lock()  # Numba registers types on a first call, which is not safe in two threads
_SLICE_SECONDS = 0.25  # target duration of one call of the compiled loop: the delay of Ctrl-C


@dataclass
class Batch:
    """Played games: rows (structured array of Game.row_type) and their tally."""

    rows: Array
    tally: Tally

    @classmethod
    def joined(cls, game: Game, batches: Sequence[Batch]) -> Batch:
        """Batches of a game as one, in their order."""
        rows = np.concatenate([np.zeros(0, game.row_type), *(np.asarray(batch.rows) for batch in batches)])
        return cls(rows, sum((batch.tally for batch in batches), Tally.empty(game)))


class PlayLoop:
    """The compiled play loop of a match (simlab.engine.loop) with its arrays, which cost far more to make than a call.

    Attributes:
        work: record of the game being played, shape (1,). words: its memory as uint32. kept: a copy of that memory from
            before the bot's choice. counts, scratch: records of simlab.engine.counts, shape (1,).
    """

    def __init__(self, setup: Setup, counting: bool = True) -> None:
        game, compiled = setup.game, setup.compiled
        self._own, self._compiled, self._state = game.own, compiled, game.state
        self._deals = game.reshuffle is not None
        self._play, policies = compiled.play(counting)
        self.work = records(1, game.state)
        self.words = self.work.view(np.ndarray).view(np.uint32)
        self.kept = np.zeros_like(self.words)
        traits = view(setup.traits.view(compiled.traits_type).reshape(-1))
        self._rules = view(setup.knobs), view(setup.cards), policies, traits
        self.counts, self.scratch = records(1, layout(game).type), records(1, scratch_of(game))
        custom_metrics.begin(self._own, self.scratch)

    def clear(self) -> None:
        """Clears the working memory of the statistics after a game that was abandoned."""
        self.scratch.view(np.uint8)[:] = 0
        custom_metrics.begin(self._own, self.scratch)

    def __call__(
        self, what: int, blank: Array, first: int, rows: Array, marks: Array, positions: Array | None = None
    ) -> int:
        """Plays games first, first + 1, ..., one per row; returns a status of simlab.engine.loop.

        Args:
            what, blank, marks: as `what`, `blank`, `progress` of `play_games`. FUTURES of a game that stores what no
                seat has seen, such as the order of a deck, have it drawn again, each for itself. DEALT: `blank` is a
                blank state, and games have their luck of the set-up apart from that of play (loop.deal).
            positions: uint32, room for the positions, as `kept` of `keep_positions`; None: they are not kept.
        """
        if what == loop.DEALT or (what == loop.FUTURES and self._deals):
            marks[0] = first  # for the explanation of a fault
            dealt = records(len(rows), self._state)
            of = loop.GAMES if what == loop.DEALT else what
            self._compiled.deal(dealt, blank, *self._rules[:2], of, first)
            what, blank = loop.DEALT, dealt
        kept, keep = (self.kept, loop.guard) if positions is None else (positions, loop.keep_positions)
        return int(
            self._play(
                self.work, self.words, kept, guard(keep), blank, *self._rules, first, len(rows), what, rows, marks,
                self.counts, self.scratch,
            )
        )  # fmt: skip


class Match(Setup):
    """A game with knobs, cards and bots, as `Setup` takes them, whose games are played in bulk."""

    def play(
        self,
        seed: int,
        first: int,
        count: int,
        progress: Array | None = None,
        counting: bool = True,
        each_slice: Callable[[int], None] | None = None,
        start: State | None = None,
        epochs: Mapping[str, int] | None = None,
        apart: bool = False,
    ) -> Batch:
        """Plays games first .. first+count-1; other threads run meanwhile.

        Args:
            seed: the experiment's seed, 0..2^63-1.
            progress: int64 (4,), may be a memory map; filled: index of the game being played, 0, the place in the game
                (decoded by `whereabouts`), games done.
            counting: False leaves rules, actions and tracks uncounted (for the benchmark).
            each_slice: called with the number of games done, several times per second.
            start: a position of a game (Stepper.state); its futures first .. first+count-1 are played instead, each
                with new random draws from this position on, and a new order of the decks that nobody has seen. The
                tally then counts only events after the position, but rules from the start of the game.
            epochs: stream -> number in 1..2^24-1: such a stream draws different numbers, and all others stay the same.
                Streams are the game's own, and `bot_<seat>`.
            apart: whether the streams of chance change after the set-up, and what nobody has seen yet is drawn again
                then, such as the order of a deck. `epochs` of the game's own streams then hold for the set-up, and that
                of IN_PLAY for all that chance decides afterwards. The games differ from those of ordinary play, and
                have the same distribution.
        Raises:
            BotFault: a bot raised or returned an illegal action; GameTruncated: a game hit its cap; StateMutationError:
                a bot changed read-only data.
        """
        if first < 0 or count < 0 or first + count >= 1 << 63:
            raise InputError(f"games {first}..{first + count}: a game's index is in 0..2^63-1.")
        game = self.game
        self.compile()
        if progress is None and not self._proved:  # the shards of a run are compared by their worker
            self.compare_with_python(seed, first, count)
        play = PlayLoop(self, counting)
        sums = Tally.empty(game)
        rows, blank = records(count, game.row_type), view(self.beginning(seed, start, epochs or {}))
        rules = self._rules_in_memory()
        marks = np.zeros(4, np.int64) if progress is None else progress
        marks[:] = (first, 0, 0, 0)
        # A run watches its own games by `progress`: it leaves out a game that hangs, and continues.
        call = contextlib.nullcontext() if progress is not None else self.watched(seed, marks)
        done, step = 0, min(count, 512)
        what = loop.DEALT if apart else loop.GAMES if start is None else loop.FUTURES
        with _FIRST_CALL:
            play(what, blank, first, rows[:0], marks)
        while done < count:
            step = min(step, count - done)
            began = time.perf_counter()
            fault: Exception | None = None
            status = loop.FINE
            try:
                with call, compiler.strict():
                    status = play(what, blank, first + done, rows[done : done + step], marks)
            except Exception as error:  # noqa: BLE001 - of a bot or of the game: reported with game, seat and seed
                fault = error
            if self._rules_in_memory() != rules:
                raise self._rules_written(seed, first + done, int(marks[0]), rules)
            if game.own and (fault is not None or status == loop.WRITTEN):
                self._raise_metric(seed, int(marks[0]), fault)
            if status == loop.CHANGED:
                raise self._state_written(seed, int(marks[0]), play.kept.view(game.state)[0], play.work[0])
            if fault is not None or status != loop.FINE:
                raise self._fault(seed, marks, status, play.work[0], fault, start is not None) from fault
            done += step
            for name, total in sums.counts.items():
                np.add(total, play.counts[name][0], out=total)
            play.counts.view(np.uint8)[:] = 0
            if each_slice:
                each_slice(done)
            step = max(1, min(4 * step, int(step * _SLICE_SECONDS / max(time.perf_counter() - began, 1e-6))))
        self._check_winners(seed, rows)
        sums.add_rows(game, rows)
        return Batch(rows, sums)

    def prepare_comparison(self) -> None:
        """Compiles the code with which the games of a class are compared with plain Python."""
        if self.game.is_class:
            warm_up()
            _ = self.compiled.step, self.compiled.players
            if self.knobs["ban_any"][0]:
                _ = self.compiled.overruled

    def compare_with_python(
        self, seed: int, first: int, count: int, skip: Collection[int] = (), marks: Array | None = None,
        limit: float = 0.0,
    ) -> None:  # fmt: skip
        """Compares some of the games first .. first+count-1 of a game that is a class with its plain Python, before
        they are played in bulk (simlab.author.same.compare_some).

        Args:
            skip: games that are left out. marks: as `progress` of `play`, kept up to date. limit: seconds after which a
                rule in plain Python that does not return is an error; 0: no limit.
        Raises:
            InputError: a rule or a bot plays differently when it is compiled, or a rule raises an exception.
        """
        self._proved = True
        if self.game.is_class:
            with contextlib.suppress(MetricFault):  # bulk play reports it, with the game that shows it
                compare_some(self, seed, first, count, skip, marks, limit)

    def watched(self, seed: int, marks: Array) -> deadline.Call:
        """A call of the play loop, for the watchdog of hanging calls (simlab.engine.deadline)."""
        return deadline.Call(lambda: self._at_work(seed, marks), marks.tobytes)

    def _at_work(self, seed: int, marks: Array) -> tuple[str, str]:
        where, place = f"game {int(marks[0])} of seed {seed}", whereabouts(int(marks[2]))
        if place is None:
            return f"the set-up of {self.game.slug}", where
        decisions, seat, asked = place
        bot = self.bots[seat]
        who = f"bot '{bot.text}' ({bot.seat})" if asked else f"{self.game.slug}'s rules"
        return who, f"{where}, decision {decisions + 1}"

    def _raise_metric(self, seed: int, index: int, fault: Exception | None) -> None:
        """Plays a game again with the metrics in plain Python, and raises the metric's fault; does nothing if the fault
        is the game's or a bot's. fault: what was raised; None: a metric wrote to the state.
        """
        with contextlib.suppress(BotFault):
            Stepper(self, seed, index).finish()
            where, again = f"game {index} of seed {seed}", self.replay_command(seed, index)
            raise custom_metrics.unexplained(self.game.own, fault, where, again) from fault

    def _check_winners(self, seed: int, rows: Array) -> None:
        """Rejects rows that contradict themselves: BotFault with the game and the line of `outcome`."""
        index, why = self.fault_of_rows(rows)
        if why:
            raise self._broken(BotFault, f"{self.game.slug}, game {index} of seed {seed}: {why}", seed, index)
        index, why = self.fault_of_ranges(rows)
        if why:
            raise self._broken(RangeFault, f"{self.game.path}, game {index} of seed {seed}: {why}", seed, index)

    def fault_of_ranges(self, rows: Array) -> tuple[int, str]:
        """The first game with a value outside its declared range, and a sentence on it; (-1, "") if there is none."""
        scores = score_columns(rows, self.game.seats) if self.game.has_scores else {}
        for metric in self.game.measures.values():
            column = scores[metric.name] if metric.name in scores else rows[metric.name]
            outside = np.zeros(column.shape, bool)
            if metric.codes:
                outside = ~np.isin(column, list(metric.codes))
            elif not metric.decimals:
                outside |= metric.low is not None and column < metric.low
                outside |= metric.high is not None and column > metric.high
                outside &= metric.never is None or column != metric.never
            if outside.any():
                place = int(np.flatnonzero(outside)[0])
                declared = "score" if metric.name in scores else metric.name
                return int(rows["game"][place]), (
                    f"{metric.name} is {column[place]}, but the game declares {metric.range_text} for {declared}, on "
                    "which its intervals depend. Declare a range that holds, or change the rule."
                )
        return -1, ""

    def fault_of_rows(self, rows: Array) -> tuple[int, str]:
        """The first game with an impossible row, and a sentence that explains why; (-1, "") if there is none."""
        game, seats, endings = self.game, len(self.game.seats), len(self.game.endings)
        won = all_won(rows, seats)
        lone = np.where(won.sum(axis=1) > 1, SHARED, np.where(won.any(axis=1), won.argmax(axis=1), NOBODY))
        wrong = {
            "ending": (rows["ending"] < 0) | (rows["ending"] >= endings),
            "turns": rows["turns"] < 0,
            "winner": (rows["winner"] < SHARED) | (rows["winner"] >= seats),
            "winners": (rows["winner"] != lone) | (rows["winners"] >= 1 << seats),
        }
        beyond = np.array([[len(category.values)] for category in game.seat_categories])
        if beyond.size:
            wrong["category"] = ((rows["category"] < 0) | (rows["category"] >= beyond)).any(axis=(1, 2))
        field = next((field for field, some in wrong.items() if some.any()), "")
        if not field:
            return -1, ""
        row = rows[np.flatnonzero(wrong[field])[0]]
        why = f"{field} = {row[field]}"
        if field == "ending":
            why += f", but endings are numbered 0..{endings - 1}"
        elif field == "winner":
            why += f", but seats are numbered 0..{seats - 1}; {NOBODY} if nobody wins, {SHARED} if several do"
        elif field == "winners":
            why = f"winner = {row['winner']} and winners = {int(row['winners']):#b}. `winners` has a bit for each seat "
            why += f"that wins, of 0..{seats - 1}; `winner` is the only one, {SHARED} if several win, {NOBODY} if none "
            why += "does"
        elif field == "category":
            place, seat = np.argwhere((row["category"] < 0) | (row["category"] >= beyond))[0]
            category = game.seat_categories[place]
            why = f"category[{place}, {seat}] = {row['category'][place, seat]}, and the values of "
            why += f"'{category.name}' are numbered 0..{len(category.values) - 1}"
        at = place_of_field(game.outcome, "row", field)
        return int(row["game"]), f"outcome ({at}) writes a row that cannot be: {why}."

    def _rules_in_memory(self) -> tuple[bytes, bytes, bytes]:
        """Knobs, cards and traits, which must not change while games are played."""
        return self.knobs.tobytes(), self.cards.tobytes(), self.traits.tobytes()

    def _written(self, rules: tuple[bytes, bytes, bytes]) -> str:
        """Changes of knobs, cards and traits, in words; the original values are restored."""
        written = ""
        arrays = {"its traits": self.traits, "the cards": self.cards, "the knobs": self.knobs}
        for (name, array), data in zip(arrays.items(), reversed(rules), strict=True):
            if array.tobytes() != data:
                written = name
                array.view(np.ndarray).view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)
        return written

    def _rules_written(self, seed: int, first: int, last: int, rules: tuple[bytes, bytes, bytes]) -> StateMutationError:
        """The fault of the bot that wrote to knobs, cards or traits in one of these games; the values are restored."""
        what = self._written(rules)
        for index in range(first, min(last + 1, first + _SEARCHED_GAMES)):
            stepper = Stepper(self, seed, index)
            while not stepper.over and stepper.decisions < self.game.max_decisions:
                position = stepper.copy().state
                try:
                    stepper.apply(stepper.policy_action())
                except MetricFault:
                    raise
                except Exception:  # noqa: BLE001 - the write is reported first
                    position = stepper.copy().state
                if self._rules_in_memory() != rules:
                    why = f"changed {self._written(rules)}, which it may only read"
                    return self._tampering(seed, index, position, why)
        why = f"a bot or the game changed {what}, which it may only read"
        return StateMutationError(
            f"{why} (games {first} to {last} of seed {seed}). None of its statistics is valid.",
            game=self.game.slug, index=first, seed=seed,
        )  # fmt: skip

    def _state_written(self, seed: int, index: int, before: State, after: State) -> StateMutationError:
        fields = [name for name in self.game.state.names or () if not np.array_equal(before[name], after[name])]
        named = "; ".join(_change(name, before[name], after[name]) for name in fields[:4])
        return self._tampering(seed, index, before, f"changed the state, which it may only read: {named}")

    def _tampering(self, seed: int, index: int, position: State, why: str) -> StateMutationError:
        bot = self.bots[int(position["seat"])]
        why = f"bot '{bot.text}' {why} ({self._where(seed, index, position)}). None of its statistics is valid."
        return self._broken(StateMutationError, why, seed, index, bot)

    def _broken(
        self, kind: type[F], why: str, seed: int, index: int, bot: Bot | None = None, action: int | None = None
    ) -> F:
        """The fault of a game, with the command that replays it."""
        of_bot = {"seat": bot.seat, "bot": bot.text} if bot else {}
        text = f"{why}\nReplay it: {self.replay_command(seed, index)}"
        return kind(text, game=self.game.slug, index=index, seed=seed, action=action, **of_bot)

    def _where(self, seed: int, index: int, state: State) -> str:
        decision = self.game.decisions[int(state["decision"])]
        seat = self.bots[int(state["seat"])].seat
        return f"game {index} of seed {seed}, turn {int(state['turn'])}, {seat}, {decision.id} {decision.name}"

    def _fault(
        self, seed: int, marks: Array, status: int, state: State, fault: Exception | None, future: bool
    ) -> BotFault:
        game, index, action = self.game, int(marks[0]), int(marks[1])
        turn = fault_of_turn(game, state)
        if status == loop.OUTSIDE or turn:  # the game asks a seat, or offers actions, out of its bounds
            why = turn or fault_of_offer(game, legal_of(state), int(state["n_legal"]))
            where = f"{game.slug}, game {index} of seed {seed}, turn {int(state['turn'])}"
            return self._broken(BotFault, f"{where}: {why}", seed, index)
        bot = self.bots[int(state["seat"])]
        taken, hint = None, ""
        if fault is not None:
            why = f"{self._at_work(seed, marks)[0]} {raised(fault)}"
            hint = " With NUMBA_DISABLE_JIT=1 the message names the line." if compiler.compiling() else ""
            place = place_of_fault(self, seed, index) if game.is_class and not future else ""
            if place:
                why, hint = place, ""
        elif status == loop.ILLEGAL:
            taken = action
            legal = ", ".join(str(a) for a in state["legal"][: int(state["n_legal"])])
            why = f"bot '{bot.text}' returned action {action}, which is not legal. Legal: {legal}"
        elif status == loop.STUCK:
            why = f"{game.slug} offers no legal action, but the game is not over: a fault of the game"
        else:
            why = too_long(game, state)
        kind = GameTruncated if status == loop.CAPPED else BotFault
        return self._broken(kind, f"{why} ({self._where(seed, index, state)}).{hint}", seed, index, bot, taken)


def whereabouts(mark: int) -> tuple[int, int, bool] | None:
    """Decoded `progress[2]` of Match.play: (decisions, seat, whether its bot is being asked); None in the set-up."""
    if mark == 0:
        return None
    seat = (mark >> loop.SEAT_BITS) & ((1 << (loop.TURN_BITS - loop.SEAT_BITS)) - 1)
    return mark >> loop.TURN_BITS, seat, mark & 3 == loop.ASKED


def _change(name: str, before: Any, after: Any) -> str:
    """The change of a field of a record, in words; for an array, the change of the first element that differs."""
    old, new = np.asarray(before), np.asarray(after)
    if old.shape == ():
        return f"{name} from {old} to {new}"
    place = tuple(int(i) for i in np.argwhere(old != new)[0])
    return f"{name}[{', '.join(map(str, place))}] from {old[place]} to {new[place]}"
