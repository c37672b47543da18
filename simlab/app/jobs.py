"""Longer work of the app, each job in its own process: a full report, or the check of the contract.

The commands are those that a designer would type, so they give the same results, and can be stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from simlab import shell
from simlab.compiler.parallel import safe_environment, search_path

_LONGEST = 20_000  # characters kept of a command's output
_RUN = (  # the command of an app that is killed ends too
    "import sys; from simlab.engine.signals import follow; follow(int(sys.argv.pop(1))); "
    "from simlab.__main__ import main; main()"
)


class Job:
    """A command under way.

    Args:
        words: words of the command, without `simlab`. folder: the folder in which it runs.
    Attributes:
        kind: `report` or `check`. report: file of its report; None if it writes no report.
        line: the last line of its progress.
    """

    def __init__(self, kind: str, words: list[str], folder: Path, report: Path | None = None) -> None:
        self.kind, self.report, self.line = kind, report, "starting"
        self.command = shell.join(["simlab", *words])
        self._out, self._err = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"), ""  # noqa: SIM115
        self._stopped = False
        self._process = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(os.getpid()), *words], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=self._out, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
            env=safe_environment(PYTHONPATH=os.pathsep.join(search_path())),
            start_new_session=True,  # Ctrl-C reaches it through `stop` alone, once
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._err = (self._err + line)[-_LONGEST:]
            if line.strip():
                self.line = line.strip()

    @property
    def running(self) -> bool:
        return self._process.poll() is None or self._reader.is_alive()

    @property
    def status(self) -> int | None:
        """The command's exit status; None while it runs."""
        return None if self.running else self._process.returncode

    @property
    def fault(self) -> str:
        """The error of a command that has ended; empty if there is none."""
        if self.running:
            return ""
        if self._stopped:
            return "Stopped."
        fine = (0,) if self.kind == "report" else (0, 1, 3)
        if self._process.returncode in fine:
            return ""
        _, mark, message = self._err.rpartition("simlab: ")
        return (message if mark else self._err).strip() or f"The command ended with {self._process.returncode}."

    @property
    def verdict(self) -> dict[str, Any]:
        """The output of `simlab check --json` for a check that has ended; empty if there is none."""
        self._out.seek(0)
        with contextlib.suppress(ValueError):
            data = json.load(self._out)
            if isinstance(data, dict):
                return data
        return {}

    def stop(self) -> None:
        """Ends the command and the workers that it started."""
        if self._process.poll() is None:
            self._stopped = True
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()


def start(kind: str, file: Path, folder: Path) -> Job:
    """Plays an experiment and writes its report (`report`), or plays until its contract is decided (`check`).

    Args:
        file: file of the experiment. folder: the folder in whose `results` the games are stored, apart from other
            experiments.
    """
    texts = [path.read_bytes() for path in sorted(file.parent.glob(f"{file.stem}*"))]
    mark = hashlib.sha256(b"\0".join(texts)).hexdigest()[:8]
    out = folder / "results" / f"{file.stem}-{mark}{'' if kind == 'report' else '-check'}"
    words = ["run", str(file), "--report"] if kind == "report" else ["check", str(file), "--json"]
    return Job(kind, [*words, "--out", str(out)], folder, out / "report.html")
