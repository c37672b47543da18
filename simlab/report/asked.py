"""Which figures of a page were asked for before the games were played, and which were merely noticed."""

from __future__ import annotations

from simlab.experiments.asked import asked_words
from simlab.present.estimate import plain
from simlab.results.view import View


def asked(view: View) -> str:
    """One sentence or two: what was asked before, and how all else on the page is judged."""
    precise = f"the win rate of {view.the(view.seats[0])}" if view.config.get("stop") and view.seats else ""
    words = plain(asked_words(view.contract, precise), 600)
    noticed = (
        "was noticed after: what is called favoured, off its fair share or changed for certain is judged together with "
        "the other lines of its table (Holm or Bonferroni); single intervals and the course of a game hold at 95 % "
        "each. Ask for what matters in [contract], and play fresh seeds."
    )
    if words:
        return f"Asked before: {words}. All else on this page {noticed}"
    return f"No figure was asked for before the games were played: all on this page {noticed}"
