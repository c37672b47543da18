"""Verified games in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Command, Paragraph, Table, places
from simlab.present.estimate import number
from simlab.questions.verify.analysis import DifferentGame, FingerprintCheck, Verification, WrittenFingerprint
from simlab.words import counted, first_of

_MOST_COLUMNS, _MOST_VARIANTS = 6, 12


def blocks(answer: Verification | FingerprintCheck | WrittenFingerprint) -> Iterator[Block]:
    if isinstance(answer, Verification):
        yield from _verified(answer)
    elif isinstance(answer, FingerprintCheck):
        yield from _fingerprint(answer)
    else:
        size = f"{counted(answer.games, 'game')} in {counted(answer.variants, 'variant')}"
        yield Paragraph(f"{answer.fingerprint}: a fingerprint of {size}.")


def _verified(answer: Verification) -> Iterator[Block]:
    if answer.gap:
        yield Paragraph(answer.gap, "warning")
    sample = f"{answer.played:,} of {answer.stored:,} stored games were played again"
    if answer.differ:
        yield Paragraph(f"MISMATCH: {sample}; {answer.differ:,} of them differ from the stored games.", "lead")
        for game in answer.examples:
            yield Command(_different(game), game.replay)
    else:
        yield Paragraph(f"identical: {sample}, and none differs.", "lead")
    if not answer.same_rules:
        cause = "that may be the cause" if answer.differ else "these games are not affected"
        yield Paragraph(f"Code, a bot or a table differs from that of the run; {cause}.", "warning")
    for alarm in answer.alarms:
        yield Paragraph(alarm, "warning")


def _different(game: DifferentGame) -> str:
    columns = list(game.columns.items())
    moved = ", ".join(f"{name} was {old}, is {new}" for name, (old, new) in columns[:_MOST_COLUMNS])
    more = f" and {len(columns) - _MOST_COLUMNS} more columns" if len(columns) > _MOST_COLUMNS else ""
    return f"game {game.game} of {game.cell}: {moved}{more}"


def _fingerprint(answer: FingerprintCheck) -> Iterator[Block]:
    games = counted(answer.games, "game")
    if answer.same:
        yield Paragraph(f"{answer.game}: identical: {games} of the fingerprint, and none differs.", "lead")
        return
    if answer.differ:
        share = number(100 * answer.differ / answer.games, 1, "%")
        yield Paragraph(f"{answer.game}: {answer.differ:,} of {games} differ ({share}).", "lead")
        variants = [(name, *counts) for name, counts in answer.variants.items()]
        variants.sort(key=lambda row: -row[1] / row[2])
        yield Table(variants, places("variant", "games that differ", "games"), most=_MOST_VARIANTS)
    else:
        yield Paragraph(f"{answer.game}: {games} with the same winner, ending and length.", "lead")
    if answer.columns:
        yield Paragraph(f"Other numbers changed: {', '.join(answer.columns)}.")
    for names, where in ((answer.new, "not in the fingerprint"), (answer.gone, "only in the fingerprint")):
        if names:
            yield Paragraph(f"Variants {where}: {first_of(names, 6)}.")
    yield Paragraph("If this was intended, write the fingerprint again: --write")
