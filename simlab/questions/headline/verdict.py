"""The verdict of a run: who is favoured, and the numbers of best play."""

from __future__ import annotations

from simlab.present.answer import Number, Part, Rate
from simlab.present.estimate import Mood
from simlab.questions.best_play_changes.analysis import BestPlayChanges


class DominatedBot(Part):
    """A bot that another bot of its seat dominates. against_every_opponent: whether it is significantly worse against
    each; if not, it is worse against some and better against none.
    """

    bot: str
    by: str
    against_every_opponent: bool


class SettingRate(Part):
    """The win rate in best play at one setting of the knobs."""

    setting: str
    win_rate: Rate


class Verdict(Part):
    """Who is favoured.

    Attributes:
        headline: who is favoured, in one sentence.
        findings: the size of the advantage, and how average play differs; the most important first.
        details: confidence, the bots in question, how long games last and how they end.
        open: options that were not tried, and the command that tries them.
        best_play: seat or side -> its win rate when all seats play their best bots. bots: seat -> these bots and how
            often the seat plays each. score: score in best play of a game for one player.
        average: seat or side -> its win rate over all line-ups, counted as in best play.
        dominated: seat -> its dominated bots. best_play_changes: single changes of a knob tried in best play.
        best_play_by_setting: win rates of the seat `seat`. in_field: bot -> its share of the wins in a field of the
            others.
        Each of these is None if it is unknown.
    """

    headline: str
    findings: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    mood: Mood
    best_play: dict[str, Rate] | None = None
    bots: dict[str, dict[str, float]] | None = None
    score: Number | None = None
    average: dict[str, Rate] | None = None
    dominated: dict[str, tuple[DominatedBot, ...]] | None = None
    best_play_changes: BestPlayChanges | None = None
    best_play_by_setting: tuple[SettingRate, ...] | None = None
    seat: str | None = None
    in_field: dict[str, Rate] | None = None
