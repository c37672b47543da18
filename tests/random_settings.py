"""Fuzzing: plays games with random knobs, player counts, bots and traits, and reports every breach with its replay.

Knobs are arguments of compiled code, so settings cost no compilation; each bot compiles once. A breach is a fault of a
bot or game (an illegal action, a stuck game, a changed state), a metric outside the range that the game states, or a
track outside its declared range.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from simlab.bot_registry import bots_for
from simlab.engine.match import Match
from simlab.engine.setup import game_text
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, GameTruncated, InputError
from simlab.game import Game, Knob, KnobValue, Policy
from simlab.registry import load_game
from simlab.spec.bans import BanKnob
from simlab.spec.knobs import FAIR, CardsKnob, FacesKnob
from simlab.testing import ConformanceError, check_rows
from simlab.twin import random_value

CHANGED = 0.35  #: chance that a knob, or a trait, leaves its default
LOADED = 0.1  #: chance that a die or deck is loaded, and that options are banned
MIXED = 0.15  #: chance that a bot plays inside noisy(..), mix(..) or opening(..)
BATCH, STEPPED = 16, 1  # games of a setting played in bulk, and stepped to read the tracks


@dataclass
class FuzzResult:
    """Result of fuzzing a game.

    Attributes:
        settings, games: numbers played. truncated: games that reached the limit of decisions. refused: drawn settings
            that the game refuses as contradictory. seconds: processor time used.
        breaches: the distinct breaches, each with the command that replays it.
    """

    game: str
    settings: int = 0
    games: int = 0
    truncated: int = 0
    refused: int = 0
    seconds: float = 0.0
    breaches: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = (
            f"{self.game}: {self.settings:,} settings, {self.games:,} games in {self.seconds:.0f} s of processor time; "
            f"{self.truncated:,} truncated, {self.refused:,} settings refused, {len(self.breaches)} breaches"
        )
        return "\n".join([counts, *self.breaches])


def fuzz(slug: str, seed: int, *, seconds: float, settings: int = 10**9, most_breaches: int = 10) -> FuzzResult:
    """Plays a game at random settings until the time or the number of settings is used up.

    Args:
        slug: a game's name; for a game with several player counts, all of them are drawn.
        seconds: processor time of this process, checked between settings.
        most_breaches: stops after this many distinct breaches.
    """
    draw = np.random.default_rng(seed)
    began = time.process_time()
    found = FuzzResult(slug)
    fewest, most = load_game(slug).players
    while found.settings < settings and len(found.breaches) < most_breaches:
        found.seconds = time.process_time() - began
        if found.seconds >= seconds:
            break
        players = int(draw.integers(fewest, most + 1)) if most > fewest else None
        game = load_game(slug, players)
        knobs = drawn_knobs(game, draw)
        bots = {seat: drawn_bot(game, seat, draw) for seat in game.seats}
        found.settings += 1
        _play(found, game, knobs, bots, int(draw.integers(2**31)))
    found.seconds = time.process_time() - began
    return found


def _play(found: FuzzResult, game: Game, knobs: Mapping[str, KnobValue], bots: Mapping[str, str], seed: int) -> None:
    try:
        match = Match(game, knobs=knobs, bots=bots)
        match.blank_state(seed)
    except InputError:  # loaded dice and cards can need more room than there is
        found.refused += 1
        return
    try:
        rows = match.play(seed, 0, BATCH).rows
        check_rows(game, rows)
        found.games += BATCH
        for index in range(STEPPED):
            _follow_tracks(match, seed, index)
    except GameTruncated:
        found.truncated += 1
    except (BotFault, ConformanceError, InputError) as breach:  # InputError: plain and compiled play of a class differ
        setting = f"{game_text(game)}, knobs {dict(knobs)}, seed {seed}"
        if _kind(str(breach)) not in map(_kind, found.breaches):
            found.breaches.append(f"{breach}\n  {setting}")


def _kind(breach: str) -> str:
    """The text of a breach without numbers and bots: breaches with the same text count as one."""
    first = breach.partition("\nReplay")[0]
    decision = re.search(r"[A-Z]\w* [^,()]*\)", first)
    return re.sub(r"'[^']*'|\d+|Legal.*", "", first) + (decision[0] if decision else "")


def _follow_tracks(match: Match, seed: int, index: int) -> None:
    """Steps through a game and checks each track against its declared range.

    Raises:
        ConformanceError: names track, value, range and the command that replays the game.
    """
    stepper = Stepper(match, seed, index)
    turn = None
    while not stepper.over:
        if int(stepper.state.turn) != turn:
            turn = int(stepper.state.turn)
            values = stepper.tracks()
            for track in match.game.tracks:
                if not track.low <= values[track.name] <= track.high:
                    raise ConformanceError(
                        f"{match.game.slug}: track {track.name} is {values[track.name]}, outside {track.low}.."
                        f"{track.high} (turn {turn}).\nReplay it: {match.replay_command(seed, index)}"
                    )
        stepper.apply(stepper.policy_action())


def drawn_knobs(game: Game, draw: np.random.Generator) -> dict[str, KnobValue]:
    """Random allowed values of some knobs, sometimes including loaded dice, loaded decks and banned options."""
    drawn = {name: _value(knob, draw) for name, knob in game.knobs.items() if draw.random() < CHANGED}
    drawn |= {name: _value(knob, draw) for name, knob in game.knobs.luck.items() if draw.random() < LOADED}
    for die in game.dice:
        if die.sides and die.knob.name in drawn:
            faces = die.faces({name: knob.default for name, knob in game.knobs.items()} | drawn)
            drawn[die.knob.name] = f"{draw.integers(1, faces + 1)}x{draw.choice([0, 0.2, 5])}"
    return drawn


def _value(knob: Knob, draw: np.random.Generator) -> KnobValue:
    if isinstance(knob, CardsKnob):
        cards = draw.choice(knob.options, min(3, len(knob.options)), replace=False)
        return "+".join(f"{card}:{draw.choice([0, 0.5, 2, 5])}" for card in cards)
    if isinstance(knob, BanKnob):
        return "+".join(draw.choice(knob.every(), int(draw.integers(1, 4))))
    if isinstance(knob, FacesKnob):
        return FAIR  # how many faces the die has depends on the other knobs
    return random_value(knob, draw)


def drawn_bot(game: Game, seat: str, draw: np.random.Generator) -> str:
    """A listed bot with random traits, now and then noisy, mixed with another, or followed by another."""
    bots = bots_for(game, seat)
    one = _with_traits(bots, draw)
    if draw.random() >= MIXED:
        return one
    other = _with_traits(bots, draw)
    return str(draw.choice([f"noisy({one}:0.2)", f"mix({one}:0.6,{other}:0.4)", f"opening({one}:3,{other})"]))


def _with_traits(bots: Mapping[str, Policy], draw: np.random.Generator) -> str:
    name = str(draw.choice(sorted(bots)))
    settings = []
    for trait, about in bots[name].traits.items():
        if draw.random() < CHANGED:
            whole = about.whole
            value = draw.integers(int(about.low), int(about.high) + 1) if whole else draw.uniform(about.low, about.high)
            settings.append(f"{trait}={value:.6g}")
    return ":".join([name, *settings])
