"""Failures of a run: games that kill or stall a worker, bots that cheat, and work that is retried, left out, closed or
refused.

Games depend only on seed and index. The game at which a worker died is therefore played once more on its own. If that
kills its worker too, the game is *left out*. After several such games the rest of their cell is not played: the cell is
*closed*. If its statistics would mislead, they are *refused* as well. Games that are not played for such a reason are a
fault, listed in faults.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simlab.runs.schedule import FINGERPRINT, CellRun, Schedule, Work
from simlab.runs.store import Folder
from simlab.runs.truncation import MOST_CUT_OFF, too_many_cut_off
from simlab.runs.watchdog import Underway
from simlab.runs.worker import MOST_FAULTS, REFUSE, RETRY, ShardReport

MOST_NOTES = 3  #: games of a cell that are left out with a line each
MOST_STALLS = 3  #: number of games that may stall or kill their worker before the rest of the cell is given up

_DEATHS = 3  # after this many deaths, a shard is played while nothing else is
_DEATHS_AT_A_GAME = 3  # of the deaths while nothing else is played, at one game: it is left out
_DEATHS_ALONE = 10  # the shard is given up
_FAILURES = 3  # of a shard, for lack of memory and the like: it is given up

Probe = Callable[[Underway], Underway | None]  #: plays a suspected game alone; the dead worker, or None if it survived


@dataclass
class _Trouble:
    """The failures of a shard whose worker died or failed."""

    failures: int = 0  #: how often a worker survived but could not play the shard
    deaths: int = 0  #: of its workers
    games: Counter[int] = field(default_factory=Counter)  #: deaths while played alone, by game; -1: none begun


class Forensics:
    """The known faults of a run. Work that is given up is removed from the schedule's waiting list.

    Args:
        note: called with a sentence on each game or cell that is left out or given up.
        timeout: seconds that a decision may take; used in the text of a fault.
    """

    def __init__(self, schedule: Schedule, folder: Folder, note: Callable[[str], None], timeout: float) -> None:
        self.schedule, self.folder, self.note, self.timeout = schedule, folder, note, timeout
        self.left_out: dict[str, dict[int, str]] = {}  #: cell key -> game -> why
        self.given_up: dict[Work, str] = {}  #: shards, and why
        self.closed: dict[str, str] = {}  #: cell key -> why no more games of it are played
        self.refused: set[str] = set()  #: keys of cells whose statistics are refused as well
        self.fingerprint: str | None = None  #: "" if it could not be computed, None if it is not computed yet
        self.fingerprint_fault = ""
        self._stalls: Counter[str] = Counter()  # key -> games of the cell that killed or stalled their worker
        self._too_long: dict[str, str] = {}  # key -> where a game was when it was truncated
        self._shown_by: dict[str, int] = {}  # key -> a game that shows the fault of the cell
        self._trouble: dict[Work, _Trouble] = {}

    @property
    def remaining(self) -> tuple[int, int]:
        """Numbers that change whenever work is finished, left out or given up, to see that the run moves on."""
        return len(self.schedule.waiting), sum(len(games) for games in self.left_out.values())

    def calm(self) -> list[Work]:
        """Waiting work that has killed few workers and may be played in parallel; the rest is played alone."""
        trouble = self._trouble
        return [work for work in self.schedule.waiting if work not in trouble or trouble[work].deaths < _DEATHS]

    # --- messages of a report

    def stored(self, report: ShardReport) -> None:
        """Called when a shard is stored: checks whether too many of its games failed or were truncated."""
        work, run = (report.key, report.shard), self.schedule.by_key[report.key]
        self.schedule.waiting.pop(work, None)
        if report.key not in self.refused:  # the shard was being played when its cell was closed
            self.given_up.pop(work, None)
        if report.too_long:
            self._too_long[report.key] = report.too_long
        for game, why in report.faults:
            self.leave_out(report.key, game, why)
        if len(self.left_out.get(report.key, ())) > MOST_FAULTS:
            self.close(report.key, f"over {MOST_FAULTS} games fail")
        if run.cut_off > MOST_CUT_OFF * run.planned:
            self._refuse_for_length(run)

    def failed(self, report: ShardReport) -> None:
        """Called when a worker survived but could not play its shard."""
        work = (report.key, report.shard)
        if report.verdict == RETRY:
            trouble = self._trouble.setdefault(work, _Trouble())
            trouble.failures += 1
            trouble.deaths = _DEATHS  # from now on it is played while nothing else is
            if trouble.failures < _FAILURES:
                return
            self.schedule.waiting.pop(work, None)
            self.given_up[work] = f"{report.failed}, {_FAILURES} times"
            self.note(f"{self._named(work)}: {self.given_up[work]}; the rest continues.")
            return
        self.schedule.waiting.pop(work, None)
        self.given_up[work] = report.failed
        self._shown_by.setdefault(report.key, report.game)
        if report.verdict == REFUSE:
            self.refuse(report.key, report.failed)
        else:
            self.close(report.key, report.failed)

    def _named(self, work: Work) -> str:
        key, shard = work
        return f"{self.schedule.label(key)}, games {shard.first} to {shard.last}"

    # --- giving up

    def leave_out(self, key: str, game: int, why: str) -> None:
        """Leaves one game out."""
        known = self.left_out.setdefault(key, {})
        if game not in known and len(known) < MOST_NOTES:
            self.note(f"Game {game} of {self.schedule.label(key)} is left out: {why}.")
        elif game not in known and len(known) == MOST_NOTES:
            self.note(f"Further games of {self.schedule.label(key)} that fail are left out; faults.json lists them.")
        known[game] = why

    def close(self, key: str, why: str) -> None:
        """Stops playing a cell; the other cells continue."""
        if key in self.closed:
            return
        self.closed[key] = why
        for work in [work for work in self.schedule.waiting if work[0] == key]:
            del self.schedule.waiting[work]
            self.given_up.setdefault(work, why)
        self.note(f"{self.schedule.label(key)}: {why}. This cell stops; the other cells continue.")

    def refuse(self, key: str, why: str) -> None:
        """Gives up a cell with all its games, because its statistics would mislead."""
        self.close(key, why)
        self.refused.add(key)
        self.given_up |= {(key, shard): why for shard in self.schedule.by_key[key].shards}

    def refuse_over_long(self) -> None:
        """Refuses the cells in which too many games were truncated; called at the end of a run."""
        for run in self.schedule.by_key.values():
            if run.cut_off > MOST_CUT_OFF * (run.games + run.cut_off):
                self._refuse_for_length(run)

    def _refuse_for_length(self, run: CellRun) -> None:
        endless = next(game for shard in sorted(run.done) for game in self.folder.sidecar(run.key, shard).cut_off)
        self._shown_by.setdefault(run.key, endless)
        where = f"; one so: {self._too_long[run.key]}" if run.key in self._too_long else ""
        self.refuse(run.key, f"{too_many_cut_off(run.cut_off, run.games + run.cut_off)}{where}")

    # --- after a death

    def blame(self, suspects: Iterable[Underway], alone: bool, probe: Probe) -> None:
        """Finds the game at which workers died, and leaves it out; `alone`: whether nothing else was being played."""
        for suspect in suspects:
            if (suspect.key, suspect.shard) in self.schedule.waiting:
                self._blame(suspect, alone, probe)

    def _blame(self, suspect: Underway, alone: bool, probe: Probe) -> None:
        work = (suspect.key, suspect.shard)
        trouble = self._trouble.setdefault(work, _Trouble())
        trouble.deaths += 1
        if suspect.key == FINGERPRINT:
            if trouble.deaths >= _DEATHS:
                self.fingerprint = ""
                del self.schedule.waiting[work]
                self.note("The fingerprint could not be made: its games kill their worker.")
            return
        if suspect.playing and self.try_again(suspect, probe):
            trouble.deaths = 0
            return
        if not alone:
            return
        place = suspect.game if suspect.playing else -1
        trouble.games[place] += 1
        if place >= 0 and trouble.games[place] >= _DEATHS_AT_A_GAME:
            self._convict(suspect)
        elif trouble.games[place] >= _DEATHS_AT_A_GAME or trouble.games.total() >= _DEATHS_ALONE:
            where = "before its first game" if place < 0 else "at several games"
            self.given_up[work] = f"its worker died {trouble.games.total()} times, {where}"
            del self.schedule.waiting[work]

    def try_again(self, suspect: Underway, probe: Probe) -> bool:
        """Plays the suspected game alone; leaves it out and returns True if that kills its worker too."""
        known = suspect.game in self.left_out.get(suspect.key, {})
        if known or not suspect.shard.first <= suspect.game <= suspect.shard.last:
            return False
        died = probe(suspect)
        if died is None:
            return False
        self._convict(died)
        return True

    def _convict(self, culprit: Underway) -> None:
        """Leaves out a game that killed or stalled its worker twice; after several such games, closes their cell."""
        key = culprit.key
        self.leave_out(key, culprit.game, f"{self._standstill(culprit)}, twice")
        self._stalls[key] += 1
        if self._stalls[key] >= MOST_STALLS:
            kind = "stall" if culprit.stalled else "kill their worker"
            self.close(key, f"{self._stalls[key]} games {kind}, the last so: {self.left_out[key][culprit.game]}")

    def _standstill(self, underway: Underway) -> str:
        """A sentence on how a game killed or stalled its worker: at which decision of which seat."""
        from simlab.engine.match import whereabouts

        place, run = whereabouts(underway.where), self.schedule.by_key[underway.key]
        decision, seat, asked = place or (0, 0, False)
        bot = f"bot '{run.cell.bot_labels[run.game.seats[seat]]}' ({run.game.seats[seat]})"
        if underway.stalled and asked:
            return f"{bot} did not answer within {self.timeout:g} seconds, at decision {decision + 1}"
        if underway.stalled:
            first = "its set-up or, in plain Python, its first turns" if run.game.is_class else "its set-up"
            at = f"decision {decision + 1}" if place else first
            return f"the game did not come through {at} within {self.timeout:g} seconds"
        own = ", ".join(f"'{one.name}'" for one in run.game.own)
        who = bot if asked else f"the game or the metric {own}" if own else "the game"
        return "it killed its worker" + (f" while {who} was at decision {decision + 1}" if place else "")

    # --- the faults as they are written

    def faults(self) -> list[dict[str, Any]]:
        """Work that could not be played, as in faults.json."""
        faults = [
            self._fault(key, game, game, why) for key, games in self.left_out.items() for game, why in games.items()
        ]
        faults += [self._fault(key, shard.first, shard.last, why) for (key, shard), why in self.given_up.items()]
        if self.fingerprint_fault and not faults:
            key = self.schedule.cells[0].key
            faults = [self._fault(key, 0, 0, self.fingerprint_fault) | {"seed": 0}]
        return sorted(faults, key=lambda fault: (fault["cell"], fault["first"]))

    def _fault(self, key: str, first: int, last: int, why: str) -> dict[str, Any]:
        shown_by = first if first == last else max(self._shown_by.get(key, first), 0)
        seed = self.schedule.seed
        replay = self.schedule.by_key[key].cell.match().replay_command(seed, shown_by)
        numbers = {"cell": key, "label": self.schedule.label(key), "seed": seed, "first": first, "last": last}
        return numbers | {"why": why, "replay": replay}


def in_words(folder: Path, faults: Sequence[Mapping[str, Any]]) -> str:
    """The faults of a run in words; shards of a cell that failed for the same reason are joined."""
    reasons: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    causes = [fault["why"].partition(" (game ")[0] for fault in faults]  # without the place in the game
    alike = Counter(zip((fault["label"] for fault in faults), causes, strict=True))
    for fault, cause in zip(faults, causes, strict=True):
        many = alike[fault["label"], cause] > MOST_NOTES
        reasons.setdefault((fault["label"], cause if many else fault["why"]), []).append(fault)
    lines = [f"{folder}: everything is done except games that could not be played (faults.json):"]
    for (label, _), pieces in list(reasons.items())[:5]:
        first = pieces[0]
        why = first["why"]
        one = first["first"] == first["last"]
        which = f"game {first['first']}" if one else f"games {first['first']}..{first['last']}"
        more = f" and {len(pieces) - 1} more pieces" if len(pieces) > 1 else ""
        lines.append(f"{which}{more} of seed {first['seed']} ({label}): {why}.\nReplay it: {first['replay']}")
    if len(reasons) > 5:
        lines.append(f"and {len(reasons) - 5} more.")
    return "\n".join([*lines, "The same command tries these again."])
