"""A learned player as a file: a net for each seat, with the facts of its training."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from simlab.engine.learning import exact, kernels, learned, validation
from simlab.engine.learning.fields import found_again, named
from simlab.engine.learning.kernels import HEAD, WHOLE
from simlab.errors import InputError
from simlab.game import MAX_TRAITS, Array, Game, Policy

FORM = 4  #: of the file
PARTS = ("seen", "keys", "chances")  #: of a table, by name
WEIGHTS = ("first", "bias", "last", "level", "trust")  #: of the net that chooses, by name
WORTH = ("worth_first", "worth_bias", "worth_last", "worth_level")  #: of the one that values positions
_FIRST_TRUST = 1e-3  # trust in the teacher while the net knows nothing
_FIRM = 1_000.0  # margin that keeps a player to its teacher
ALWAYS = -_FIRM  #: margin of an action that the player takes whenever it is legal
#: Weights that are kept as whole steps, and the number of steps of the largest: if all seats have teachers, and if not.
#: In the players that ship, this rounding changed no result by more than its interval.
_STEPS = {
    True: {"first": 31, "worth_first": 31, "last": 127},
    False: {"first": 127, "worth_first": 127},
}


@dataclass
class Net:
    """The player of a seat."""

    readings: Array  #: float64 (readings, COLUMNS), as in simlab.engine.learning.kernels
    outputs: Array  #: int (decisions * max_actions,): number of the output of each action; -1: it has none
    first: Array  #: weights (inputs, hidden)
    bias: Array  #: (hidden,)
    last: Array  #: weights (outputs, hidden)
    level: Array  #: (outputs,)
    trust: Array  #: (outputs,), added to the output of the teacher's action; margins go from its level to its trust
    worth_first: Array  #: the net that values positions, with one output
    worth_bias: Array  #: (hidden,)
    worth_last: Array  #: (hidden,)
    worth_level: Array  #: (1,)
    noise: float = 0.0  #: share of decisions that are random
    scale: tuple[float, float] = (0.0, 0.0)  #: centre and spread of the values of positions

    @classmethod
    def blank(
        cls, readings: Array, inputs: int, outputs: Array, hidden: int, seed: int, taught: bool = False, spare: int = 0
    ) -> Net:
        """An untrained player, which plays at random or like its teacher, with spare outputs for actions met later."""
        draw = np.random.default_rng(seed)
        count = int(outputs.max(initial=-1)) + 1 + spare
        first, worth_first = (_first_weights(draw, inputs, hidden, len(readings)) for _ in range(2))
        zeros = np.zeros((count, hidden))
        trust = np.full(count, _FIRST_TRUST if taught else 0.0)
        return cls(
            readings, outputs, first, np.zeros(hidden), zeros, np.zeros(count), trust, worth_first, np.zeros(hidden),
            np.zeros(hidden), np.zeros(1), 0.0 if taught else 1.0,
        )  # fmt: skip

    @property
    def weights(self) -> tuple[Array, ...]:
        return tuple(getattr(self, name) for name in (*WEIGHTS, *WORTH))

    def to_train(self, seed: int) -> Net:
        """A copy for further training; untrained nets, whose weights a file leaves out, get random first weights."""
        draw, size = np.random.default_rng(seed), (*self.first.shape, len(self.readings))
        first, worth_first = _first_weights(draw, *size), _first_weights(draw, *size)
        return replace(
            self,
            first=self.first if self.learned else first,
            worth_first=self.worth_first if self.judges else worth_first,
        )

    @property
    def learned(self) -> bool:
        """Whether the player has learned to choose. Until then its first weights are random and have no effect."""
        return bool(self.last.any() or self.level.any())

    @property
    def judges(self) -> bool:
        """Whether the player has learned to value positions."""
        return bool(self.worth_last.any())

    def with_margins(self, margins: Mapping[int, float]) -> Net:
        """A copy that departs from its teacher only for some outputs.

        Args:
            margins: output -> by how much its value has to exceed that of the teacher's action; ALWAYS: no condition.
        """
        needed = np.full(len(self.level), _FIRM)
        needed[list(margins)] = list(margins.values())
        return replace(self, level=self.level - needed, trust=self.trust + needed, noise=0.0)

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(part.size for part in self.weights)

    def traits(self) -> Array:
        """The player as an array for compiled code, of a length that is a power of two, so few lengths are compiled."""
        head = np.zeros(HEAD)
        readings = self.readings.copy()
        readings[:, :WHOLE] = self.readings[:, :WHOLE].astype(np.int64).view(np.float64)
        parts = (readings, self.outputs, *(getattr(self, name) for name in (*WEIGHTS[:-1], *WORTH)))  # trust is last
        packed = np.concatenate([head, *(part.ravel() for part in parts)])
        size = max(1 << (packed.size + self.trust.size - 1).bit_length(), 4 * MAX_TRAITS)
        packed = np.concatenate([packed, np.zeros(size - packed.size - self.trust.size), self.trust])
        packed[: kernels.SPREAD_OF + 1] = (
            self.noise, len(self.readings), *self.first.shape,
            len(self.last), self.outputs.size, size, *self.scale,
        )  # fmt: skip
        return packed


def _first_weights(draw: np.random.Generator, inputs: int, hidden: int, readings: int) -> Array:
    """Random first weights, spread as in He et al. (2015), because usually one input of a reading is not zero."""
    return draw.normal(0, np.sqrt(2 / max(readings, 1)), (inputs, hidden))


@dataclass
class Player:
    """Learned players of a game, one for each seat."""

    game: Game
    nets: list[Net]
    about: dict[str, Any] = field(default_factory=dict)  #: facts of its training: seed, rounds, games, minutes
    teachers: Mapping[str, str] = field(default_factory=dict)  #: seat -> the bot that its player first asks

    def policy(self, teacher: Policy | None) -> Policy:
        return learned(self.game, teacher)

    def traits(self, seat: str) -> Array:
        """The traits of a seat's player, except for those of its teacher."""
        return self.nets[self.game.seats.index(seat)].traits()

    def to_bytes(self) -> bytes:
        steps = _STEPS[set(self.teachers) == set(self.game.seats)]
        parts = [_brief(net, steps) | _of_record(self.game, net) for net in self.nets]
        held = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
        held["about"] = np.array(
            json.dumps(file_head(self.game) | {"training": self.about, "teachers": dict(self.teachers)})
        )
        file = io.BytesIO()
        np.savez_compressed(file, **held)  # type: ignore[arg-type]
        return file.getvalue()


