"""A tuned bot in sentences and tables, and as a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from simlab.engine.bot_file import write_bot_file
from simlab.engine.payoff import unit
from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.questions.tuning.analysis import TraitGain, TunedBot, number


def sentences(answer: TunedBot) -> Iterator[str]:
    """The gain, and the traits behind it."""
    if not answer.changed:
        tried = f"({answer.settings_tried:,} tried)"
        yield f"No setting of {answer.bot} was found that does better than its current traits {tried}."
        return
    what = unit(answer.by_score)
    verdict = "" if answer.is_better else "This is not a significant gain. "
    yield (
        f"{verdict}Tuning changes the {what} of {answer.bot} as {answer.seat} from {answer.before.text} to "
        f"{answer.after.text}: {answer.gain.full}, in {answer.games_confirmed:,} held-out games."
    )
    counts = [one for one in answer.by_trait if one.lost_without.low > 0]
    if counts:
        worth = ", ".join(
            f"{one.trait} = {number(one.after)} instead of {number(one.before)} ({one.lost_without.text})"
            for one in counts
        )
        yield f"The traits that matter, with the loss if only that trait is reset: {worth}."
    elif answer.is_better:
        yield "No single trait explains the gain: resetting any one of them is not a significant loss."
    idle = [one.trait for one in answer.by_trait if one.lost_without.low <= 0]
    if idle and counts:
        yield f"Changed without a significant gain: {', '.join(idle)}."


def blocks(answer: TunedBot) -> Iterator[Block]:
    what = unit(answer.by_score)
    yield Table(
        answer.by_field,
        attributes("against", f"{what}, untuned=before", f"{what}, tuned=after", "gain"),
        f"{answer.bot} as {answer.seat}: {answer.games_confirmed:,} held-out games against each",
    )
    if answer.by_trait:
        yield Table(
            answer.by_trait,
            (
                *attributes("trait"),
                Column[TraitGain]("untuned", lambda one: number(one.before)),
                Column[TraitGain]("tuned", lambda one: number(one.after)),
                *attributes("lost=lost_without"),
            ),
            "Trait by trait: the loss if only this trait is reset",
        )
    yield from (Paragraph(text, "lead") for text in sentences(answer))
    yield Paragraph(
        f"{answer.settings_tried:,} settings in {answer.generations} generations, {answer.games_searched:,} games.",
        "note",
    )
    if answer.file:
        yield Paragraph(f"Written to {answer.file}. Play it: --bot {answer.seat}={answer.file}")


def write(answer: TunedBot, path: Path | None = None) -> TunedBot:
    """Writes the tuned bot as a file for --bot, if it differs from the untuned bot. Returns the answer with its file.

    Raises:
        InputError: another file has that name.
    """
    if not answer.changed:
        return answer
    if path is None:
        stem = re.sub(r"\W+", "_", answer.bot.rpartition("/")[2].removesuffix(".py")).strip("_")
        path = Path(f"{answer.seat}_{stem}.toml")
    traits = {name: int(value) if value == round(value) else value for name, value in answer.traits.items()}
    against = "; ".join(one.against for one in answer.by_field)
    head = f"{answer.bot}, tuned as {answer.seat} against {against} (simlab optimize bot, seed {answer.seed})."
    write_bot_file(path, answer.game, answer.bot, traits, "\n".join([head, *sentences(answer)]))
    return answer.model_copy(update={"file": str(path)})
