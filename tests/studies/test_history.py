"""What was tried: in order, with what each run set otherwise than the one before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simlab.stats.verdict import UNDECIDED
from tests.cli.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.cli.forms import hold_to_form


def test_runs_are_listed_in_order_with_their_changes_and_effects(shell: Shell) -> None:  # noqa: F811
    assert "no such folder" in shell("simlab runs").err
    for name, options in (
        ("b", ""),
        ("a", "--set walls_start=7 --set cards_fate=red_joker:3 --set ban=besieger:assault --bot besieger=rusher"),
        ("c", "--vary walls_start=4..5 --target 0.5"),
    ):
        assert shell(f"simlab sweep simple_siege -n 100 --out results/{name} --backend threads {options}").status == 0
        manifest = Path(f"results/{name}/manifest.json")
        made = json.loads(manifest.read_text(encoding="utf-8"))
        made["created"] = f"2026-01-0{'bac'.index(name) + 1}T00:00:00+00:00"  # runs of one second have no order
        manifest.write_text(json.dumps(made), encoding="utf-8")
    Path("results/broken").mkdir()
    Path("results/broken/manifest.json").write_text("{", encoding="utf-8")

    answer = shell("simlab runs --json").json
    assert [run["folder"] for run in answer["runs"]] == ["results/b", "results/a", "results/c"]
    first, second, third = answer["runs"]
    assert first["changed"] == {}
    assert second["changed"] == {
        "walls_start": ["5", "7"], "cards_fate": ["fair", "red_joker:3"], "ban": ["none", "besieger:assault"],
        "bot besieger": ["random", "rusher"],
    }  # fmt: skip
    assert second["paired"]
    assert second["effect"]["low"] < second["effect"]["estimate"] < second["effect"]["high"]
    rates = [100 * run["low"] for run in (first, second)]
    assert second["effect"]["estimate"] == pytest.approx(rates[1] - rates[0])
    assert third["effect"] is None
    assert (second["contract"], third["contract"]) == ("", UNDECIDED)
    assert third["changed"] == {
        "cards_fate": ["red_joker:3", "fair"], "ban": ["besieger:assault", "none"],
        "bot besieger": ["rusher", "random"],
    }  # fmt: skip
    assert third["varied"] == {"walls_start": "4, 5"}
    assert third["games"] == 200 and 0 <= third["low"] <= third["high"] <= 1
    assert len(answer["unread"]) == 1 and "broken" in answer["unread"][0]
    page = shell("simlab runs").out
    assert "fair" in page and "Not read" in page
    hold_to_form(answer)
