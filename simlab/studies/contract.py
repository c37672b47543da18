"""Does a game keep the designer's contract? Games are played until each line of it is decided.

verdict = keep_contract(load_experiment("mine.toml"))
verdict.word, verdict.sentences, verdict.to_dict()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.outcome import figures_of, wins_of
from simlab.errors import UserMistake
from simlab.stats.verdict import UNDECIDED, Clause, Word, judge, overall
from simlab.studies.baseline import finite

if TYPE_CHECKING:
    from simlab.engine.tally import Tally
    from simlab.experiments.experiment import Experiment
    from simlab.game import Game
    from simlab.runs.results import Results
    from simlab.runs.runner import Event
    from simlab.runs.store import Names

LEVEL = 0.95  #: chance with which all intervals of a verdict hold together
_EXIT_CODES = {"met": 0, "broken": 1, "cannot tell yet": 3}


@dataclass(frozen=True)
class ContractVerdict:
    """The contract of an experiment held against its results.

    Attributes:
        clauses: one for each figure of the contract, with a line for each cell.
        games: label of a cell -> games played.
        budget: games a cell at most.
        cut_off: what the results say of games that went on for too long; empty where none did.
    """

    experiment: str
    folder: Path
    clauses: tuple[Clause, ...]
    games: Mapping[str, int]
    budget: int
    cut_off: str
    level: float = LEVEL

    @property
    def word(self) -> Word:
        """`met`, `broken` or `cannot tell yet`: that of the whole contract."""
        return overall(self.clauses)

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self.word]

    @property
    def sentences(self) -> list[str]:
        """The verdict in words: of the whole, of each line, and what it rests on."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        several = len(self.games) > 1
        yield f"The contract of {self.experiment}: {self.word}."
        for clause in self.clauses:
            for line in clause.lines:
                where = f"{line.where}: " if several else ""
                yield f"  {where}{line.sentence}"
        if self.cut_off:
            yield f"CUT OFF: {self.cut_off}"
        most, each = max(self.games.values()), " a cell" if several else ""
        if self.word == UNDECIDED:
            needed = [line.more_games or 0 for clause in self.clauses for line in clause.lines]
            enough = max(2 * self.budget, _round_up(self.budget + max(needed, default=0)))
            more = f"Allow more: -n {enough}; what was played counts."
            yield f"All {self.budget:,} games{each} were played. {more}"
        elif most < self.budget:
            yield f"Decided after {most:,} of at most {self.budget:,} games{each}."
        yield f"The intervals hold together with {100 * self.level:g} %, however often one looks or goes on."

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "verdict": self.word, "exit_status": self.exit_code, "folder": str(self.folder), "cut_off": self.cut_off,
            "games": sum(self.games.values()), "budget": self.budget, "level": self.level,
            "lines": [
                {
                    "figure": line.name, "cell": line.where, "games": self.games[line.where],
                    "estimate": finite(line.estimate), "low": finite(line.low), "high": finite(line.high),
                    "wanted": line.wanted, "verdict": line.verdict, "more_games": line.more_games,
                    "sentence": line.sentence,
                }
                for clause in self.clauses
                for line in clause.lines
            ],
        }  # fmt: skip


def keep_contract(
    experiment: Experiment,
    out: Path | str | None = None,
    workers: int | None = None,
    backend: str = "loky",
    scheduler: str | None = None,
    progress: Callable[[Event], None] | None = None,
    force: bool = False,
    *,
    command: str = "",
) -> ContractVerdict:
    """Plays until each line of the contract is decided in each cell, or the games are used up, and judges it.

    Args:
        out: folder of the results, by default results/<name>-check; the rest as `simlab.runs.runner.run`.
    Raises:
        UserMistake: bad input, or an experiment without a contract. GamesFailed, RunFailed: as `run`.
    """
    from simlab.runs import runner

    if not experiment.contract:
        raise UserMistake(f"{experiment.name}: has no [contract] to judge. Add one, or compare with a baseline.")
    tables = _tables(experiment)

    def still_open(counts: Mapping[str, Tally]) -> set[str]:
        clauses = _clauses(experiment, list(counts.items()), tables)
        return {line.where for clause in clauses for line in clause.lines if line.verdict == UNDECIDED}

    results = runner.run(
        experiment, out, workers, backend, scheduler, progress, force, command=command, judge=still_open,
        ending="-check",
    )  # fmt: skip
    return judge_results(experiment, results)


def judge_results(experiment: Experiment, results: Results) -> ContractVerdict:
    """The contract of an experiment held against results that are there."""
    return ContractVerdict(
        experiment=experiment.name,
        folder=results.folder,
        clauses=tuple(
            _clauses(
                experiment,
                [(cell.label, cell.tally) for cell in results.cells],
                [results._names_at[size] for size in results.sizes],
            )
        ),
        games={cell.label: cell.games for cell in results.cells},
        budget=experiment.most_games,
        cut_off=results.cut_off,
    )


def _tables(experiment: Experiment) -> list[Names | Game]:
    """The game at each number of players of the experiment."""
    from simlab.registry import load_game

    return [load_game(experiment.table_ref(size)) for size in experiment.sizes] or [experiment.load_game()]


def _clauses(
    experiment: Experiment, cells: Sequence[tuple[str, Tally]], tables: Sequence[Names | Game]
) -> list[Clause]:
    """The contract judged; of several numbers of players at each table, by the figures that it has."""
    level = 1 - (1 - LEVEL) / len(tables)
    clauses = []
    for table in tables:
        figures, players = figures_of(table), len(table.seats)
        contract = {n: goal.model_dump(exclude_none=True) for n, goal in experiment.contract.items() if figures.has(n)}
        own = [(label, tally) for label, tally in cells if len(tables) == 1 or len(wins_of(tally)) == players]
        if contract and own:
            clauses += judge(contract, own, figures, level)
    return clauses


def _round_up(number: int) -> int:
    """The number with two digits that are not naught, or a little more."""
    step = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // step) * step
