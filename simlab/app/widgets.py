"""The app's statistics as HTML and SVG. Everything that comes from a game is shown as text."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jinja2 import Template
from markupsafe import Markup

from simlab.app.live_summary import LiveSummary, change_text
from simlab.present.html import templates

if TYPE_CHECKING:
    from simlab.present.estimate import Estimate

PRINTED, TWEAK = "printed rules", "your tweak"  #: names of the two sets of rules
_STATES = {"met": "met", "broken": "broken", "inconclusive": "cannot"}


@functools.cache
def _template() -> Template:
    return templates("simlab.app").get_template("figures.html.j2")


def figures(summary: LiveSummary) -> str:
    """All statistics of a play."""
    heads = [PRINTED, *([TWEAK, "change"] if summary.tweak_games else [])]
    return _template().render(summary=summary, heads=heads, change_text=change_text, on_axis=_on_axis)


def _on_axis(share: Estimate) -> list[str]:
    """The low end, the value and the high end of a share on an axis from 0 to 200."""
    return [f"{200 * min(max(end, 0.0), 1.0):.1f}" for end in (share.low, share.value, share.high)]


def contract(clauses: Iterable[tuple[str, str]]) -> Markup:
    """The contract, (verdict, sentence) by clause, in the words of `simlab check`."""
    form = Markup('<li><span class="badge {}">{}</span> {}</li>')
    items = (form.format(_STATES.get(word, "cannot"), word, sentence) for word, sentence in clauses)
    return Markup('<ul class="contract">{}</ul>').format(Markup("").join(items))


def fault(text: str) -> Markup:
    """An error message."""
    return Markup('<p class="fault" role="alert">{}</p>').format(text)
