"""Asked before and noticed after are told apart, and what is noticed is judged together."""

from __future__ import annotations

import numpy as np

from simlab.engine.counts import Share, Table
from simlab.questions.diff.analysis import diff_experiments
from simlab.questions.diff.words import basis
from simlab.questions.method.analysis import prespecified
from simlab.questions.method.words import exploratory
from simlab.questions.statistics.analysis import statistic
from simlab.questions.statistics.words import sentences
from simlab.runs.view import View
from simlab.spec.experiment import asked_words, belongs
from tests.report import fake


def test_a_figure_is_asked_for_by_its_name_or_by_one_about_it() -> None:
    assert belongs("turns", ["turns_p90"])
    assert belongs("besieger_win", ["besieger_win"])
    assert not belongs("turns", ["besieger_win"])
    assert not belongs("turn", ["turns_p90"])
    assert asked_words(["turns"], "ann wins") == "turns (contract), ann wins (stop rule)"
    assert asked_words([]) == ""


def test_a_report_names_what_its_contract_asked() -> None:
    contract = {"besieger_win": {"target": 0.5, "margin": 0.05}}
    named = exploratory(prespecified(View(fake.results(contract=contract))))
    assert named.startswith("Pre-specified: besieger_win (contract). Everything else is exploratory")
    assert exploratory(prespecified(View(fake.results()))).startswith("No targets were set in advance")


def test_lines_of_all_statistics_are_judged_together() -> None:
    """A line 2.2 standard errors off its fair share stands out alone, and not as one of forty."""
    view = View(fake.results(games=4000, seed=3))
    pool = view.all
    off = Share(0.5 * 4000 + 2.2 * np.sqrt(1000), 4000, fair=0.5)
    table = Table("", "", (("first", off),))
    assert "more than the fair share" in next(sentences(statistic("x", table, pool, 1)))
    assert next(sentences(statistic("x", table, pool, 40))).startswith("No detectable")


def test_a_diff_marks_what_the_contract_asked() -> None:
    from simlab.runs.open_experiment import new_experiment

    one = {"bots": {"besieger": ["rusher"], "besieged": ["mason"]}, "games": 60, "seed": 5}
    base, tweak = (new_experiment("simple_siege", knobs, **one) for knobs in ({}, {"walls_start": 4}))
    made = diff_experiments(base, tweak, look=1)
    assert made.prespecified == () and "statistics) are exploratory" in basis(made)
    wanted = new_experiment("simple_siege", {"walls_start": 4}, contract={"turns_p90": {"max": 20}}, **one)
    named = diff_experiments(base, wanted, look=1)
    assert named.prespecified == ("turns",)
    assert "Pre-specified (contract): turns. Others (" in basis(named)
