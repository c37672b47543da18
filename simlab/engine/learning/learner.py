"""Policy iteration: players that start from random play and improve by playing on from positions.

In a round, the players play against each other and against earlier players, with some random choices at the beginning;
the rest of these games shows the worth of positions. In some positions each action is tried in the same futures, which
the current players play. In long games they play only a part of the game, and a net then judges the position. Each
seat's net is trained on the values of the actions, and replaces the old net if it does better in games with other
seeds.

Three methods did not work: choosing only by the worth of the next position, because its errors are larger than the
differences between actions; estimating worth from games with random choices in them; and maximizing gains over a fixed
bot, because waiting then seems to cost nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from simlab.bot_registry import Bot, learned_bot, load_bot, made_of
from simlab.engine.entry_points import records, view
from simlab.engine.learning import one_of
from simlab.engine.learning.inputs import inputs_of, look
from simlab.engine.learning.kernels import COLUMNS, KIND, PLACE
from simlab.engine.learning.player import ALWAYS, Net, Player
from simlab.engine.learning.training import Examples, advantages, fit, fit_worth
from simlab.engine.match import Match
from simlab.engine.payoff import seeks_score
from simlab.engine.search.traits import ACTION, VALUE, VISITS, L

Array = np.ndarray[Any, Any]
_CHUNK = 16  # positions or games of one compiled call, so that Ctrl-C takes effect
_KEPT, _KEPT_TAUGHT = 4, 8  # rounds whose examples are trained on, without and with a teacher
_POOL = 8  # earlier players kept as opponents
_LINE_UPS = 3  # line-ups with earlier players, in addition to that of the current players
_GATE = 1_000  # games of each line-up that decide whether a new net stays
POSITIONS = 2_000
GROWTH = 1.4  # factor of a round's size
_MOST, _MOST_TAUGHT = 8.0, 3.0  # its maximum, in sizes of the first round
_BROAD = 4  # with a teacher: factor of the positions, and divisor of their futures
_SHARES = 1.0, 0.2  # shares tried, of the positions in which a net would depart from its teacher to an action
_FEWEST = 5  # least number of such positions for an action to be tried
_TRIED = 8_000_000  # choices in the games that judge departures, alone or as sets
_EACH = 500, 4_000  # games of each departure, least and most
_HABIT = 60, 500  # games of each action that is always taken, least and most
_ODD = 2.0  # standard errors by which such an action has to gain to be tried again
_THRESHOLDS = 0.0, 0.5, 1.0, 1.5, 2.5  # standard errors by which a departure has to gain; games choose
_SETS = 2  # games of a set of departures, as a multiple of the most games of a single one
_SURE = 1.5  # standard errors by which a net with departures has to gain
_NOISE = 0.15  # share of random choices in the first part of games from which positions are taken
_LONGER = 3  # a game is cut after this many times the longest game looked at
_SLIPS = 0.2  # share of random choices in the futures of a game without luck and secrets: else they are all the same
_SHORT = 60  # choices of a game in which futures are played to the end
_PART = 4  # share of a longer game that a future is played on for
_JUDGED = 3  # rounds whose games teach what positions are worth
_SEEN = 3_000, 4  # games of a seat in a round that teach the value of positions, and positions of each game
_TRYING = 0.6  # share of a round in which positions are tried if time is short; fits and games take the rest


@dataclass(frozen=True)
class Settings:
    """How a player is trained.

    Attributes:
        positions: number of positions in the first round, over all seats; None: POSITIONS, or three times as many in
            long games, where futures are truncated. futures: number of futures for each position. With a teacher, four
            times as many positions with a quarter of the futures each, because many kinds of positions have small gains
            left to find. Both numbers grow by GROWTH after a round in which a seat's net did not improve, because
            better players leave smaller gains to find.
        hidden: width of the hidden layer, a multiple of four.
        epochs: most training epochs of a round.
    """

    positions: int | None = None
    futures: int = 96
    hidden: int = 32
    epochs: int = 60


@dataclass(frozen=True)
class Round:
    """The result of a round."""

    number: int  #: from 1
    games: int  #: played so far
    futures: int  #: played so far
    seconds: float  #: since the start
    gains: tuple[float, ...]  #: of each seat's new net over its old one
    kept: tuple[bool, ...]  #: whether each seat's new net is kept
    together: tuple[float, ...]  #: value to each seat if all seats play as learned
    alone: tuple[float, ...]  #: the same if all other seats choose at random


class Learner:
    """The players in training.

    Args:
        match: the game with its knobs; its bots do not matter.
        workers: number of threads that play. The result does not depend on it.
        start: players to continue with.
        teachers: seat -> bot that its player starts from and asks at each decision; a player without a teacher starts
            from random play.
        against: seat -> bots that the players of the other seats also meet, in addition to learned ones.
        seats: the seats that learn; the others stay unchanged. None: all.
        by_score: whether players seek score, not wins; by default in games of one seat with scores.
        notify: called often, with what a round is doing.
    """

    def __init__(
        self,
        match: Match,
        seed: int,
        settings: Settings,
        workers: int,
        start: Player | None = None,
        teachers: Mapping[str, str] | None = None,
        against: Mapping[str, Sequence[str]] | None = None,
        by_score: bool | None = None,
        seats: Sequence[str] = (),
        notify: Callable[[str], None] | None = None,
    ) -> None:
        self.match, self.seed, self.settings, self.workers = match, seed, settings, workers
        game = self.game = match.game
        self.teachers = dict(start.teachers if start else teachers or {})
        asked = Match(game, knobs=match.knobs_set, tables=match.table_files, bots={
            seat: self.teachers.get(seat, "random") for seat in game.seats
        })  # fmt: skip
        seen = look([match, asked] if self.teachers else [match], seed)
        inputs = max(map(inputs_of, seen.readings))
        most = max(map(len, seen.readings))
        # Spare outputs are for actions that random play did not reach.
        self._spare = len(seen.pairs)
        outputs = np.full(len(game.decisions) * game.max_actions, -1)
        outputs[seen.pairs] = np.arange(len(seen.pairs))
        spare = max(len(seen.pairs) // 4, 4)
        self.nets: list[Net] = []
        for seat, readings in enumerate(seen.readings):
            padded = np.zeros((most, COLUMNS))  # a reading of nothing: its weights stay as they are
            padded[:, PLACE : KIND + 1] = 0, 1
            padded[: len(readings)] = readings
            taught = game.seats[seat] in self.teachers
            self.nets.append(Net.blank(padded, inputs, outputs, settings.hidden, seed + seat, taught, spare))
        self.choices, self._slips = seen.choices, _SLIPS if seen.open else 0.0
        # Two beginners who both wait would never end their games.
        self._most = min(_LONGER * seen.longest, game.max_decisions)
        self._growth = [1.0] * len(game.seats)
        self.pool: list[list[Net | int]] = [list(self.nets)]
        self._before: dict[str, Any] = start.about if start else {}
        if start:
            self.nets = [net.to_train(seed + seat) for seat, net in enumerate(start.nets)]
            self._spare = 1 + max(int(net.outputs.max()) for net in start.nets)
            self.pool.append(list(self.nets))
        self.examples: list[list[Examples]] = [[] for _ in game.seats]
        self.rounds: list[Round] = []
        self.games, self.futures = (int(self._before.get(name, 0)) for name in ("games", "futures"))
        self._began = time.monotonic() - 60 * float(self._before.get("minutes", 0))
        self.by_score = seeks_score(game) if by_score is None else by_score
        player = Player(game, self.nets, teachers=self.teachers)
        self.listed = [[load_bot(game, seat, text) for text in (against or {}).get(seat, ())] for seat in game.seats]
        self.seats = [place for place, seat in enumerate(game.seats) if not seats or seat in seats]
        own = [learned_bot(player, seat, "learned") for seat in game.seats]
        bots = [self._one_of([bot, *others]) for bot, others in zip(own, self.listed, strict=True)]
        offsets = tuple(1 + len(others) if others else 0 for others in self.listed)
        self._self_play, self._try_actions, self._perceive_all = match.compiled.learning(bots, offsets)
        self._taught = [own[seat].parts[0] if own[seat].parts else None for seat in range(len(own))]
        if self.teachers:
            self._teachers, self._asked = asked.compiled.players, asked
        self.depth = int(self.choices / _PART) if self.choices > _SHORT else self._most
        self._games_seen: list[list[tuple[Array, ...]]] = [[] for _ in game.seats]
        self._knobs, self._cards = view(match.knobs), view(match.cards)
        self._notify, self._stage = notify, ""

    # --- one round

    def round(self, until: float = np.inf) -> Round:
        """Plays and trains once.

        Args:
            until: time of `time.monotonic` by which the round should end. A round that would take longer tries fewer
                positions; the games that judge departures from a teacher are played in full.
        """
        number = int(self._before.get("rounds", 0)) + len(self.rounds) + 1
        draw = np.random.default_rng((self.seed, number))
        began = time.monotonic()
        for turn, seat in enumerate(self.seats):
            self._stage = f"round {number}, {self.game.seats[seat]}"
            wanted = self.settings.positions or POSITIONS * (1 if self.depth == self._most else 3)
            wanted *= _BROAD if self._taught[seat] else 1
            quota = max(int(wanted * self._growth[seat] / len(self.seats)), 1)
            found: list[Examples] = []
            self._say("plays games")
            others: list[list[Net | int]] = [[*self.nets], *(self._others(seat, draw) for _ in range(_LINE_UPS))]
            part = max(quota // len(others), 1)
            gathered = [self._positions(line_up, seat, part, int(draw.integers(1 << 40))) for line_up in others]
            self._learn_worth(seat, [seen for _, seen in gathered], number)
            total = sum(len(positions) for positions, _ in gathered)
            for place, (line_up, (positions, _)) in enumerate(zip(others, gathered, strict=True)):
                line_up[seat] = self.nets[seat]
                share = _TRYING * (turn + (place + 1) / len(others)) / len(self.seats)
                done = sum(len(part.inputs) for part in found)
                tables = self._values_of(positions, line_up, seat, (done, total), began + share * (until - began))
                found.append(self._examples(seat, positions[: len(tables)], tables))
            rounds = _KEPT_TAUGHT if self._taught[seat] else _KEPT
            self.examples[seat] = [*self.examples[seat][1 - rounds :], Examples.joined(found)]
        gains, kept = [0.0] * len(self.nets), [False] * len(self.nets)
        better = list(self.nets)
        for seat in self.seats:
            self._stage = f"round {number}, {self.game.seats[seat]}"
            self._say("fits the net")
            old, learned = self.nets[seat], Examples.joined(self.examples[seat])
            taught = self._taught[seat] is not None
            decision_of = self._decision_of(old) if taught else None
            new = fit(old, learned, self.settings.epochs, self.seed + number, decision_of)
            if taught:
                selection = np.random.default_rng((self.seed, number, seat))
                new = new.with_margins(self._select_departures(seat, new, learned, selection))
            gains[seat], error = self._gain(seat, new, draw)
            kept[seat] = gains[seat] > error * (_SURE if taught else 1)
            if kept[seat]:
                better[seat] = new
            else:
                most = _MOST_TAUGHT if self._taught[seat] else _MOST
                self._growth[seat] = min(self._growth[seat] * GROWTH, most)
        self.nets = better
        if any(kept):
            self.pool = [self.pool[0], *self.pool[1:][1 - _POOL :], list(better)]
        first = self.pool[0]
        together = self.value(self.nets, 400, number)
        alone = [
            self.value([self.nets[s] if s == seat else first[s] for s in range(len(first))], 400, number)[seat]
            for seat in range(len(first))
        ]
        finished = Round(
            number, self.games, self.futures, time.monotonic() - self._began, tuple(gains), tuple(kept),
            tuple(map(float, together)), tuple(map(float, alone)),
        )  # fmt: skip
        self.rounds.append(finished)
        return finished

    def player(self) -> Player:
        """The current players."""
        about = {"seed": self.seed, "knobs": self.match.knobs_resolved, **self._before}
        if self.rounds:
            last = self.rounds[-1]
            about |= {"rounds": last.number, "games": last.games, "futures": last.futures, "minutes": last.seconds / 60}
        return Player(self.game, self.nets, about, self.teachers)

    def value(self, line_up: Sequence[Net | int], games: int, number: int) -> Array:
        """Mean value of the games of a line-up to each seat."""
        values, *_ = self._games(line_up, games, self.seed + 2, number * games)
        return np.asarray(values.mean(axis=0))

    # --- its parts

    def _say(self, text: str) -> None:
        if self._notify:
            self._notify(f"{self._stage}: {text}")

    def _one_of(self, bots: Sequence[Bot]) -> Bot:
        """A bot that plays as one of these bots, by the number that `_traits` puts first."""
        if len(bots) == 1:
            return bots[0]
        policy = one_of(self.game, [bot.policy for bot in bots], [bot.read.size for bot in bots])
        return made_of(bots[0].seat, "one of several", policy, np.zeros(len(bots)), tuple(bots))

    def _others(self, seat: int, draw: np.random.Generator) -> list[Net | int]:
        """Line-ups of a seat's player with listed bots and earlier players in the other seats."""
        line_up: list[Net | int] = list(self.nets)
        for place, listed in enumerate(self.listed):
            if place != seat and draw.random() < 0.7:
                pool = self.pool[int(draw.integers(len(self.pool)))]
                line_up[place] = int(draw.integers(len(listed))) if listed and draw.random() < 0.7 else pool[place]
        return line_up

    def _traits(self, line_up: Sequence[Net | int], futures: int = 1, slips: float = 0.0) -> Array:
        """The traits that the loops read. slips: share of random choices of learned players."""
        own = np.zeros(len(L._declared))
        own[L.iterations], own[L.depth], own[L.score] = futures, self.depth, self.by_score
        parts = [own]
        for seat, player in enumerate(line_up):
            net = self.nets[seat] if isinstance(player, int) else player
            net = replace(net, noise=max(net.noise, slips)) if slips else net
            if self.listed[seat]:
                which = np.zeros(1 + len(self.listed[seat]))
                which[0] = player + 1 if isinstance(player, int) else 0
                parts.append(which)
            parts.append(net.traits())
            if (teacher := self._taught[seat]) is not None:
                parts.append(teacher.read)
            parts += [bot.read for bot in self.listed[seat]]
        return np.concatenate(parts)

    def _games(
        self, line_up: Sequence[Net | int], count: int, seed: int, first: int, share: float = 0.0
    ) -> tuple[Array, Array, Array]:
        """Plays games: values (count, seats), the positions kept, and the game of each (kernels.self_play)."""
        traits, blank = self._traits(line_up), view(self.match.blank_state(seed))
        noise, spell = (_NOISE, int(self.choices)) if share else (0.0, 0)
        size = 4 * _CHUNK
        starts = range(0, count, size)

        def play(start: int) -> tuple[Array, Array, Array]:
            n = min(size, count - start)
            values = np.zeros((n, len(self.nets)))
            kept = records(int(share * self.choices * n * 4) + 8 if share else 0, self.game.state)
            sources = np.zeros(len(kept), np.int64)
            found = self._self_play(
                records(1, self.game.state), blank, self._knobs, self._cards, traits, first + start, n,
                self._most, self.by_score, share, noise, spell, kept, sources, values,
            )  # fmt: skip
            sources = sources[:found] + np.where(sources[:found] < 0, -start, start)
            return values, kept[:found], sources

        with ThreadPoolExecutor(self.workers) as pool:
            values, kept, sources = zip(*pool.map(play, starts), strict=True)
        self.games += count
        return np.concatenate(values), np.concatenate(kept), np.concatenate(sources)

    def _positions(
        self, line_up: Sequence[Net | int], seat: int, wanted: int, first: int
    ) -> tuple[Array, tuple[Array, Array, Array]]:
        """Positions in which a seat has a choice; its inputs in other positions, with the games' values and numbers."""
        games = max(wanted // 2, _SEEN[0] // (_LINE_UPS + 1))
        each = games * _SEEN[1] // (_BROAD if self._taught[seat] else 1)
        share = min(1.0, 4 * max(wanted, each) / max(games * self.choices, 1))
        values, kept, sources = self._games(line_up, games, self.seed, first, share)
        order = np.random.default_rng((self.seed, first)).permutation(np.flatnonzero(kept["seat"] == seat))
        clean = order[sources[order] >= 0][:each]
        seen = self._read(seat, kept[clean]), values[sources[clean], seat], sources[clean]
        return kept[np.sort(order[:wanted])], seen

    def _read(self, seat: int, positions: Array) -> Array:
        net = self.nets[seat]
        found = np.zeros((len(positions), len(net.first)), np.float32)
        self._perceive_all(view(positions), self._knobs, self._cards, net.traits(), found)
        return found

    def _learn_worth(self, seat: int, seen: Sequence[tuple[Array, ...]], number: int) -> None:
        """Trains the net that values positions for a seat, with the games of the latest rounds."""
        self._games_seen[seat] = [*self._games_seen[seat], *seen][-_JUDGED * (_LINE_UPS + 1) :]
        inputs, values = (np.concatenate([one[part] for one in self._games_seen[seat]]) for part in (0, 1))
        games = np.concatenate([one[2] + (place << 20) for place, one in enumerate(self._games_seen[seat])])
        games = np.unique(games, return_inverse=True)[1]
        if self._taught[seat] and not self.nets[seat].worth_last.any():  # as in `fit`
            met = np.any(inputs != 0, axis=0)[:, None]
            self.nets[seat] = replace(self.nets[seat], worth_first=self.nets[seat].worth_first * met)
        epochs, seed = self.settings.epochs, self.seed + number
        self.nets[seat] = fit_worth(self.nets[seat], inputs, values, games, epochs, seed)

    def _values_of(
        self,
        positions: Array,
        line_up: Sequence[Net | int],
        seat: int,
        progress: tuple[int, int] = (0, 0),
        until: float = np.inf,
    ) -> Array:
        """The search's table of each position of a seat: (positions, max_actions, 3).

        Args:
            progress: number of finished positions of the round, and of all.
            until: time of `time.monotonic` after which no more positions are tried; returns the tables so far.
        """
        tables = np.zeros((len(positions), self.game.max_actions, 3))
        futures = int(self.settings.futures * min(self._growth[seat], 4))
        futures = max(futures // _BROAD, 1) if self._taught[seat] else futures
        traits = self._traits(line_up, futures, self._slips)

        def work(start: int) -> int:
            part = slice(start, start + _CHUNK)
            if start and time.monotonic() > until:
                return 0
            self._try_actions(view(positions[part]), self._knobs, self._cards, traits, tables[part])
            return min(start + _CHUNK, len(positions))

        tried, (done, total) = 0, progress
        with ThreadPoolExecutor(self.workers) as pool:
            for finished in takewhile(bool, pool.map(work, range(0, len(positions), _CHUNK))):
                tried = finished
                self._say(f"{done + tried:,} of {total:,} positions tried")
        self.futures += int(tables[:tried, :, VISITS].sum())
        return tables[:tried]

    def _examples(self, seat: int, positions: Array, tables: Array) -> Examples:
        net = self.nets[seat]
        actions = tables[:, :, ACTION].astype(np.int64)
        legal = np.arange(actions.shape[1]) < positions["n_legal"][:, None]
        pairs = positions["decision"].astype(np.int64)[:, None] * self.game.max_actions + actions
        for pair in np.unique(pairs[legal]):
            if net.outputs[pair] < 0 and self._spare < len(net.last):
                net.outputs[pair] = self._spare  # shared by all nets
                self._spare += 1
        advised = None
        if (teacher := self._taught[seat]) is not None:
            advised = actions == self._advice(seat, teacher, positions)[:, None]
        values, visits = tables[:, :, VALUE], tables[:, :, VISITS]
        return Examples.of(self._read(seat, positions), net.outputs[pairs], values, visits, legal, advised)

    def _advice(self, seat: int, teacher: Bot, positions: Array) -> Array:
        copies, traits = view(positions.copy()), self._asked.traits[seat]
        ask = self._teachers[seat]
        return np.array([ask(state, self._knobs[0], self._cards[0], traits) for state in copies], np.int64)

    def _decision_of(self, net: Net) -> Array:
        """The decision of each output of a net, (outputs,); unused outputs have a number of their own."""
        decisions = np.full(len(net.level), len(self.game.decisions))
        used = np.flatnonzero(net.outputs >= 0)
        decisions[net.outputs[used]] = used // self.game.max_actions
        return decisions

    def _select_departures(
        self, seat: int, net: Net, examples: Examples, draw: np.random.Generator
    ) -> dict[int, float]:  # fmt: skip
        """The actions for which a player may depart from its teacher, with their margins (Net.with_margins).

        A net is right about some actions and wrong about others. So each is tried alone, against games in which the
        seat plays as its teacher: the player takes it wherever the net expects more of it than of the teacher's action,
        or only where the net expects most. An action is also tried as a habit (`_habits`). The best are tried again in
        other games. The best threshold for a gain depends on the game: a strict one leaves out many small gains, a
        loose one lets in losses. So the departures above each of several thresholds are played together, in other
        games, and the best of these sets stays.

        Args:
            net: fitted to these examples.
        """
        gains = advantages(net, examples)
        tries: list[tuple[float, int, float]] = []
        for output in np.unique(examples.outputs[gains > 0]).tolist():
            ranked = np.sort(gains[(examples.outputs == output) & (gains > 0)])[::-1]
            if len(ranked) >= _FEWEST:
                for number in {max(round(share * len(ranked)), 1) for share in _SHARES}:
                    margin = float(ranked[number - 1 : number + 1].mean()) if number < len(ranked) else 0.0
                    tries.append((float(ranked[:number].sum()), output, margin))
        tries = sorted(tries, reverse=True)[: max(int(_TRIED / self.choices) // _EACH[0], 1)]
        best: dict[int, tuple[float, float]] = {}
        alone = self._try_departures(seat, net, [{output: margin} for _, output, margin in tries], _EACH[1], draw)
        for (_, output, margin), (gain, _) in zip(tries, alone, strict=True):
            if gain > best.get(output, (0.0, 0.0))[0]:
                best[output] = gain, margin
        found = [(output, margin) for output, (_, margin) in best.items()]
        found += [(output, ALWAYS) for output in self._habits(seat, net, examples, draw)]
        again = self._try_departures(seat, net, [dict([one]) for one in found], _EACH[1], draw)
        # Of the two ways to take an action, the better one.
        order = np.argsort([gain for gain, _ in again])
        sets: list[dict[int, float]] = []
        for sure in _THRESHOLDS:
            above = dict(found[i] for i in order if again[i][0] > sure * again[i][1])
            if above and above not in sets:
                sets.append(above)
        if not sets:
            return {}
        together = self._try_departures(seat, net, sets, _SETS * _EACH[1], draw)
        return sets[int(np.argmax([gain for gain, _ in together]))]

    def _habits(self, seat: int, net: Net, examples: Examples, draw: np.random.Generator) -> list[int]:
        """The actions that seem to gain if the player takes them whenever they are legal.

        Only whole games show such gains. The last position of a truncated future is judged by games in which the
        teacher played, and an action that the teacher never takes has no value there.
        """
        other = (examples.weights > 0) & (examples.advised == 0) & examples.advised.any(axis=1, keepdims=True)
        outputs = np.flatnonzero(np.bincount(examples.outputs[other], minlength=1) >= _FEWEST).tolist()
        games = int(np.clip(int(_TRIED / self.choices) // max(len(outputs), 1), *_HABIT))
        gains = self._try_departures(seat, net, [{output: ALWAYS} for output in outputs], games, draw)
        return [one for one, (gain, error) in zip(outputs, gains, strict=True) if gain > _ODD * error]

    def _try_departures(
        self, seat: int, net: Net, sets: Sequence[Mapping[int, float]], most: int, draw: np.random.Generator
    ) -> list[tuple[float, float]]:
        """The gain of each set of departures over the teacher, with its standard error. most: most games per set."""
        games = min(max(int(_TRIED / self.choices) // max(len(sets), 1), _EACH[0]), most)
        nets = [net.with_margins(departures) for departures in sets]
        return self._gains(seat, net.with_margins({}), nets, games, draw)

    def _gain(self, seat: int, net: Net, draw: np.random.Generator) -> tuple[float, float]:
        return self._gains(seat, self.nets[seat], [net], _GATE * (1 + _LINE_UPS), draw)[0]

    def _gains(
        self, seat: int, old: Net, nets: Sequence[Net], games: int, draw: np.random.Generator
    ) -> list[tuple[float, float]]:  # fmt: skip
        """The gain of each net over an old one, with its standard error, in games that no training used."""
        gains: list[list[Array]] = [[] for _ in nets]
        line_ups: list[list[Net | int]] = [[*self.nets], *(self._others(seat, draw) for _ in range(_LINE_UPS))]
        each = max(games // len(line_ups), 2)
        for line_up in line_ups if nets else []:
            first = int(draw.integers(1 << 40))
            line_up[seat] = old
            before = self._games(line_up, each, self.seed + 1, first)[0]
            for new, found in zip(nets, gains, strict=True):
                tried = sum(map(len, gains))
                self._say(f"{tried:,} of {len(gains) * len(line_ups):,} series of games with changed play")
                line_up[seat] = new
                found.append(self._games(line_up, each, self.seed + 1, first)[0][:, seat] - before[:, seat])
        together = [np.concatenate(found) for found in gains]
        return [(float(one.mean()), float(one.std() / np.sqrt(len(one)))) for one in together]
