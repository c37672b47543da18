"""Circles: bots that beat each other in turn, and better replies that lead back to where they began."""

from __future__ import annotations

from simlab.present.estimate import Estimate
from simlab.report.match_ups import Study
from simlab.results.view import View


def circle_sentences(view: View, study: Study) -> list[str]:
    """Rock, paper, scissors: only circles whose every step is sure."""
    said = []
    for ring in study.rings:
        names = [study.both[bot] for bot in ring]
        shares = {(duel.a, duel.b): duel for duel in study.duels}
        told = []
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            duel = shares[a, b]
            told.append(f"{study.both[a]} beats {study.both[b]} ({Estimate(duel.share, duel.low, duel.high).inner})")
        said.append(f"Rock, paper, scissors over both seats, {len(names)} bots: {', '.join(told)}.")
    for circle in study.circles:
        told = []
        for step in circle.steps:
            gain = Estimate(100 * step.gain, 100 * step.low, 100 * step.high, False)
            others = [study.bots[seat][bot] for seat, bot in enumerate(step.after) if seat != step.seat]
            left, taken = (study.bots[step.seat][profile[step.seat]] for profile in (step.before, step.after))
            who = f"against {' and '.join(others)} {view.the(view.seats[step.seat])} does better with {taken}"
            told.append(f"{who} than with {left}, by {gain.full} points")
        said.append(f"A circle of better replies: {'; '.join(told)}; and round again.")
    return said


def circles_sentence(study: Study) -> str:
    """How much goes in circles; empty where only one seat has a choice."""
    if sum(len(bots) > 1 for bots in study.bots) < 2:
        return ""
    if study.circles or study.rings:
        many = (
            f"{study.on_circle:,} of {len(study.match_ups):,} match-ups lie on a circle of better replies: whatever is "
        )
        return f"{many}played there, one side does better with another bot." if study.on_circle else ""
    return (
        f"No circle: of {study.replies:,} sure better replies none lead back to where they began."
        if study.replies
        else "No circle can be shown: no bot is for certain a better reply than another."
    )