@dataclass
class Tables:
    """A player that plays exactly: for each seat, the bytes that it sees and its probabilities for each view."""

    game: Game
    seen: list[Array]  #: by seat, the bytes of the record that it sees, int (n,)
    keys: list[Array]  #: by seat, float64 (places,), sorted
    chances: list[Array]  #: float64 (places, actions), cumulative, by the order of the legal actions
    about: dict[str, Any] = field(default_factory=dict)

    teachers: Mapping[str, str] = field(default_factory=dict)

    def policy(self, teacher: Policy | None) -> Policy:
        return exact(self.game)

    def traits(self, seat: str) -> Array:
        number = self.game.seats.index(seat)
        table = np.column_stack([self.keys[number], self.chances[number]])
        head = [0.0, len(self.seen[number]), *table.shape]
        packed = np.concatenate([head, self.seen[number], table.ravel()])
        # A view of the last row that has more actions than the table would be read beyond the row.
        size = max(1 << (packed.size + self.game.max_actions - 1).bit_length(), 4 * MAX_TRAITS)
        return np.pad(packed, (0, size - packed.size))

    def to_bytes(self) -> bytes:
        held = {f"{name}/{seat}": getattr(self, name)[i] for i, seat in enumerate(self.game.seats) for name in PARTS}
        about = file_head(self.game) | {"kind": "exact", "record": record_of(self.game), "training": self.about}
        file = io.BytesIO()
        np.savez_compressed(file, about=np.array(json.dumps(about)), **held)
        return file.getvalue()


def _of_record(game: Game, net: Net) -> dict[str, Array]:
    """The inputs and outputs of a net, by the names of the game's fields."""
    places, names = named(game, net.readings)
    return {
        "readings": places,
        "names": np.array(names),
        "outputs": net.outputs.astype(np.int32),
        "scale": np.array(net.scale),
    }


def _brief(net: Net, steps: Mapping[str, int]) -> dict[str, Array]:
    """The weights as a file keeps them: with less precision than in training, because rounding errors are far below
    the accuracy of training.

    Margins are small differences of large numbers, so levels and trust have single precision. The many weights of
    `steps` are whole multiples of a step of their hidden unit: random digits do not compress. First weights of nets
    that have not been trained are left out.
    """
    precision = {"level": np.float32, "trust": np.float32}
    brief = {
        name: getattr(net, name).astype(precision.get(name, np.float16))
        for name in (*WEIGHTS, *WORTH)
        if name not in steps
    }
    trained = {"first": net.learned, "worth_first": net.judges}
    for name, most in steps.items():
        weights = getattr(net, name) * trained.get(name, True)
        step = np.maximum(np.abs(weights).max(axis=0) / most, 1e-9).astype(np.float32)
        brief |= {name: np.rint(weights / step).astype(np.int8), f"{name}_steps": step}
    return brief


