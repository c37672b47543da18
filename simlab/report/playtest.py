"""People's games beside the bots', in words and tables."""

from __future__ import annotations

import numpy as np

from simlab.studies.playtest import Answer, Figure, Fit

FEW = 20  # games below which silence says little


def sentences(answer: Answer) -> list[str]:
    """What the playtests say, and what they cannot."""
    best, data = answer.fits[0], answer.data
    said = [_beside(best, data.games)]
    off = [figure for figure in best.figures if figure.adjusted < 0.05]
    if off:
        said.append(f"Even the line-up that fits best has it wrong: {'; '.join(_gap(figure) for figure in off)}.")
    if len(answer.fits) > 1 and answer.explains:
        said.append(_fits(answer))
    if data.games < FEW:
        few = f"{data.games} games are few" if data.games > 1 else "One game is little"
        none = "" if off else ", and that none does is no proof of likeness"
        said.append(f"{few}: only large differences can show{none}.")
    shared = [name for name, games, *_ in answer.people if games > 1]
    if shared:
        said.append("Games of the same people are not independent: the true intervals are wider than these.")
    minutes = data.minutes[~np.isnan(data.minutes)]
    if minutes.size:
        timed = (data.turns > 0) & ~np.isnan(data.minutes)
        a_turn = f", {data.minutes[timed].sum() / data.turns[timed].sum():.1f} a turn" if timed.any() else ""
        ends = f"{minutes.min():.0f} to {minutes.max():.0f}"
        said.append(f"A game took {minutes.mean():.0f} minutes on average ({ends}){a_turn}.")
    return said


def _beside(fit: Fit, games: int) -> str:
    off = [figure for figure in fit.figures if figure.adjusted < 0.05]
    if off:
        are = (
            f"The {games:,} games of people are not like those" if games > 1 else "The game of people is not like those"
        )
        differ = f"{len(off)} of {len(fit.figures)} figures {'differ' if len(off) > 1 else 'differs'}"
        return f"{are} of {fit.name}: {differ}, at 5 % for all of them together."
    lie = f"The {games:,} games of people lie" if games > 1 else "The game of people lies"
    return f"{lie} within what games of {fit.name} show: no figure differs for certain."


def _gap(figure: Figure) -> str:
    if figure.rate:
        return f"{figure.words} in {100 * figure.people:.0f} % with people, {100 * figure.bots:.0f} % with bots"
    return f"{figure.people:.1f} {figure.words} with people, {figure.bots:.1f} with bots"


def _fits(answer: Answer) -> str:
    best = answer.fits[0]
    level = [fit.name for fit in answer.fits[1:] if not fit.told_apart]
    told = f"By {', '.join(answer.explains)}, {best.name} explains the games best of {len(answer.fits)} line-ups"
    if not level:
        return f"{told}, and better than each of the others for certain."
    names = ", ".join(level[:3]) + (f" and {len(level) - 3} more" if len(level) > 3 else "")
    return f"{told}; {names} cannot be told from it. The best of those tried need not be good: see the figures."


def figure_rows(fit: Fit) -> list[tuple[str, int, str, str, str, str]]:
    """The figures of a line-up: words, games of people, theirs, the bots', p, p for all of them together."""
    return [(f.words, f.games, _people_text(f), _bots_text(f), f"{f.p:.3f}", f"{f.adjusted:.3f}") for f in fit.figures]


def fit_rows(answer: Answer) -> list[tuple[str, str, str, str, str]]:
    """The line-ups, the best first: name, how far behind, weight, worse for certain, share of the mix."""
    return [
        (
            fit.name, f"{fit.behind:.1f}", f"{100 * fit.weight:.0f} %", "yes" if fit.told_apart else "no",
            f"{100 * fit.share:.0f} % ({100 * fit.share_low:.0f}-{100 * fit.share_high:.0f})",
        )
        for fit in answer.fits
    ]  # fmt: skip


def _people_text(figure: Figure) -> str:
    if figure.rate:
        return f"{100 * figure.people:.0f} % ({100 * figure.low:.0f}-{100 * figure.high:.0f})"
    return f"{figure.people:.1f}"


def _bots_text(figure: Figure) -> str:
    return f"{100 * figure.bots:.0f} %" if figure.rate else f"{figure.bots:.1f} ({figure.low:.1f}-{figure.high:.1f})"
