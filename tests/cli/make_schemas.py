"""Makes simlab/schemas/*.json out of real answers: plays tiny games of two kinds of seats for every form.

    python -m tests.cli.make_schemas                # all forms: minutes
    python -m tests.cli.make_schemas plan table     # these alone

Games run in plain Python, so nothing is compiled. A key is required where all answers of a form have it: an answer
of another game, or of another kind of question, belongs into LINES where its keys differ. What the keys mean, and
which may be null without being it here, stands in schema_words.toml.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent

_EXPERIMENT = """
[experiment]
name = "{game}"
game = "{game}"
games = 20
seed = 1
[bots]
{bots}
[contract]
{figure} = {{ min = 0.1, max = 0.9 }}
{more}
"""
FILES = {
    "kuhn.toml": _EXPERIMENT.format(
        game="kuhn_poker", bots='first = ["honest"]\nsecond = ["honest"]', figure="first_win",
        more="turns_mean = { max = 90 }",
    ),
    "tricks.toml": _EXPERIMENT.format(
        game="tricks", bots='"*" = ["random"]', figure="ann_win", more="turns_mean = { max = 90 }"
    ),
    "pot.toml": _EXPERIMENT.format(
        game="kuhn_poker", bots='first = ["honest"]\nsecond = ["honest"]', figure="first_win",
        more="pot_mean = { min = 3.5 }",
    ),
    "sizes.toml": _EXPERIMENT.format(
        game="tricks", bots='"*" = ["random", "counter"]', figure="ann_win",
        more="[tournament]\n[vary]\nplayers = [3, 4]",
    ),
    "broken.py": (
        "from simlab.game import policy\n\n\n@policy(\"kuhn_poker\")\ndef broken(state, knobs, cards, traits):\n"
        '    """Never legal."""\n    return 99\n'
    ),
    "kuhn.csv": "winner;turns;player_first\nfirst;2;Ann\nsecond;3;Ann\nfirst;;Bob\n",
    "tricks.csv": "winner;turns\nann;12\nbob;9\n",
}  # fmt: skip

#: Form -> command lines, in an empty folder with FILES; `--json` goes to each. Answers of other forms are left out.
LINES: dict[str, tuple[str, ...]] = {
    "replay": (
        "replay kuhn_poker", "replay simple_siege --as besieged", "replay kuhn_poker --choose 1=1",
        "replay kuhn_poker --choose 1=0", "replay tricks", "replay kuhn_poker --why 4",
        "sweep kuhn_poker -n 4 --out stored", "replay --from stored --where 'turns > 0'",
        "replay --scenario montsegur_sample_turn",
    ),
    "replay-beside": ("replay kuhn_poker --beside ante=2", "replay simple_siege --beside walls_start=6"),
    "doctor": ("dev doctor",),
    "conformance": (
        "dev check-game kuhn_poker -n 3 --no-bounds", "dev check-bot kuhn_poker honest -n 3",
        "new metric calls --game kuhn_poker", "dev check-metric kuhn_poker ./calls.py -n 3",
        "dev check-bot kuhn_poker ./broken.py:broken -n 3",
    ),
    "mend": (
        "optimize rules pot.toml --knobs ante --bot first=honest --bot second=honest --budget 2000 -n 200",
        "optimize rules kuhn.toml --knobs ranks --bot first=honest --bot second=honest --budget 400 -n 20",
        "optimize rules tricks.toml --knobs deals --bot *=random --budget 60 -n 4",
    ),
    "mend-plan": ("optimize rules kuhn.toml --knobs ranks --plan", "optimize rules tricks.toml --knobs deals --plan"),
}  # fmt: skip


def answers_of(form: str) -> list[dict[str, Any]]:
    """Plays a form's lines in a folder of their own."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        for name, text in FILES.items():
            Path(made, name).write_text(text, encoding="utf-8")
        answers = list(_played(LINES[form]))
    return [answer for answer in answers if answer["schema"]["name"] == form]


def _played(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    from simlab.cli.main import main

    for line in lines:
        words = shlex.split(line)
        printed, faults = io.StringIO(), io.StringIO()
        status: object = 0
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(faults):
            try:
                main(words if words[0] == "new" else [*words, "--json"])
            except SystemExit as left:
                status = left.code or 0
        if words[0] == "new":
            continue
        try:
            yield json.loads(printed.getvalue())
        except json.JSONDecodeError:
            said = f"{printed.getvalue()}{faults.getvalue()}"
            raise SystemExit(f"simlab {line} --json, status {status}:\n{said}") from None


def write(form: str) -> Path:
    """Writes the schema of one form, and says of which keys nobody wrote what they mean."""
    from simlab.runs.schema_versions import SCHEMAS
    from tests.cli.infer_schema import WORDS, Words, inferred, without_words

    path = SCHEMAS / f"{form}.json"
    schema = inferred(answers_of(form), form, Words(WORDS.read_text(encoding="utf-8")))
    path.write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for key in without_words(schema):
        print(f"  {form}.{key}: say in {WORDS.name} what it means", flush=True)
    return path


def run(forms: list[str]) -> None:
    unknown = set(forms) - LINES.keys()
    if unknown:
        raise SystemExit(f"no lines for {', '.join(sorted(unknown))}. There are: {', '.join(LINES)}")
    for form in forms or LINES:
        print(write(form).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # before simlab is loaded
    run(sys.argv[1:])
