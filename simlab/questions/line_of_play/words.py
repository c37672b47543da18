"""A bot's line of play in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simlab.engine.payoff import unit, verb
from simlab.present.blocks import Block, Column, Command, Paragraph, Table, attributes
from simlab.present.estimate import plain, words
from simlab.present.text import text
from simlab.questions.line_of_play.analysis import ChoiceDifference, LineOfPlay, OtherBot, TaughtRule

METHOD = (
    "The rules are learned from {positions:,} of the bot's choices, and then from its answers in positions that "
    "earlier rules reach; conditions use {numbers} numbers that its seat sees. They are judged in {games:,} "
    "games that were not used to choose rules. The first rule whose conditions hold and that has a legal option "
    "decides."
)
OTHERWISE = " If no rule decides, {other} does."
ASKED = (
    "Both bots are asked in the same positions of the games of {bot}; shares are of the positions in which the "
    "option is legal. Turns {phases}."
)
STYLES = (
    "Bots are close to the best if their mean is at most {close} below the highest in these games. Bots that "
    "agree in 90 % of their choices, directly or through a third bot, share a style."
)
CHOICES = 4  #: options of a rule that are shown


def blocks(answer: LineOfPlay) -> Iterator[Block]:
    yield from (Paragraph(one, "lead") for one in sentences(answer))
    yield Table(
        answer.rules,
        (
            Column[TaughtRule]("decision", lambda one: words(one.decision)),
            Column[TaughtRule]("if", lambda one: " and ".join(one.conditions) or "always"),
            Column[TaughtRule]("choose", _choose),
            *attributes("positions"),
            Column[TaughtRule]("as the bot", lambda one: f"{100 * one.right:.0f} %"),
        ),
        title=f"The play of {plain(answer.bot)} in rules",
        note=METHOD.format(positions=answer.positions, numbers=answer.numbers, games=answer.games)
        + (OTHERWISE.format(other=plain(answer.otherwise)) if answer.otherwise else ""),
    )
    if answer.differences:
        phases = "; ".join(f"{name}: to turn {last}" for name, last in answer.phases.items())
        yield Table(
            answer.differences,
            (
                Column[ChoiceDifference]("decision", lambda one: words(one.decision)),
                *attributes("option=action"),
                *(Column[ChoiceDifference](phase, partial(_two, phase)) for phase in answer.phases),
                *attributes("positions"),
            ),
            title=f"{plain(answer.bot)}, and in brackets {plain(answer.compared)}",
            note=ASKED.format(bot=plain(answer.bot), phases=phases),
        )
    yield Table(
        answer.others,
        (
            *attributes("other bot=bot", f"{unit(answer.by_score)}=value", f"gain of {plain(answer.bot)}=gain"),
            *attributes("same choices=same"),
            Column[OtherBot]("style", lambda one: one.style or "not close"),
        ),
        title="Other bots in the same games",
        note=STYLES.format(close="3 % of its score" if answer.by_score else "three points"),
    )
    yield from (Command(one.why, one.command) for one in answer.readings)


def sentences(answer: LineOfPlay) -> Iterator[str]:
    """How strong the bot is, how much of its play the rules cover, and how many styles are as strong."""
    what = verb(answer.by_score)
    known = "not significant"
    if not answer.gain.low <= 0 <= answer.gain.high:
        known = f"significantly {'better' if answer.gain.value > 0 else 'worse'}"
    rules = f"{len(answer.rules)} rules" if len(answer.rules) != 1 else "one rule"
    does = what if len(answer.rules) == 1 else what[:-1]
    if answer.otherwise:
        rules, does = f"{plain(answer.otherwise)} with {rules} before it", what
    yield (
        f"{plain(answer.bot)} as {plain(answer.seat)} {what} {text(answer.value)} against {plain(answer.against)}. "
        f"In the same games {rules} {does} {text(answer.rules_value)}, a difference of {text(answer.gain)}, {known}, "
        f"and {'agree' if does != what else 'agrees'} with {text(answer.same)} of its choices."
    )
    styles = {plain(one.bot): one.style for one in answer.others if one.style}
    styles |= {plain(answer.bot): answer.style} if answer.style else {}
    if len(styles) > 1:
        number = len(set(styles.values()))
        count = f"{number} styles" if number > 1 else "one style"
        yield f"Close to the best in these games are {', '.join(sorted(styles))}, in {count} of play."
    if answer.file:
        start = "" if answer.file.startswith(("/", ".")) else "./"
        yield f"The rules are a bot: --bot {plain(answer.seat)}={start}{plain(answer.file)}"


def _choose(rule: TaughtRule) -> str:
    more = len(rule.choose) - CHOICES
    return ", else ".join(rule.choose[:CHOICES]) + (f", else {more} more" if more > 0 else "")


def _two(phase: str, one: ChoiceDifference) -> str | None:
    if phase not in one.taken:
        return None
    return f"{100 * one.taken[phase].value:.0f} % ({100 * one.other[phase].value:.0f} %)"
