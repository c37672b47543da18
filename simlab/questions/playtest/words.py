"""People's games and the bots', in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.present.estimate import bare
from simlab.questions.playtest.analysis import Fit, PlaytestAnswer, Statistic
from simlab.words import first_of

FEW = 20  #: games below which no difference proves little
MOST = 12  #: line-ups in the table; 20 people


def blocks(answer: PlaytestAnswer) -> Iterator[Block]:
    best = answer.line_ups[0]
    yield from (Paragraph(text, "lead") for text in sentences(answer))
    yield Table(
        best.statistics,
        (
            *attributes("statistic=words", "games", "people", "bots"),
            Column[Statistic]("p", lambda one: f"{one.p:.3f}"),
            Column[Statistic]("p of all", lambda one: f"{one.adjusted:.3f}"),
        ),
        f"People and {best.name}, {answer.bot_games:,} games of bots",
    )
    if len(answer.line_ups) > 1 and answer.fitted_to:
        yield Table(
            answer.line_ups,
            (
                *attributes("bots=name"),
                Column[Fit]("behind", lambda fit: round(fit.behind, 1)),
                Column[Fit]("weight", lambda fit: f"{100 * fit.weight:.0f} %"),
                *attributes("significantly worse=significantly_worse", "share of a mix=share_of_mix"),
            ),
            f"Which bots explain the games, by {', '.join(answer.fitted_to)} (log-likelihood)",
            most=MOST,
        )
    if answer.people:
        yield Table(
            answer.people,
            attributes("person=name", "games", "won=wins", "win rate=won"),
            "Who played",
            most=20,
        )


def sentences(answer: PlaytestAnswer) -> Iterator[str]:
    best = answer.line_ups[0]
    off = [one for one in best.statistics if one.adjusted < 0.05]
    yield _agreement(best, off, answer.games)
    if off:
        yield f"Even the best-fitting line-up differs: {'; '.join(_gap(one) for one in off)}."
    if len(answer.line_ups) > 1 and answer.fitted_to:
        yield _fits(answer)
    if answer.games < FEW:
        few = f"only {answer.games} games" if answer.games > 1 else "a single game"
        none = "" if off else " Finding no difference does not prove that the games are alike."
        yield f"With {few}, only large differences can be significant.{none}"
    if answer.left_out:
        others = [f"{one.games:,} with {one.players} (--players {one.players})" for one in answer.left_out]
        are = "are" if sum(one.games for one in answer.left_out) > 1 else "is"
        yield (
            f"These are the games with {answer.players} players. The file has others, which {are} compared with bots "
            f"at their own number of players: {', '.join(others)}."
        )
    if answer.ignored:
        yield f"Columns that are not read: {', '.join(answer.ignored)}."
    if any(person.games > 1 for person in answer.people):
        yield "Games of the same people are not independent: the true intervals are wider than these."
    if minutes := answer.minutes:
        a_turn = "" if minutes.per_turn is None else f", {minutes.per_turn:.1f} per turn"
        ends = f"{minutes.shortest:.0f} to {minutes.longest:.0f}"
        yield f"A game took {minutes.mean:.0f} minutes on average ({ends}){a_turn}."


def _agreement(best: Fit, off: list[Statistic], games: int) -> str:
    people = f"The {games:,} games of people" if games > 1 else "The game of people"
    if off:
        differ = f"{len(off)} of {len(best.statistics)} statistics {'differ' if len(off) > 1 else 'differs'}"
        verb = "are" if games > 1 else "is"
        return f"{people} {verb} not like those of {best.name}: {differ}, at 5 % for all of them together."
    verb = "do" if games > 1 else "does"
    return f"{people} {verb} not differ significantly from those of {best.name} in any statistic."


def _gap(one: Statistic) -> str:
    people, bots = (bare(value.value, value.rate).text for value in (one.people, one.bots))
    if one.people.rate:
        return f"{one.words} in {people} with people, {bots} with bots"
    return f"{people} {one.words} with people, {bots} with bots"


def _fits(answer: PlaytestAnswer) -> str:
    best, *others = answer.line_ups
    level = [fit.name for fit in others if not fit.significantly_worse]
    of = f"of {len(answer.line_ups)} line-ups {best.name} explains the games best"
    if not level:
        return f"By {', '.join(answer.fitted_to)}, {of}, significantly better than each of the others."
    return (
        f"By {', '.join(answer.fitted_to)}, {of}; {first_of(level, 3)} may do as well. Even the best line-up may fit "
        "poorly, so look at the statistics."
    )
