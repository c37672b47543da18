"""Analyses of a finished run that play more games: every question with an `after_run` adds its answer.

studies.json holds the answers by number of players. The run's data do not change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from simlab.bot_registry import bots_for, load_bot, tunable
from simlab.errors import GameTruncated, InputError
from simlab.questions import questions
from simlab.questions.finished_run import FinishedRun
from simlab.registry import load_game
from simlab.runs.results import Results
from simlab.runs.store import Folder
from simlab.runs.worker_pool import in_a_thread
from simlab.spec.experiment import Experiment

FORM = 4  #: of studies.json


def study(results: Results, experiment: Experiment, notify: Callable[[str], None] | None = None) -> bool:
    """Adds studies.json to a complete run, unless it is there already.

    Returns:
        whether the analyses are there. They are left out if games are missing or failed, or if an earlier attempt did
            not finish (so a bot that kills its process does so only once).
    """
    folder = Folder(results.folder)
    played: list[object] = [FORM, *((cell.key, cell.games) for cell in results.cells)]
    if experiment.remedies:
        played += [experiment.remedy_games, *experiment.remedies]
    mark = hashlib.sha256(repr(played).encode()).hexdigest()[:32]
    if folder.has("studies.json"):
        try:
            before = folder.read_json("studies.json")
        except InputError:
            before = None
        if isinstance(before, dict) and before.get("of") == mark:
            return bool(before.get("done"))
    if results.partial or results.failed:
        return False
    if notify:
        changes = f", and trying {len(experiment.remedies)} single changes" if experiment.remedies else ""
        notify(f"playing some games again for the report{changes}")
    folder.write_json("studies.json", {"of": mark, "done": False})
    made = {len(part.names.seats): _answers(FinishedRun(part, experiment)) for part in results.tables}
    folder.write_json("studies.json", {"of": mark, "done": True, "players": made})
    return True


def _answers(run: FinishedRun) -> dict[str, Any]:
    """Name of a question -> its answer as JSON; an answer is left out if too many of its games are truncated."""
    asked = {one.name: ask for one in questions() if (ask := getattr(one.module("analysis"), "after_run", None))}
    # An interrupt does not wait for these threads.
    running = {name: in_a_thread(partial(ask, run), f"simlab {name}") for name, ask in asked.items()}
    answers = {}
    for name, future in running.items():
        with suppress(GameTruncated):
            if answer := future.result():
                answers[name] = answer.to_json()
    return {**answers, "bots": [{"cell": run.results.cells[0].label, **_bots(run)}]}


def _bots(run: FinishedRun) -> dict[str, Any]:
    """How each bot of the run plays, in words; which bots of each seat were not in the run; and which can be tuned."""
    game = load_game(run.experiment.table_ref())
    answer: dict[str, Any] = {"descriptions": {}, "untried": {}, "tunable": {}}
    for seat in run.results.names.seats:
        loaded = {
            text: load_bot(game, seat, ref).policy
            for text, ref in zip(run.experiment.bots[seat], run.experiment.bot_refs[seat], strict=True)
        }
        there, able = {policy.name for policy in loaded.values()}, tunable(game, seat)
        answer["descriptions"][seat] = {text: " ".join(policy.help.split()) for text, policy in loaded.items()}
        answer["untried"][seat] = [name for name in bots_for(game, seat) if name not in there]
        answer["tunable"][seat] = [text for text, policy in loaded.items() if policy.name in able]
    return answer
