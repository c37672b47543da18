"""Phrases that read as translated stay out of the words of questions, the help and the docs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from simlab.cli.main import app

ROOT = Path(__file__).parent.parent.parent
BANNED = re.compile(
    r"\b(anew|whoever|as far as can be|games? a cell|a row a game|a file a command|for certain|comes? to rest|parted by"
    r"|remed(?:y|ies)|hangs? on|unasked|in place of|stands? (?:in|there|for|beside|at)|(?:is|are|be) told|what came of"
    r"|says of|mend(?:s|ed|ing)?)\b"
    r"|\b(?:is|are) no (?!longer|more|fewer|less|need|detectable)[a-z]+\b"
    r"|\b(?:fresh (?:games?|seeds?|settings?)|(?:same|shared|separate) luck|luck of (?:its|their) own|cut off"
    r"|go(?:es)? on with|again for another|so many games|put back alone|surely|as far as (?:it|they|one)|looked for"
    r"|what of a|that which|(?:games|turns|times|rows|decisions) a (?:cell|match-up|side|seat|game|turn|decision)"
    r"|one bot a seat|by itself|besides|nor do(?:es)?|throws? away|for want of|a stranger's)\b"
    r"|(?:^|[.] )Who (?:says|adds|reads|asks|wants|looks)\b",
    re.MULTILINE,
)
PAGES = [*sorted((ROOT / "docs").glob("**/*.md")), ROOT / "README.md"]
WORDS = sorted((ROOT / "simlab" / "questions").glob("*/words.py"))


def found(text: str) -> list[str]:
    return [text[max(m.start() - 30, 0) : m.end() + 30].replace("\n", " ") for m in BANNED.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`|\[[^]\n]*\]\([^)]*\)", "", page.read_text(encoding="utf-8"), flags=re.S)
    assert found(prose) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_intervals_in_pages_are_written_as_the_lab_prints_them(page: Path) -> None:
    """83.8 % (82.1 to 85.3), not 83.8 % (82.1-85.3)."""
    assert re.findall(r"\d(?: %)?\*{0,2} \(\d[\d.,]*[-–]\d[\d.,]*\)", page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", WORDS, ids=lambda path: path.parent.name)
def test_words_of_questions(module: Path) -> None:
    assert found(module.read_text(encoding="utf-8")) == []


def helps() -> Iterator[tuple[str, str]]:
    for name, command in get_command(app).commands.items():
        for own, one in (getattr(command, "commands", None) or {"": command}).items():
            texts = [one.help or "", *(getattr(option, "help", None) or "" for option in one.params)]
            yield f"{name} {own}".strip(), "\n".join(texts)


@pytest.mark.parametrize(("name", "text"), list(helps()), ids=[name for name, _ in helps()])
def test_help(name: str, text: str) -> None:
    assert found(re.sub(r"`[^`\n]*`", "", text)) == []


def test_banned_phrases_are_found() -> None:
    assert len(found("It is no plain file, and 200 games a cell are played anew.")) == 3
    assert len(found("Who adds a game looks besides at fresh seeds, on the same luck.")) == 4
