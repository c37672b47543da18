"""Figures: drawn for every shape of results, the same bytes twice, text as text."""

import io
import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from simlab.errors import InputError
from simlab.present import drawing
from simlab.present.blocks import Chart
from simlab.present.drawing import inline_svg, svg_text
from simlab.present.estimate import Estimate
from simlab.questions.actions.analysis import decision_uses
from simlab.questions.headline import words as headline_words
from simlab.questions.headline.analysis import WhoWins
from simlab.questions.headline.verdict import Verdict
from simlab.questions.tracks.analysis import of_run as tracks_of
from simlab.questions.win_rates.analysis import Winner
from simlab.report import figures
from simlab.runs.view import View
from tests.report import fake

KINDS = ["one", "match_ups", "walls", "two_knobs", "switch", "three_seats", "solo", "hostile"]
DRAW = {
    "win_rates": figures.win_rates,
    "knob_curve": figures.knob_curve,
    "knob_map": figures.knob_map,
    "turns": lambda view: figures.knob_curve(view, what="turns"),
    "matrix": figures.matrix,
    "endings": figures.endings,
    "ending_turns": figures.ending_turns,
    "scores": figures.scores,
    "length": figures.length,
    "survival": figures.survival,
    "metric": lambda view: figures.metric(view, "walls_end"),
    "wide metric": lambda view: figures.metric(view, "cards"),
    "tracks": figures.tracks,
    "actions": figures.actions,
    "rules": figures.rules,
}


@pytest.mark.sample("match_ups", "walls", "hostile")
@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_is_drawn_for_every_shape_of_results(kind, every):
    view = View(every[kind])
    for name, draw in DRAW.items():
        document = svg_text(draw(view))
        root = ElementTree.fromstring(document)  # is XML, whatever the names hold
        assert root.tag.endswith("svg"), name
        assert "<script" not in document
        assert len(document) < 400_000, name
        inline = inline_svg(document, f"{name}-", "What it shows <b>")
        assert "What it shows &lt;b&gt;" in inline
        ElementTree.fromstring(inline)


@pytest.mark.sample(0, 1, 2)
@pytest.mark.parametrize("name", list(DRAW))
def test_the_same_results_give_the_same_bytes(name, walls):
    assert svg_text(DRAW[name](View(walls))) == svg_text(DRAW[name](View(walls)))


def test_a_seat_that_is_called_by_a_colour_has_it_wherever_it_sits():
    assert drawing.seat_color(0, "yellow") == drawing.seat_color(3, "Yellow (kaiser)") != drawing.seat_color(3)
    assert drawing.seat_color(1, "besieged") == drawing.seat_color(1) == drawing.SEATS[1]


def test_the_headline_has_the_colours_of_the_other_charts() -> None:
    """A side whose seats also win without it is drawn like text, and the seats after it keep their colours."""
    rate = Estimate(0.5, 0.4, 0.6)
    city = Winner(name="city", column="city holds", seat=None)
    seats = tuple(Winner(name=name, column=f"{name} wins", seat=seat) for seat, name in enumerate(("CG", "PG")))
    shown = WhoWins(
        rates=dict.fromkeys(("city", "CG", "PG", "some bot"), rate), winners=(city, *seats), fair=None, caption=""
    )
    answer: Any = SimpleNamespace(who_wins=shown, verdict=Verdict(headline="", findings=(), mood="mixed"))
    draw = next(block for block in headline_words.blocks(answer) if isinstance(block, Chart)).draw
    colors = [to_hex(bar.get_facecolor()) for bar in draw().patches]
    assert colors == [drawing.INK, *drawing.SEATS[:2], drawing.FACE]


def test_a_legend_is_no_wider_than_its_figure() -> None:
    assert drawing.legend_columns(["food", "time", "faith"] * 3) == 3
    assert drawing.legend_columns(["historical outcome", "and are you a bishop", "breach bombardment"]) == 2
    assert (
        drawing.legend_columns(["a very long name of one of the endings", "a name that is as long as the first one"])
        == 1
    )


def test_text_stays_text_and_colours_follow_the_page(match_ups):
    document = svg_text(figures.matrix(match_ups))
    assert re.search(r"<text[^>]*>bot3</text>", document)
    assert re.search(r"<text[^>]*>besieged</text>", document)
    inline = inline_svg(document, "m-", "matrix")
    assert drawing.INK not in inline
    assert "var(--ink)" in inline
    assert "<metadata" not in inline
    assert not re.search(r' id="(?!m-)', inline)
    for target in re.findall(r"(?:url\(#|href=\"#)([\w.-]+)", inline):
        assert f' id="{target}"' in inline


