"""Learned players in sentences, tables and a chart."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.engine.payoff import unit, verb
from simlab.present.blocks import Block, Chart, Column, Command, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import plain
from simlab.present.text import text
from simlab.questions.learned_players.analysis import LearnedPlayers, LearningRound, SeatResult, Together

METHOD = (
    "Each seat's player and each of its listed bots play the same {games:,} games, which no training used, with "
    "{others} in the other seats. The best listed bot is the one with the highest result in these games; the "
    "interval of its result holds for all listed bots of the seat together, and the intervals of the gains hold "
    "for all seats and listed bots."
)
KEPT = (
    "A new net replaces the old one if it does better in 4,000 separate games by more than one standard error; "
    "with a teacher, by more than one and a half."
)


def blocks(answer: LearnedPlayers) -> Iterator[Block]:
    for result in answer.results:
        yield Paragraph(sentence(result, answer.by_score), "lead")
    if answer.together:
        yield Paragraph(all_together(answer.together), "lead")
    if answer.problem:
        yield Paragraph(f"The player could not be compared with the listed bots: {answer.problem}", "warning")
    if answer.results:
        bots = dict.fromkeys(
            "the learned players" if bot == answer.file else plain(bot) for bot in answer.field.values()
        )
        yield Table(
            answer.results,
            attributes("seat", "learned", "best listed=best", "its result=listed", "gain"),
            title=f"The learned player of {plain(answer.game)}",
            note=METHOD.format(games=answer.judged, others=" and ".join(bots)),
        )
    yield Chart(
        "learning", lambda: learning(answer),
        f"{unit(answer.by_score).capitalize()} after each round of training, when all seats play as "
        "learned.",
        games=(), made_by=f"simlab optimize player {answer.reference or answer.game}",
    )  # fmt: skip
    yield Table(
        answer.rounds,
        (
            Column[LearningRound]("round", lambda one: one.number),
            Column[LearningRound]("minutes", lambda one: round(one.minutes, 1)),
            *attributes("games", "futures"),
            Column[LearningRound]("new net kept for", lambda one: ", ".join(one.kept) or "no seat"),
        ),
        title="Training",
        note=KEPT,
    )
    for result in answer.results:
        line = f"simlab analyze bot {answer.reference or answer.game} {answer.file} --seat {result.seat}"
        yield Command(f"The play of {plain(result.seat)} as a few rules", line)
    yield Paragraph(
        f"A net reads {answer.inputs:,} numbers of the state that its seat can see; all nets together have "
        f"{answer.weights:,} weights.",
        "note",
    )


def sentence(result: SeatResult, by_score: bool) -> str:
    what = verb(by_score)
    names = f"{plain(result.seat)}: the learned player {what} {text(result.learned)}, the best listed bot, "
    names += f"{plain(result.best)}, {text(result.listed)}"
    if result.verdict == "changed":
        return f"{names}. The learned player does significantly {'better' if result.gain.value > 0 else 'worse'}."
    if result.verdict == "identical":
        return f"{names}. The two have the same result in every game."
    return f"{names}. The difference is not significant."


def all_together(result: Together) -> str:
    """What the learned players of all seats achieve in a game that all can lose."""
    both = (
        f"If all seats play as learned, somebody wins in {text(result.learned)} of the games; if all play as the bots "
        f"that they started from, in {text(result.before)}"
    )
    if result.verdict != "changed":
        return f"{both}. The difference is not significant."
    return f"{both}. Together they do significantly {'better' if result.gain.value > 0 else 'worse'}."


@chart
def learning(answer: LearnedPlayers, ax: Axes | None = None) -> Axes:
    """The value of each seat, round by round."""
    ax = drawing.axes(ax, 2.8)
    for seat in answer.rounds[0].together if answer.rounds else ():
        ax.plot([one.minutes for one in answer.rounds], [one.together[seat] for one in answer.rounds], label=seat)
    ax.set_xlabel("minutes of training")
    ax.set_ylabel(unit(answer.by_score))
    if answer.rounds and len(answer.rounds[0].together) > 1:
        ax.legend()
    return ax
