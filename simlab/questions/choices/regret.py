"""Why did the bot do that? The value of each option of a position, and the loss by the option taken.

    why = Why(match, seed=1, futures=100)
    found = why(stepper)  # of the decision at hand

Every option is played on in the same futures: information hidden from the seat is dealt again, and the bots play to the
end. A bot that looks ahead is replaced by its playout bot.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainSerializer

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.present.answer import Part
from simlab.present.estimate import Difference, Estimate
from simlab.present.text import text
from simlab.questions.choices.analysis import Futures
from simlab.stats.paired import paired_difference

SHOWN = 4  #: options in a text, the one taken among them


def _ends(gap: Estimate) -> tuple[float, float, float]:
    return gap.value, gap.low, gap.high


Gap = Annotated[Estimate, PlainSerializer(_ends)]  #: in JSON: value, low, high


class OptionWorth(Part):
    """An option of a decision.

    Attributes:
        code: code of the action. value: mean value over the futures. gain: value minus that of the option taken, with
            its interval; None for that option itself.
    """

    action: str
    code: int
    value: float
    gain: Gap | None


class Regret(Part):
    """The worth of the options of a decision, in the order of the legal actions.

    Attributes:
        futures: number of futures of each option. gives_up: value of the best option, which luck inflates because it
            was selected here, minus that of the option taken; a rate if values are shares of a win.
    """

    futures: int
    options: tuple[OptionWorth, ...]
    gives_up: Gap


class Why:
    """Regrets of the decisions of a match.

    Args:
        match: the match whose bots decide. futures: futures of each option of a decision.
    Raises:
        InputError: a bot looks ahead, and its playout bot does too.
    """

    def __init__(self, match: Match, seed: int, futures: int) -> None:
        plain = {
            bot.seat: bot.parts[place].text if bot.considers is not None else bot.text
            for place, bot in enumerate(match.bots)
        }
        if any(bot.text != plain[bot.seat] for bot in match.bots):
            match = match.with_bots(plain)
        self.futures, self._futures = futures, Futures(match, seed)

    def __call__(self, stepper: Stepper, taken: int) -> Regret | None:
        """The regret of an action at a position; None if there is no choice. stepper: it is not changed."""
        at = stepper.copy()
        actions = at.legal()
        if len(actions) < 2:
            return None
        each = self._futures.values(at.array, self.futures)[0][0, : len(actions)]
        own, rate = actions.index(taken), not self._futures.by_score
        level = 1 - 0.05 / (len(actions) - 1)
        gains = {
            place: Difference(*paired_difference(each[own], each[place], level).ends, rate)
            for place in range(len(actions))
            if place != own
        }
        best, low, high = (
            max(0.0, *(getattr(gain, end) for gain in gains.values())) for end in ("value", "low", "high")
        )
        options = tuple(
            OptionWorth(action=label, code=actions[i], value=float(each[i].mean()), gain=gains.get(i))
            for i, label in enumerate(at.labels(actions))
        )
        return Regret(futures=self.futures, options=options, gives_up=Difference(best, low, high, rate))


def sentences(regret: Regret) -> list[str]:
    """A regret in two lines."""
    ranked = sorted(regret.options, key=lambda one: -one.value)
    shown = ranked[:SHOWN]
    taken = next(one for one in ranked if one.gain is None)
    shown += [] if taken in shown else [taken]
    parts, limit = [], regret.gives_up
    for one in shown:
        value = f"{100 * one.value:.0f} %" if limit.rate else f"{one.value:.3g}"
        parts.append(f"{one.action} {value}" + (" (taken)" if one.gain is None else f" ({text(one.gain)})"))
    more = f"; {len(ranked) - len(shown)} more" if len(ranked) > len(shown) else ""
    lines = [f"worth, in {regret.futures} futures: {'; '.join(parts)}{more}"]
    if limit.low > 0:
        better = max((one for one in ranked if one.gain is not None), key=lambda one: one.gain.low if one.gain else 0.0)
        lines.append(f"gives up {text(better.gain)}: {better.action} is better")
    else:
        most = f"{100 * limit.high:.0f} points" if limit.rate else f"{limit.high:.3g}"
        lines.append(f"no option is significantly better; one may be by up to {most}")
    return lines
