"""Single changes in best play as a sentence and a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.present.estimate import plain
from simlab.questions.best_play_changes.analysis import BestPlayChanges, Change

TITLE = "Single changes in best play"
CHAPTER, RANK = "Who wins", 5


def blocks(answer: BestPlayChanges) -> Iterator[Block]:
    closest, target = answer.closest, f"{100 * answer.target:.3g} %"
    note = (
        f"Closest to {target} first. {answer.games:,} games per match-up and change; best play was computed again from "
        "all bots of this run, because a change that stops one line of play may open another. Each 95 % interval "
        "holds for the whole table of match-ups of its change. These games are not part of the run."
    )
    columns = (
        *attributes("change=text", f"{plain(answer.seat, 60)} wins in best play=win_rate"),
        Column[Change]("bots in best play (estimate)", _bots),
    )
    yield Table(answer.changes, columns, TITLE, note)
    yield Paragraph(
        f"{closest.text} on held-out seeds, {closest.games:,} games per match-up: {closest.win_rate.full} in best play "
        f"({_bots(closest)}). Use this number: of the {len(answer.changes):,} changes in the table, the closest "
        "was partly chosen by chance."
    )


def headline(answer: BestPlayChanges, seat: int) -> str:
    """The closest change, as the end of a sentence about the first (0) or the second (1) of two seats."""
    rate, target = answer.closest.win_rate, answer.target
    if seat:
        rate, target = rate.complement, 1 - target
    aim = "a fair share" if answer.target == 0.5 else f"the target ({100 * target:.3g} %)"
    if len(answer.changes) == 1:
        return f"{answer.closest.text} gives {rate.full} in best play"
    tried = f"of {len(answer.changes)} single changes tried, {answer.closest.text} came closest to {aim}"
    return f"{tried}; on held-out seeds it gives {rate.full} in best play"


def _bots(change: Change) -> str:
    sent = ((plain(seat, 60), [plain(bot, 60) for bot in list(bots)[:3]]) for seat, bots in change.bots.items())
    return "; ".join(f"{seat}: {', '.join(bots)}" for seat, bots in sent)
