"""The page of a comparison: whole, escaped, and with the figures of the comparison."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from simlab.experiments.load import new_experiment
from simlab.report.diff import chart, diff_page, write_diff
from simlab.studies.diff import Diff, diff_experiments

BOTS = {"besieger": ["rusher"], "besieged": ["mason"]}


@pytest.fixture(scope="module")
def found() -> Diff:
    base = new_experiment("simple_siege", (), (), BOTS, 600, 5)
    return diff_experiments(base, new_experiment("simple_siege", {"walls_start": 4}, (), BOTS, 600, 5), look=6)


def test_the_page_says_what_the_comparison_says(found: Diff, tmp_path: Path) -> None:
    text = write_diff(found, tmp_path / "tweak.html").read_text(encoding="utf-8")
    win = found.together.figure("besieger_win").paired
    assert "walls_start 5 -&gt; 4" in text
    assert f"{100 * win.mean_a:.2f} %" in text
    assert f"{100 * win.mean_b:.2f} %" in text
    for telling in found.telling:
        assert f"game {telling.game}" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "").replace("http://purl.org", "")


def test_names_are_escaped(found: Diff) -> None:
    assert "<script>" not in diff_page(dataclasses.replace(found, base="<script>alert(1)</script>"))


def test_the_chart_has_a_line_for_each_share(found: Diff) -> None:
    rates = [figure for figure in found.together.figures if figure.is_rate]
    assert len(chart(rates).get_yticklabels()) == len(rates)
