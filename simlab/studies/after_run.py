"""What is found out about a finished run by playing some of it again: the luck ledger and the telling games.

They stand in studies.json beside the data, which they never touch. How much is played follows from the number of
games, not from the clock, so the same run has the same studies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from simlab.errors import GameTooLong, UserMistake
from simlab.runs.store import Folder

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.experiments.experiment import Experiment
    from simlab.runs.results import CellResult, Results

LEDGERS = 4  #: match-ups that get a luck ledger, those whose games are most in the balance
_MOST_ROWS = 5_000_000  # games up to which the telling ones are looked for


def study(results: Results, experiment: Experiment, tell: Callable[[str], None] | None = None) -> bool:
    """Adds studies.json to a complete run, or finds it there.

    Args:
        experiment: the one that was played.
        tell: told what is being done.
    Returns:
        whether the studies are there. They are left out where games are missing or failed, and where an earlier
        attempt never came to its end: a bot that kills its process shall do so once.
    """
    folder = Folder(results.folder)
    mark = hashlib.sha256(repr([(cell.key, cell.games) for cell in results.cells]).encode()).hexdigest()[:32]
    if folder.has("studies.json"):
        try:
            before = folder.read_json("studies.json")
        except UserMistake:
            before = None
        if isinstance(before, dict) and before.get("of") == mark:
            return bool(before.get("done"))
    if results.partial or results.failed:
        return False
    if tell:
        tell("playing some games again for the luck ledger and the telling games")
    folder.write_json("studies.json", {"of": mark, "done": False})
    folder.write_json("studies.json", {"of": mark, "done": True, **_all_studies(results, experiment)})
    return True


def _all_studies(results: Results, experiment: Experiment) -> dict[str, Any]:
    """The studies of a run, of several tables those of each."""
    each = [_studies(table, experiment) for table in results.tables]
    return {what: [one for studies in each for one in studies[what]] for what in each[0]}


def _studies(results: Results, experiment: Experiment) -> dict[str, Any]:
    from simlab.experiments.cells import cells
    from simlab.studies.luck import luck_ledger
    from simlab.studies.telling import FUTURES, telling_games

    by_label = {cell.label: cell for cell in cells(experiment)}

    @cache
    def match_of_label(label: str) -> Match:
        return by_label[label].match()

    def match_of(cell: CellResult) -> Match:
        return match_of_label(cell.label)

    balanced = sorted(results.cells, key=lambda cell: max(cell.wins.values()) / max(cell.games, 1))[:LEDGERS]
    games = sum(cell.games for cell in results.cells)
    again = min(max(games // (70 * len(balanced)), 300), 4000)  # a tenth of the run: each is played seven times
    ledgers = []
    for cell in balanced:
        with suppress(GameTooLong):  # other luck than the run's can make too many games too long: then no ledger
            ledgers.append({"cell": cell.label, **luck_ledger(match_of(cell), results.seed, again)})
    telling = []
    if results.has_rows and games <= _MOST_ROWS:
        sample = min(max(games // (100 * FUTURES), 4), 40)
        telling = telling_games(results, match_of, sample)
    return {"luck": ledgers, "telling": telling}
