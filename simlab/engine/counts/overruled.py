"""How often a bot was overruled because of a ban (simlab.engine.restricted_play). The play loop counts this itself."""

from __future__ import annotations

from collections.abc import Mapping

from simlab.engine.counts import Array, Count, Share, Table
from simlab.spec.contract import GameSpec


def counts() -> list[Count]:
    """overruled: decisions of a seat made at random, because its bot chose a banned option."""
    return [Count("overruled", ("seats",))]


def table(counts: Mapping[str, Array], names: GameSpec) -> Table | None:
    """The share of each seat's decisions that were overruled; None if none were."""
    if not counts["overruled"].any():
        return None
    taken = counts["chosen"].sum(axis=(1, 2))
    return Table(
        "Decisions made by chance, because of a ban",
        "A bot with fixed rules does not know about bans. If its choice is not offered, a random option is taken.",
        tuple(
            (seat, Share(float(often), float(all_)))
            for seat, often, all_ in zip(names.seats, counts["overruled"], taken, strict=True)
            if all_
        ),
    )