def file_head(game: Game) -> dict[str, Any]:
    """The entries of a player's file that describe its game."""
    return {"form": FORM, "game": game.slug, "seats": game.seats, "actions": actions_of(game)}


def actions_of(game: Game) -> str:
    """Digest of the decisions, which determine a player's outputs."""
    text = f"{game.max_actions} {[decision.name for decision in game.decisions]}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_of(game: Game) -> str:
    """Digest of the record's fields, which determine what exact play reads."""
    return hashlib.sha256(str(game.state.descr).encode()).hexdigest()[:16]


def read_player(path: Path, game: Game) -> Player:
    """A learned player's file; InputError as for `read_file`, or if it is one of exact play."""
    found = read_file(path, game)
    if not isinstance(found, Player):
        raise InputError(f"{path}: holds exact play, which does not learn. Name another file: --out.")
    return found


def read_file(path: Path, game: Game) -> Player | Tables:
    """A learned player's file, or that of exact play.

    Raises:
        InputError: no such file, not a learned player's (simlab.engine.learning.validation), or one for another game or
            for other rules of the game.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such player file. Make one: simlab optimize player {game.reference}")
    try:
        about, held = validation.unpacked(path)
        return _player(path, about, held, game)
    except (validation.BadPlayer, KeyError, TypeError, AttributeError) as fault:
        why = str(fault) if isinstance(fault, validation.BadPlayer) else type(fault).__name__
        text = f"{path}: is not a learned player's file ({why}). simlab optimize player writes one."
        raise InputError(text) from None


def _player(path: Path, about: dict[str, Any], held: dict[str, Array], game: Game) -> Player | Tables:
    """The player of an unpacked file. BadPlayer, KeyError, TypeError, AttributeError: a part is missing or wrong."""
    seats = [str(seat) for seat in about["seats"]]
    if about.get("game") != game.slug:
        raise InputError(f"{path}: a player of {str(about.get('game'))[:100]}, not of {game.slug}.")
    if about.get("form") != FORM:
        raise InputError(
            f"{path}: was written by another version of simlab. Train again: simlab optimize player {game.reference}"
        )
    try:
        if tuple(seats) != tuple(game.seats) or about["actions"] != actions_of(game):
            raise LookupError("its decisions or its players differ")
        if "kind" in about:
            if about["record"] != record_of(game):
                raise LookupError("the record of the game differs")
            tables = [[held[f"{part}/{seat}"] for seat in seats] for part in PARTS]
            for seen, keys, chances in zip(*tables, strict=True):
                validation.check_table(seen, keys, chances, game)
            return Tables(game, tables[0], tables[1], tables[2], dict(about["training"]))
        teachers = about["teachers"]
        validation.check_teachers(teachers, seats)
        steps = _STEPS[set(teachers) == set(seats)]
        if any(part.ndim < 1 or len(part) != len(seats) for part in held.values()):
            raise validation.BadPlayer("it does not have a net for each seat")
        nets = [
            _net({name: part[place] for name, part in held.items()}, steps, game, seat in teachers)
            for place, seat in enumerate(seats)
        ]
    except KeyError:
        raise  # an array is missing
    except LookupError as fault:
        raise InputError(
            f"{path}: was trained on other rules or another player count of {game.slug} ({fault.args[0]}). "
            f"Train again: simlab optimize player {game.reference}"
        ) from None
    except InputError as mistake:
        raise InputError(f"{path}: {mistake}") from None
    return Player(game, nets, dict(about["training"]), teachers)


def _net(held: dict[str, Array], steps: Mapping[str, int], game: Game, taught: bool) -> Net:
    stored = {name: held[name] for name in (*WEIGHTS, *WORTH, *(f"{name}_steps" for name in steps))}
    names = [str(name) for name in held["names"].tolist()]
    validation.check_shapes(held["readings"], names)
    readings = found_again(game, held["readings"], names)
    validation.check_net(stored, readings, held["outputs"], game)
    weights: dict[str, Any] = {name: stored[name].astype(np.float64) for name in (*WEIGHTS, *WORTH)}
    weights |= {name: weights[name] * stored[f"{name}_steps"] for name in steps}
    validation.check_numbers(held["scale"], "scale")
    centre, spread = held["scale"].tolist()
    net = Net(readings, held["outputs"], **weights, scale=(centre, spread))
    return net if taught or net.learned else replace(net, noise=1.0)  # as before training, random play