def test_a_figure_can_be_drawn_on_axes_of_ones_own(walls):
    panel = Figure().subplots()
    for draw in (
        figures.win_rates,
        figures.endings,
        figures.length,
        figures.survival,
        figures.matrix,
        figures.actions,
        figures.rules,
        figures.tracks,
    ):
        assert draw(walls, ax=Figure().subplots()) is not None
    assert figures.length(walls, ax=panel) is panel


def test_the_seats_of_a_large_table_stay_in_their_rows():
    seats = tuple("abcdefg")
    run = fake.results(seats=seats, bots={seat: ["one", "two"] if seat == "a" else ["one"] for seat in seats})
    axes = figures.win_rates(View(run))
    rows = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) == 2 and line.get_marker() == "o"]
    assert len(rows) == len(seats)
    assert all(abs(y - row) < 0.4 for place in rows for row, y in enumerate(place))
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["one in all seats", "two as a, one elsewhere"]


def test_a_notebook_shows_the_axes_as_a_picture(walls):
    from IPython.core.formatters import DisplayFormatter

    shown, _ = DisplayFormatter().format(figures.tracks(walls))
    root = ElementTree.fromstring(shown["image/svg+xml"])
    assert root[0].attrib["fill"] == "#ffffff" or root[1].attrib["fill"] == "#ffffff"
    assert shown["image/svg+xml"].count(">turn</text>") == 2  # all panels


def test_a_dollar_is_a_dollar(hostile):
    document = svg_text(figures.matrix(hostile))
    assert ">$a$ $</text>" in document
    assert r"\frac{1}{2}" in document


def test_unknown_metrics_and_tracks_are_refused_with_the_nearest(walls):
    with pytest.raises(InputError, match="Did you mean 'walls_end'"):
        figures.metric(walls, "wals_end")
    with pytest.raises(InputError, match="Did you mean 'walls'"):
        figures.tracks(walls, name="wall")


def test_one_cell_of_results_can_be_drawn_too(walls):
    cell = walls.cells[0]
    cell.results = walls
    assert figures.length(cell) is not None


def test_use_of_actions_counts_what_was_offered(one):
    found = decision_uses(View(one), 0, 0)
    uses = found.uses
    assert [use.action for use in uses] == ["Storm", "Wait", "Dig", "Plan", "Sleep"] and found.left_out == 0
    assert uses[4].share.value == 0
    share = uses[0].share
    assert share.low < share.value < share.high
    # A game's choices count as one: the interval is that of 3,000 games, not of 24,000 choices.
    assert share.high - share.low == pytest.approx(2 * 1.96 * (share.value * (1 - share.value) / 3000) ** 0.5, rel=0.02)
    unnamed = decision_uses(View(one), 1, 1)
    assert all(use.action == f"action {use.code}" for use in unnamed.uses)


def test_bands_of_tracks_stop_where_games_get_few(one):
    track = tracks_of(View(one)).tracks[0]
    assert track.turns[0] == 1
    assert 12 < track.turns[-1] < fake.TURNS
    assert (np.diff(track.quantiles) >= 0).all()


def test_endings_by_turn_add_up_to_all_games(one):
    view = View(one)
    table = view.all.sum("outcomes").sum(axis=0)
    assert table.sum() == view.games
    drawn = svg_text(figures.ending_turns(view))
    most = int(table.sum(axis=1).argmax())
    assert view.endings[most] in drawn
    assert f">{100 * table.max() / view.games:.0f}<" in drawn


def test_tiles_and_their_names_are_texts_in_svg_and_pixels_elsewhere():
    """In each kind of picture; texts in SVG stand at their middle or end, whatever font a browser has."""
    bots = {"besieger": ["rusher", "a$b"], "besieged": ["warden", "cook"]}
    ax = figures.matrix(View(fake.results(bots=bots, games=300)))
    svg = svg_text(ax)
    for name, anchor in (("rusher", "end"), ("a$b", "end"), ("warden", "start"), ("cook", "start")):
        assert re.search(rf"<text [^>]*text-anchor: {anchor}[^>]*>{re.escape(name)}</text>", svg), name
    assert len(re.findall(r"<text [^>]*text-anchor: middle[^>]*>\d+</text>", svg)) == 4
    picture = io.BytesIO()
    ax.get_figure().savefig(picture, format="png", dpi=60, facecolor="white")
    colors = imread(io.BytesIO(picture.getvalue()))[..., :3].reshape(-1, 3)
    assert len(np.unique(colors, axis=0)) > 20  # four tiles, and texts with soft edges
