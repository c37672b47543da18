"""The report: complete, escaped, of bounded size, the same bytes for the same results."""

import re
from html.parser import HTMLParser

import pytest

from simlab.report.html import render, write_report
from tests.report import fake

KINDS = ["one", "match_ups", "walls", "two_knobs", "switch", "three_seats", "solo", "hostile"]
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Collects tags, ids and links, and minds that tags close."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.open, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]
        assert not [name for name in found if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def pages(every):
    return {kind: render(every[kind]) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_whole_needs_no_network_and_runs_nothing(kind, pages):
    text = pages[kind]
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert "script" not in page.tags
    assert {"link", "iframe", "object", "embed", "form"}.isdisjoint(page.tags)
    for link in page.links:
        assert link.startswith("#")
        assert link[1:] in page.ids
    assert not re.search(r"url\((?!#)", text)
    assert "default-src 'none'" in text
    assert len(text.encode("utf-8", "replace")) < 3_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_all_sections_are_there(kind, pages):
    for section in (
        "verdict",
        "wins",
        "endings",
        "length",
        "metrics",
        "tracks",
        "actions",
        "rules",
        "rulings",
        "method",
        "again",
        "cells",
    ):
        assert f'id="{section}"' in pages[kind], section
    assert ('id="bots"' in pages[kind]) == (kind in ("match_ups", "walls", "switch", "solo", "hostile"))
    assert ('id="knob_effects"' in pages[kind]) == (kind in ("walls", "two_knobs", "switch", "hostile"))
    assert ('id="faults"' in pages[kind]) == (kind == "hostile")


def test_each_figure_has_a_sentence(pages):
    for text in pages.values():
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", text, re.DOTALL)
        assert len(captions) == text.count("<figure") > 5
        assert all(len(caption) > 30 for caption in captions)


def test_what_strangers_wrote_is_shown_as_text(pages):
    text = pages["hostile"]
    assert "<script" not in text
    assert "<b>" not in text
    assert "49" not in re.sub(r"[\d.,]{3,}|\d+%|[-\d.]+[a-z]", "", "".join(re.findall(r"<h1>.*?</h1>", text)))
    assert "&lt;script&gt;" in text
    assert "\x00" not in text
    assert "\x1b" not in text
    assert "{{ 7*7 }}" in text


def test_the_report_says_what_a_designer_needs(pages):
    one, walls = pages["one"], pages["walls"]
    assert "clearly or strongly favoured" in one
    assert "The contract is broken in 1 of 2 lines." in one
    assert "Is it fair?" in one
    assert "F-B-12" in one
    assert "Rule number 23. <code>walls</code> may rise." in one
    assert "`" not in "".join(Page(one).text), "what a text names as code is set as code"
    assert "Sleep" in one
    assert "counters: 3 of 9 rows (C1 Ram; C2 Mine; C3 Tower)" in one
    assert "simlab run experiments/fake.toml" in one
    assert "simlab run experiment.toml --out again" in one
    assert "Wilson" in one
    assert "Goodman" in one
    assert "seed 7" in one
    assert "falls from" in walls
    assert "All cells use the same seeds" in walls
    assert "This run is not complete" in pages["hostile"]


def test_scores_and_metrics_by_ending_where_rows_are_kept(pages):
    assert "Score of player by ending" in pages["solo"]
    assert "score player" in pages["solo"]
    assert "Means of the metrics by ending" in pages["match_ups"]
    assert "Means of the metrics by ending" not in pages["one"]


def test_luck_measured_or_taken_for_the_worst(pages):
    assert "the covariance of the cells was measured" in pages["match_ups"]
    assert "assume the worst case" in pages["walls"]


def test_many_cells_stay_small():
    bots = {"besieger": [f"b{i}" for i in range(20)], "besieged": [f"w{i}" for i in range(20)]}
    text = render(fake.results(bots=bots, games=20))
    assert len(text) < 3_000_000
    assert "280 more cells" in text
    assert text.count("<svg") < 60


def test_the_file_is_written_with_its_figures_and_twice_the_same(tmp_path, one):
    one.folder = tmp_path
    path = write_report(one)
    first = path.read_bytes()
    assert path == tmp_path / "report.html"
    assert {p.name for p in (tmp_path / "figures").iterdir()} >= {
        "endings.svg",
        "length.svg",
        "rules.svg",
        "win_rates.svg",
    }
    assert write_report(one).read_bytes() == first
    assert not [p for p in tmp_path.iterdir() if p.name not in ("report.html", "figures", "tmp")]


def test_lone_surrogates_do_not_stop_the_report(tmp_path, hostile):
    assert write_report(hostile, tmp_path).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_names_the_files_below_the_current_folder_as_from_there(tmp_path, monkeypatch):
    """A page is shared: it named the author's home folder in titles and commands."""
    from simlab.present.blocks import Command, Paragraph
    from simlab.present.html import page

    home = tmp_path / "kim & co"
    home.mkdir()
    monkeypatch.chdir(home)
    other = f"/data{home}/x.py"
    blocks = [Command("replay", f"simlab replay '{home}/games/mine.py'"), Paragraph(f"{other} and /elsewhere/y.py")]
    made = page(f"{home}/games/mine.py: which knobs matter", "", blocks)
    assert "<h1>games/mine.py: which knobs matter</h1>" in made
    assert "simlab replay &#39;games/mine.py&#39;" in made
    assert other.replace("&", "&amp;") in made and "/elsewhere/y.py" in made
