"""Tables in the terminal: names as they are, plain where there is no terminal."""

import io
import itertools
import math

import pytest

from simlab.present.blocks import Column, Table, tables_in
from simlab.present.estimate import Estimate
from simlab.present.terminal import renderables
from simlab.questions import questions
from simlab.questions.bots.analysis import matrix_of, of_run
from simlab.questions.bots.words import blocks, matrix_blocks
from simlab.questions.contract import analysis as contract
from simlab.questions.contract import words as contract_words
from simlab.questions.endings.analysis import ending_shares
from simlab.questions.win_rates.words import MOST_LINES
from simlab.report import summary
from simlab.runs.view import View
from tests import printed as tables

KINDS = ["one", "match_ups", "walls", "two_knobs", "switch", "three_seats", "hostile"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_headline_is_plain_text_in_a_file(kind, every):
    text = tables.to_text(*renderables(summary.headline(every[kind])))
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 120
    assert len(text.splitlines()) < 130
    assert "%" in text


def test_the_headline_has_rates_with_intervals_endings_and_the_verdict(one):
    text = tables.to_text(*renderables(summary.headline(one)), width=200)
    for word in (
        "besieger wins",
        "by assault",
        "mean turns",
        "3,000",
        "clearly or strongly favoured",
        "wanted 45 to 55 %",
        "broken",
    ):
        assert word in text
    rate = View(one).all.win_rate(0)
    assert tables.typed(rate.full) in text


@pytest.mark.parametrize("width", [66, 80, 120, 200])
@pytest.mark.parametrize("kind", ["one", "match_ups", "walls", "switch"])
def test_no_interval_breaks_over_lines_and_endings_have_theirs(width, kind, every):
    matrix = matrix_of(every[kind])
    shown = renderables(matrix_blocks(matrix)) if matrix else ()
    text = tables.typed(tables.to_text(*renderables(summary.win_rates(every[kind])), *shown, width=width))
    assert max(len(line) for line in text.splitlines()) <= width
    for pool in View(every[kind]).groups(MOST_LINES):
        for estimate in (pool.win_rate(0), pool.mean_length(), *ending_shares(pool)):
            assert estimate.value == 0 or f"({tables.typed(estimate.ends)})" in text


def test_no_title_or_value_is_cut_off_at_any_width():
    titles = ["option or card", "used", "worth of it", "verdict", "length without it", "bot without it", "by chance"]
    row = ("Construct Mine", 0.5, Estimate(46.1, 38.2, 53.4, False), "no detectable change", 7.5, "starver", 0.25)
    columns = [Column(title, lambda row, place=place: row[place]) for place, title in enumerate(titles)]
    for width, rows in itertools.product(range(45, 131), ([row], [row, row])):
        lines = tables.to_text(*renderables([Table(rows, columns)]), width=width).splitlines()
        assert max(map(len, lines)) <= width
        text = " ".join(lines).split()
        missing = [
            word for word in " ".join([*titles, "46 (38 to 53)", "no detectable change"]).split() if word not in text
        ]
        assert not missing, (width, missing)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_wraps_and_loses_nothing(width, one, match_ups):
    for made in (one, match_ups):
        text = tables.to_text(*renderables(summary.win_rates(made)), width=width)
        assert "..." not in text
        assert "…" not in text
        assert View(made).all.win_rate(0).text.split()[0] in text


def test_brackets_are_text_and_not_markup(match_ups):
    assert "[remedies]" in tables.to_text(*renderables(summary.headline(match_ups)), width=200)


def test_the_matrix_stands_in_the_headline_of_many_match_ups(match_ups):
    text = tables.to_text(*renderables(summary.headline(match_ups)))
    assert "besieger / besieged" in text
    assert "an interval of ±" in text
    assert "all together" in text


def test_markup_in_a_name_is_text(hostile):
    text = tables.to_text(*renderables(summary.win_rates(hostile)), width=200)
    assert "[bold]x" in text


def test_the_ranking_is_one_table_per_seat(match_ups, one):
    text = tables.to_text(*renderables(blocks(of_run(match_ups))))
    assert text.index("besieger, strongest first") < text.index("besieged, strongest first")
    ranking = of_run(match_ups).ranking
    bots = [line.bot for line in ranking["besieger"]]
    assert bots.index("bot8") < bots.index("bot0")
    assert list(blocks(of_run(one))) == []


def test_no_contract_no_table(walls, one):
    assert contract.of_run(walls) is None
    text = tables.to_text(*renderables(contract_words.blocks(contract.of_run(one))))
    assert "broken" in text and "met" in text


def test_a_terminal_gets_colours(one, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Terminal()
    tables.show(*renderables(contract_words.blocks(contract.of_run(one))), file=screen, width=100)
    assert "\x1b[3" in screen.getvalue()


def test_a_terminal_that_knows_only_ascii_is_served(one):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    tables.show(*renderables(summary.headline(one)), file=out)
    out.flush()
    assert b"favoured" in out.buffer.getvalue()


def test_every_table_of_every_answer_is_a_data_frame(every):
    """As many rows, and a column for each of its columns or ends of intervals; in pandas and Polars alike."""
    found = 0
    for kind in KINDS:
        for question in questions():
            answer = question.of_run(every[kind]) if question.reads_runs else None
            if answer is None:
                continue
            frames, others = answer.to_polars(), answer.to_pandas()
            for table, frame, other in zip(tables_in(answer.to_blocks()), frames, others, strict=True):
                assert frame.height == len(table.rows) == len(other)
                assert list(other.columns) == frame.columns
                for place, column in enumerate(table.columns):
                    held = [row[place] for row in table.values]
                    rates = [
                        value for value in held if isinstance(value, Estimate) and math.isfinite(value.low + value.high)
                    ]
                    assert {column.title, *([f"{column.title} low"] if rates else [])} <= set(frame.columns)
                    if held and len(rates) == len(held):
                        assert frame[column.title].to_list() == [rate.value for rate in rates]
                        assert frame[f"{column.title} high"].to_list() == [rate.high for rate in rates]
                found += 1
    assert found > 50
