"""Players trained from random play, compared with the listed bots."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from simlab import shell
from simlab.bot_registry import bots_for
from simlab.engine.conduct import check_bots
from simlab.engine.learning.learner import Learner
from simlab.engine.payoff import Payoff, has_joint_sides
from simlab.engine.setup import game_text
from simlab.errors import BotFault
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part
from simlab.stats.paired import verdict

JUDGED = 1 << 41  #: first of these games, which training does not use


class LearningRound(Part):
    """A round of training.

    Attributes:
        minutes, games, futures: totals since the start. gains: seat -> value of its new net over its old one.
        kept: seats whose new net is kept. together: seat -> value if all seats play as learned. alone: seat -> value if
            all other seats choose at random. A value is a share of the wins; in a game of one seat with scores, the
            score.
    """

    number: int
    minutes: float
    games: int
    futures: int
    gains: dict[str, float]
    kept: tuple[str, ...]
    together: dict[str, float]
    alone: dict[str, float]


class SeatResult(Part):
    """A seat's learned player and the best of its listed bots, in the same games.

    Attributes:
        best: the listed bot that did best in these games. listed: its result; the interval holds for all listed bots of
            the seat together, because the best was selected in the same games. verdict: result of
            simlab.stats.paired.verdict.
        gain: gain over that bot; the interval holds for all seats and all listed bots together.
    """

    seat: str
    learned: Number
    best: str
    listed: Number
    gain: Number
    verdict: str


class Together(Part):
    """How often anybody wins if all seats play as learned, and if all play as the bots they started from, in the same
    games.

    Attributes:
        learned, before: share of the games that somebody wins. verdict: result of simlab.stats.paired.verdict.
    """

    learned: Number
    before: Number
    gain: Number
    verdict: str


class LearnedPlayers(Answer, form="learned_players", version=2, source="simlab optimize player GAME"):
    """Learned players of a game.

    Attributes:
        together: what the players of a game that all can lose achieve together; None for other games, and for players
            that began with random play.
        reference: the game as a command names it.
        file: file of the players. field: bots of the other seats while a seat is judged. weights: number of weights of
            all nets.
        inputs: number of inputs of a net. by_score: whether values are scores. problem: why the players were not
            compared, or "".
    """

    game: str
    reference: str = ""
    file: str
    seed: int
    field: dict[str, str]
    inputs: int
    weights: int
    by_score: bool
    rounds: tuple[LearningRound, ...]
    judged: int
    results: tuple[SeatResult, ...]
    together: Together | None
    problem: str


def train(
    learner: Learner,
    minutes: float,
    most: int | None,
    save: Callable[[bytes], None],
    notify: Callable[[str], None],
) -> None:
    """Trains until the time or the number of rounds is over; the players are saved after each round.

    Raises:
        InputError: the time is too short for a round.
    """
    end = time.monotonic() + 60 * minutes
    done = 0
    while (most is None or done < most) and (done == 0 or most is not None or time.monotonic() < end):
        last = learner.round(end if most is None else math.inf)
        done += 1
        save(learner.player().to_bytes())
        kept = [seat for seat, kept in zip(learner.game.seats, last.kept, strict=True) if kept]
        better = f"better players for {', '.join(kept)}" if kept else "no better player"
        notify(f"Round {last.number}, {last.seconds / 60:.1f} minutes: {better}.")


def answer(learner: Learner, file: Path, field: Mapping[str, str], games: int) -> LearnedPlayers:
    """The players compared with the listed bots.

    Args:
        file: file of the players. field: seat -> bot of the other seats; the learned player if none is named.
        games: number of games for each listed bot.
    """
    game, by_score = learner.game, learner.by_score
    seats, problem = game.seats, ""
    field = {seat: field.get(seat, str(file)) for seat in seats}
    results: list[SeatResult] = []
    together = None
    try:
        for place in learner.seats:
            results.append(_judged(learner, seats[place], str(file), field, games))  # noqa: PERF401
        together = _together(learner, str(file), games)
    except BotFault as fault:
        problem = str(fault)

    def by_seat(values: tuple[float, ...]) -> dict[str, float]:
        return dict(zip(seats, values, strict=True))

    rounds = tuple(
        LearningRound.from_attributes(
            one, minutes=one.seconds / 60, gains=by_seat(one.gains), together=by_seat(one.together),
            alone=by_seat(one.alone), kept=tuple(seat for seat, kept in zip(seats, one.kept, strict=True) if kept),
        )
        for one in learner.rounds
    )  # fmt: skip
    return LearnedPlayers(
        game=game.slug, reference=shell.quote(game_text(game)), file=str(file), seed=learner.seed, field=field,
        inputs=len(learner.nets[0].first), weights=sum(net.parameters for net in learner.nets), by_score=by_score,
        rounds=rounds, judged=games, results=tuple(results),
        together=together, problem=problem,
    )  # fmt: skip


def _together(learner: Learner, file: str, games: int) -> Together | None:
    game = learner.game
    draws = len(game.seats) <= 2 and not has_joint_sides(game)  # nobody wins, and nobody loses
    if draws or set(learner.teachers) != set(game.seats):
        return None
    payoff = Payoff.win(*range(len(game.seats)))
    before, learned = (
        payoff.values(learner.match.with_bots(bots).play(learner.seed, JUDGED, games).rows)
        for bots in (learner.teachers, dict.fromkeys(game.seats, file))
    )
    if before.all() and learned.all():
        return None
    change = payoff.paired(before, learned)
    return Together(
        learned=payoff.mean(learned), before=payoff.mean(before), gain=payoff.gain(before, learned),
        verdict=verdict(change.low, change.high, change.changed),
    )  # fmt: skip


def _judged(learner: Learner, seat: str, file: str, field: Mapping[str, str], games: int) -> SeatResult:
    game = learner.game
    payoff = Payoff.of_seat(game, game.seats.index(seat), learner.by_score)
    listed = list(bots_for(game, seat))
    level = 1 - 0.05 / (len(listed) * len(game.seats))

    def values_of(bot: str) -> Array:
        match = learner.match.with_bots({**field, seat: bot})
        check_bots(match, learner.seed)
        return payoff.values(match.play(learner.seed, JUDGED, games).rows)

    learned = values_of(file)
    others = {bot: values_of(bot) for bot in listed}
    best = max(others, key=lambda bot: float(others[bot].mean()))
    change = payoff.paired(others[best], learned, level)
    return SeatResult(
        seat=seat, learned=payoff.mean(learned), best=best, listed=payoff.mean(others[best], 1 - 0.05 / len(listed)),
        gain=payoff.gain(others[best], learned, level),
        verdict=verdict(change.low, change.high, change.changed),
    )  # fmt: skip
