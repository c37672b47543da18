"""Analyses of a finished run that play more games: luck, course, notable games, changes in best play.

They stand in studies.json beside the data, which they never touch. How much is played follows from the number of
games, not from the clock, so the same run has the same studies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import GameTooLong, UserMistake
from simlab.runs.store import Folder

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.experiments.experiment import Experiment
    from simlab.runs.results import CellResult, Results

FUTURES, FEWEST, MOST = 64, 12, 100  #: of each position of a game that is followed; fewest and most such games
MOST_AGAIN = 400  #: games that the report's command follows
CLOSEST = 4  #: match-ups that luck is analysed for: those whose win rates are closest
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
    played: list[object] = [(cell.key, cell.games) for cell in results.cells]
    if experiment.remedies:
        played += [experiment.remedy_games, *experiment.remedies]
    mark = hashlib.sha256(repr(played).encode()).hexdigest()[:32]
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
        tell("playing some games again to analyse luck and find notable games")
        if experiment.remedies:
            tell(f"trying {len(experiment.remedies)} single changes in best play")
    folder.write_json("studies.json", {"of": mark, "done": False})
    folder.write_json("studies.json", {"of": mark, "done": True, **_all_studies(results, experiment)})
    return True


def _all_studies(results: Results, experiment: Experiment) -> dict[str, Any]:
    """The studies of a run, of several tables those of each."""
    each = [_studies(table, experiment) for table in results.tables]
    return {what: [one for studies in each for one in studies[what]] for what in each[0]}


def _studies(results: Results, experiment: Experiment) -> dict[str, Any]:
    from simlab.experiments.cells import cells
    from simlab.questions.luck.analysis import MOST_LINE_UPS, StoredLuck, StoredSkill, luck_of, sample, skill_of
    from simlab.studies.course import Kings, courses_of, summary
    from simlab.studies.remedies import remedies
    from simlab.studies.table import sentences, table_study
    from simlab.studies.telling import most_even, telling_games

    by_label = {cell.label: cell for cell in cells(experiment)}

    @cache
    def match_of_label(label: str) -> Match:
        return by_label[label].match()

    def match_of(cell: CellResult) -> Match:
        return match_of_label(cell.label)

    balanced = sorted(results.cells, key=lambda cell: max(cell.wins.values()) / max(cell.games, 1))[:CLOSEST]
    games = sum(cell.games for cell in results.cells)
    again = min(max(games // (70 * len(balanced)), 300), 4000)  # a tenth of the run: each is played seven times
    luck = []
    for cell in balanced:
        with suppress(GameTooLong):  # redrawn luck can truncate too many games: then the cell has no shares
            made = luck_of(match_of(cell), results.seed, again)
            command = f"{match_of(cell).command('analyze luck')} --seed {results.seed} --games {again}"
            luck.append(StoredLuck(cell=cell.label, again=command, **dict(made)))
    even = most_even(results)
    alike = [cell for cell in results.cells if (cell.knobs, cell.tables) == (even.knobs, even.tables)]
    skills = []
    if len(alike) > 1:  # line-ups, and no knob between them
        chosen = sample(alike, MOST_LINE_UPS)
        each = min(max(games // (10 * len(chosen)), 50), 2000)
        with suppress(GameTooLong):
            skill = skill_of([match_of(cell) for cell in chosen], results.seed, each, luck, len(alike))
            bots = {seat: list(dict.fromkeys(cell.bots[seat] for cell in alike)) for seat in even.bots}
            command = match_of(even).command(
                "analyze luck", "--seed", str(results.seed), "--games", str(4 * each), bots=bots
            )
            skills.append(StoredSkill(cell=even.label, again=command, **dict(skill)))
    kings = Kings()
    courses, watcher = courses_of(match_of(even), results.seed, _sample(results, even), FUTURES, kings=kings)
    followed = []
    if len(courses) > 1:
        known = {"cell": even.label, **summary(watcher.match.game, courses, kings)}
        for line in known["lines"]:
            line["replay"] = watcher.match.replay_command(results.seed, line["game"])
        known["again"] = f"{watcher.match.command('analyze course')} --seed {results.seed} --games {MOST_AGAIN}"
        followed.append(known)
    at_table = []
    with suppress(GameTooLong):
        seen = table_study(match_of(even), results.seed, min(max(games // 10, 200), 20_000))
        command = f"{match_of(even).command('analyze time')} --seed {results.seed}"
        at_table.append({"cell": even.label, **seen, "sentences": sentences(seen), "again": command})
    telling = []
    if results.has_rows and games <= _MOST_ROWS:
        telling = telling_games(results, match_of, courses)
    tried = []
    if experiment.remedies:
        with suppress(GameTooLong):
            tried.append({"cell": results.cells[0].label, **remedies(experiment)})
    there = {"cell": results.cells[0].label, **_bots(experiment, results)}
    return {
        "luck": [one.model_dump(mode="json") for one in luck],
        "skill": [one.model_dump(mode="json") for one in skills],
        "course": followed,
        "table": at_table,
        "telling": telling,
        "remedies": tried,
        "bots": [there],
    }


def _sample(results: Results, cell: CellResult) -> range:
    """The games of a cell that are followed turn by turn: as many as can be for as many futures as the run has games.

    Futures take half a game on average; in a game of three sides or more, kingmakers' decisions take as much again.
    """
    turns = cell.tally.outcomes.sum(axis=(0, 1)).astype(np.int64)
    length = float((turns @ np.arange(turns.size)) / max(turns.sum(), 1))
    games = sum(cell.games for cell in results.cells)
    fit = int(games / (max(length, 1.0) * FUTURES * (2 if len(results.names.seats) > 2 else 1)))
    return range(min(max(fit, FEWEST), MOST, cell.games))


def _bots(experiment: Experiment, results: Results) -> dict[str, Any]:
    """How each bot of the run plays, in its own words, and which bots of each seat were not in it."""
    from simlab.registry import bots_for, load_bot

    game = experiment.load_game()
    plays: dict[str, str] = {}
    untried: dict[str, list[str]] = {}
    for seat in results.names.seats:
        loaded = {
            text: load_bot(game, seat, ref).policy
            for text, ref in zip(experiment.bots[seat], experiment.bot_refs[seat], strict=True)
        }
        plays |= {text: " ".join(policy.help.split()) for text, policy in loaded.items()}
        there = {policy.name for policy in loaded.values()}
        untried[seat] = [name for name in bots_for(game, seat) if name not in there]
    return {"plays": plays, "untried": untried}
