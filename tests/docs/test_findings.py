"""The findings are what their commands print: a page that drifts from them, or games that change, fail here."""

from __future__ import annotations

import json

import pytest

from tests.docs.findings import RECORDED, games_of, numbers, paragraphs

KNOWN = json.loads(RECORDED.read_text(encoding="utf-8"))
AGAIN = "Record it again and correct the page: python -m tests.docs.findings"


def test_each_number_of_a_paragraph_that_names_its_command_was_printed_by_it() -> None:
    checked = 0
    for page, command, text in paragraphs():
        assert command in KNOWN, f"{page.name}: {command} was never recorded. {AGAIN}"
        missing = [number for number in numbers(text) if number not in KNOWN[command]["numbers"]]
        assert not missing, f"{page.name}: {command} does not print {missing}. {AGAIN}"
        checked += len(numbers(text))
    assert checked >= 4


@pytest.mark.long
@pytest.mark.parametrize("command", sorted(KNOWN))
def test_the_games_behind_the_findings_are_still_the_same(command: str) -> None:
    assert games_of(command) == KNOWN[command]["games"], f"{command} plays other games than it did. {AGAIN}"


def test_a_wrong_number_is_noticed() -> None:
    printed = "the Peace ends 68 % (62 to 74) of the games, −2.9 points (−3.7 to −2.1)"
    assert numbers(printed) == ["68 % (62 to 74)", "−2.9 points (−3.7 to −2.1)"]
    assert "68 % (62 to 75)" not in numbers(printed)
