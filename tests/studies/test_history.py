"""What was tried: in order, with what each run set otherwise than the one before."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Shell, shell  # noqa: F401 - a fixture


def test_runs_stand_in_order_with_what_each_changed(shell: Shell) -> None:  # noqa: F811
    assert "no such folder" in shell("simlab runs").err
    for name, options in (
        ("b", ""),
        ("a", "--set walls_start=7 --bot besieger=rusher"),
        ("c", "--vary walls_start=4..5"),
    ):
        assert shell(f"simlab sweep simple_siege -n 40 --out results/{name} --backend threads {options}").status == 0
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
    assert second["changed"] == {"walls_start": ["5", "7"], "bot besieger": ["random", "rusher"]}
    assert third["changed"] == {"bot besieger": ["rusher", "random"]} and third["varied"] == {"walls_start": "4, 5"}
    assert third["games"] == 80 and 0 <= third["low"] <= third["high"] <= 1
    assert len(answer["unread"]) == 1 and "broken" in answer["unread"][0]
    page = shell("simlab runs").out
    assert "walls_start 5 -> 7" in page and "not read" in page
