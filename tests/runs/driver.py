"""Plays fake cells in a process of its own, for tests that kill or interrupt it.

    python -m tests.runs.driver FOLDER BACKEND WORKERS SLOW [KILLS [HANGS]]

SLOW: seconds a game. KILLS, HANGS: games of the second cell that kill their worker or never end, as 250,260. Exit
status and signals as the shell command's.
"""

from __future__ import annotations

import sys

from simlab.cli import ending
from simlab.errors import SimlabError
from simlab.runs.runner import run
from tests.runs.fake import FakeExperiment, two_cells


def main() -> int:
    folder, backend, workers, slow, *bad = sys.argv[1:]
    kills, hangs = (tuple(int(game) for game in text.split(",") if game) for text in [*bad, "", ""][:2])
    shard = 1_000 if workers == "inline" else 100
    try:
        print("up", flush=True)
        run(
            FakeExperiment(shard_games=shard),
            folder,
            None if workers == "inline" else int(workers),
            backend,
            command="simlab run tosses.toml",
            cells=two_cells(slow=float(slow), kills=kills, hangs=hangs),
        )
    except SimlabError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    finally:
        assert backend == "dask" or "distributed" not in sys.modules, "Dask is loaded unasked"
    return 0


if __name__ == "__main__":
    ending.watch()
    sys.exit(ending.guarded(main))
