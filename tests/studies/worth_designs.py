"""Widths of the intervals of worths by both designs, in as many games: python -m tests.studies.worth_designs."""

from __future__ import annotations

from simlab.questions.worth.analysis import answer
from simlab.registry import load_game
from tests.studies.test_worth import BAZAAR, GOODS, lab


def main() -> None:
    """Prints a table for docs/worth.md."""
    game = load_game(BAZAAR)
    named = [f"ann:{name}" for name in GOODS if name != "pebble"]
    alone, subsets = (
        {one.thing: one.worth for one in answer(lab(game, 1, games), named, subsets=by_subsets).things}
        for games, by_subsets in ((300, False), (2_100, True))
    )
    print("| | one at a time | random subsets |\n| --- | ---: | ---: |")
    for name, worth in alone.items():
        print(f"| {name} | {50 * (worth.high - worth.low):.1f} | {50 * (subsets[name].high - subsets[name].low):.1f} |")


if __name__ == "__main__":
    main()
