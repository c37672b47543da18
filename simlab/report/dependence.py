"""Whether who is favoured hangs on the bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simlab.present.estimate import LEVEL, Estimate
from simlab.report.match_ups import Study
from simlab.results.view import View

STAMPS = {
    "holds": "holds",
    "leans": "leans",
    "fragile": "fragile",
    "even": "even",
    "open": "cannot tell yet",
    "few": "cannot tell yet",
}


def twins_sentence(view: View) -> str:
    """Which names stand for one and the same bot, as `rusher` and `rusher:speed=3` where 3 is its usual speed."""
    same = dict.fromkeys(
        (cell.bots[seat], kept.bots[seat])
        for cell, kept in view.twins
        for seat in view.raw_seats
        if cell.bots[seat] != kept.bots[seat]
    )
    told = [f"{one} is {other} under another name" for one, other in same]
    return f"Counted once: {'; '.join(told[:6])}{' and more' if len(told) > 6 else ''}." if told else ""


def balance_sentence(view: View, study: Study) -> str:
    """Whether who is favoured hangs on the bots."""
    if len(view.sides) == 1:
        return _together_sentence(view, study)
    said = study.dependence
    if study.swapped == "drawn":
        return _drawn_sentence(view, study)
    kinds = f"{said.total:,} match-ups"
    if study.swapped:
        two = len(view.seats) == 2
        kinds = f"{said.total:,} {'pairings' if two else 'line-ups'} of bots, "
        kinds += "each played both ways round" if two else "each in every order of the seats"
    total = f"{kinds}{' (all settings of the knobs taken together)' if view.varied else ''}"
    kind, share_meant = "side" if view.joint_sides else "seat", f"an equal share ({100 / len(view.sides):.3g} %)"
    if said.leader is None:
        if said.stamp == "even":
            return (
                f"No {kind} is favoured over {share_meant}: in {said.even:,} of {total} the game is even for certain."
            )
        sure = f"In none of {total} is a {kind} favoured over {share_meant} for certain"
        return f"{sure}; in {said.even:,} the game is even."
    names = [f"the {side}" if view.joint_sides else view.the(side) for side, _, _ in view.sides]
    leader = names[said.leader]
    are, win = ("are", "win") if view.joint_sides and view.sides[said.leader][2] == "win" else ("is", "wins")
    parts = [
        f"{leader[:1].upper()}{leader[1:]} {are} favoured for certain in {said.favoured[said.leader]:,} of {total}"
    ]
    parts += [
        f"{names[side]} in {count:,}" for side, count in enumerate(said.favoured) if side != said.leader and count
    ]
    parts += [f"it is even in {said.even:,}"] if said.even else []
    parts += [f"it is open in {said.open:,}"] if said.open else []
    share = Estimate(said.mean, said.low, said.high)
    fair = 100 / len(view.sides)
    text = f"{', '.join(parts)}; averaged over them {leader} {win} {share.full}, where an equal share is {fair:.3g} %."
    why = []
    if "against" in said.reasons:
        why.append("other bots turn it round in more than one match-up of ten")
    if "left out" in said.reasons and said.left_out:
        seat, bot, rest = said.left_out
        where = "" if study.swapped else f" as {view.seats[seat]}"
        why.append(f"without {study.bots[seat][bot]}{where} the average is {100 * rest:.1f} %")
    if "best play" in said.reasons:
        why.append(f"in best play {leader} wins less than its share")
    if why:
        return f"{text} Fragile: {'; '.join(why)}."
    if said.stamp == "few":
        return f"{text} Too few match-ups to say whether that hangs on the bots."
    if said.stamp == "leans":
        return f"{text} It leans that way, but not in nine match-ups of ten."
    return f"{text} It holds: no bot here turns it round." if said.stamp == "holds" else text


def _drawn_sentence(view: View, study: Study) -> str:
    """Whether a seat wins more than its share over drawn line-ups of the same bots."""
    said, fair = study.dependence, 100 / len(view.seats)
    over = (
        f"over {len(study.match_ups):,} drawn line-ups, with the same bots about equally often in each seat (single "
        "line-ups show the bots, not the seats)"
    )
    if said.leader is None:
        return f"No seat wins significantly more than an equal share ({fair:.3g} %) {over}."
    share = Estimate(said.mean, said.low, said.high)
    leader = view.the(view.seats[said.leader])
    wins = f"it wins {share.full}, where an equal share is {fair:.3g} %"
    return f"{leader[:1].upper()}{leader[1:]} is significantly favoured: {wins}, {over}."


def _together_sentence(view: View, study: Study) -> str:
    """With which bots those win least and most who all win or all lose."""
    name, _, wins = view.sides[0]
    level = 1 - (1 - LEVEL) / len(study.match_ups)
    rates = []
    for match in study.match_ups:
        cells = [cell for cell in view.cells if tuple(cell.bots[seat] for seat in view.raw_seats) == match.bots]
        rates.append((view.pool("", cells).side_rate(0, level), match))
    (low, least), (high, most) = (pick(rates, key=lambda line: line[0].value) for pick in (min, max))
    if low.high >= high.low:
        return f"The {name} {wins} about as often with all bots, as far as these games show: {low.full} to {high.full}."
    return (
        f"It hangs on the bots how often the {name} {wins}: {low.full} with {' v '.join(least.bots)}, "
        f"{high.full} with {' v '.join(most.bots)}."
    )


def summary(view: View, study: Study, sides: Sequence[str]) -> dict[str, Any]:
    """Who is favoured in how many match-ups, and whether that hangs on the bots."""
    said = study.dependence
    return {
        "stamp": said.stamp,
        "equal_share": 1 / len(view.sides),
        "favoured": dict(zip(sides, said.favoured, strict=True)),
        "even": said.even,
        "open": said.open,
        "leader": None if said.leader is None else sides[said.leader],
        "mean": {"estimate": said.mean, "low": said.low, "high": said.high},
        "reasons": list(said.reasons),
        "sentence": balance_sentence(view, study),
    }
