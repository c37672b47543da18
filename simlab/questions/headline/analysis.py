"""The headline of a run: its verdict, and the win rates that the first chart shows."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Part, Rate
from simlab.present.estimate import plain, value_text
from simlab.questions.contract.analysis import RunContract
from simlab.questions.contract.analysis import of_run as contract_of
from simlab.questions.endings import words as endings_words
from simlab.questions.endings.analysis import of_run as endings_of
from simlab.questions.headline import best_play, these_bots
from simlab.questions.headline.next_steps import open_questions
from simlab.questions.headline.verdict import Verdict
from simlab.questions.ladder import words as ladder_words
from simlab.questions.ladder.analysis import climb, is_ladder
from simlab.questions.ladder.analysis import of_run as ladder_of
from simlab.questions.length import words as length_words
from simlab.questions.length.analysis import of_run as length_of
from simlab.questions.win_rates.analysis import Winner, fair_share, line, winners
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of

MOST_VALUES = 12  #: of a knob that the first chart shows one by one


class WhoWins(Part):
    """The first chart.

    Attributes:
        rates: name -> win rate. fair: a fair share; None if there is none.
        winners: the seats and sides of the game, which have colours; the names may also be those of settings or bots.
    """

    rates: dict[str, Rate]
    winners: tuple[Winner, ...]
    fair: float | None
    caption: str


class Headline(GamesAnswer, form="headline"):
    """Who is favoured. contract: None if the designer set no targets."""

    verdict: Verdict
    who_wins: WhoWins
    contract: RunContract | None


def of_run(results: Any) -> Headline:
    """The headline of a run, computed once and shared by all that show it."""
    view = view_of(results)
    if "headline" not in view.answers:
        verdict = _verdict(view)
        who_wins = _who_wins(view, verdict)
        view.answers["headline"] = Headline.of(view, verdict=verdict, who_wins=who_wins, contract=contract_of(view))
    answer: Headline = view.answers["headline"]
    return answer


def _verdict(view: View) -> Verdict:
    """Who is favoured in best play here, or with these bots if best play is unknown."""
    lasts: tuple[str, ...] = (
        length_words.sentence(length_of(view)),
        endings_words.sentence(endings_of(view, brief=True)),
    )
    reach = these_bots.limits(view)
    if is_ladder(view):
        ladder = climb(view)
        lead = tuple(ladder_words.sentences(ladder))
        return Verdict(headline=ladder_words.headline(ladder), findings=lead, mood="mixed", details=(reach, *lasts))
    if best := best_play.verdict(view):
        return these_bots.with_roles(view, best.model_copy(update={"details": (reach, *lasts)}))
    found = these_bots.verdict(view)
    above, below = (found.findings[:1], found.findings[1:]) if len(view.cells) > 1 else ((), found.findings)
    if len(view.seats) > 2 and not view.joint_sides and len(view.cells) == 1:
        above, lasts = (*above, *lasts[1:]), lasts[:1]
    findings = (*these_bots.bots_differ(view), *above)
    changes = {"findings": findings, "details": (*below, *lasts), "open": tuple(open_questions(view))}
    return found.model_copy(update=changes)


def _who_wins(view: View, verdict: Verdict) -> WhoWins:
    """The win rates of best play if they are known."""
    shown = tuple(winners(view))
    if verdict.best_play is not None:
        names = dict(zip(view.raw_seats, view.labels, strict=True))
        rates = {names.get(side, side): rate for side, rate in verdict.best_play.items()}
        fair = 0.5 if len(view.seats) == 2 and len(rates) == 2 else None
        caption = "Win rates with the best of these bots in each seat, with 95 % intervals."
        return WhoWins(rates=rates, winners=shown, fair=fair, caption=caption)
    if verdict.best_play_by_setting is not None:
        rates = {plain(one.setting): one.win_rate for one in verdict.best_play_by_setting}
        caption = f"Win rate of {view.the(view.seats[0])} in best play at each setting, with 95 % intervals."
        return WhoWins(rates=rates, winners=shown, fair=0.5, caption=caption)
    if verdict.in_field is not None:
        caption = "Share of the wins of each bot in a field of the others, with 95 % intervals."
        return WhoWins(rates=verdict.in_field, winners=shown, fair=None, caption=caption)
    ladder = ladder_of(view) if is_ladder(view) else None
    if ladder is not None and ladder.rungs:
        top = ladder.best_rung
        caption = f"Win rates with {top.name} in all seats, with 95 % intervals."
        fair = None if ladder.together else top.fair_share
        return WhoWins(rates=top.win_rate, winners=shown, fair=fair, caption=caption)
    if (curve := _by_value(view, shown)) is not None:
        return curve
    each = "" if len(view.cells) == 1 else ", all cells together"
    caption = f"Win rates with these bots{each}, with 95 % intervals. Best play is unknown."
    wins = line(view, view.all).wins
    rates = {one.name: wins[one.column] for one in shown}
    return WhoWins(rates=rates, winners=shown, fair=fair_share(view), caption=caption)


def _by_value(view: View, shown: tuple[Winner, ...]) -> WhoWins | None:
    """The win rate by the value of the only knob that varies, because its curve is the answer and not its average. It
    is that of the first winner, or among several rivals of the one whose rate differs most between values.
    """
    if len(view.varied) != 1 or view.designed or not 2 <= len(*view.varied.values()) <= MOST_VALUES:
        return None
    ((knob, values),) = view.varied.items()
    wins = [line(view, pool).wins for pool in view.by_value(knob)]
    rates = {one.name: [of[one.column] for of in wins] for one in shown}
    most = shown[0].name
    if len(shown) > 2:
        most = max(rates, key=lambda name: max(r.value for r in rates[name]) - min(r.value for r in rates[name]))
    names = [f"{plain(knob, 40)} = {value_text(value)}" for value in values]
    pooled = ", all line-ups together" if len(view.cells) > len(values) else ""
    by = f"{plain(knob, 40)}{pooled}"
    caption = f"Win rate of {most} with these bots by {by}, with 95 % intervals. Best play is unknown."
    if len(shown) > 2:
        caption += f" Of all winners, {most} has the largest difference between two values in these games."
    return WhoWins(
        rates=dict(zip(names, rates[most], strict=True)), winners=shown, fair=fair_share(view), caption=caption
    )
