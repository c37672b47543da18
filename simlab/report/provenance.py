"""How the same numbers come out again: command, versions, digests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlab import shell
from simlab.present.estimate import plain
from simlab.results.view import View
from simlab.runs.odd import odd_shards

_MOST_SHARDS, _MOST_ODD = 500, 10  # shards that are compared with the others of their cells, and that are named


def section(view: View) -> dict[str, Any]:
    typed = plain(getattr(view.results, "command", "") or "", 2000)
    stored = all(hasattr(cell, "shards") for cell in view.results.cells)
    odd = odd_shards(view.results, _MOST_SHARDS)[:_MOST_ODD] if stored else []  # type: ignore[arg-type]
    return {
        "typed": typed,
        "odd": [plain(one.sentence, 600) for one in odd],
        "here": shell.join(["simlab", "run", "experiment.toml", "--out", "again"]),
    }


def versions_section(view: View) -> list[tuple[str, str]]:
    manifest = view.manifest
    versions = manifest.get("versions")
    pairs = [(plain(k, 60), plain(v, 80)) for k, v in versions.items()] if isinstance(versions, Mapping) else []
    identity = manifest.get("identity")
    rules = identity.get("rules", "") if isinstance(identity, Mapping) else manifest.get("rules_digest", "")
    streams = manifest.get("streams")
    more = [
        ("digest of the rules", rules),
        ("fingerprint of the play", manifest.get("fingerprint", "")),
        ("random streams, version", streams.get("version", "") if isinstance(streams, Mapping) else ""),
        ("seed", view.seed),
        ("begun", manifest.get("created", "")),
    ]
    machine = manifest.get("machine")
    if isinstance(machine, Mapping):
        more += [(k, v) for k, v in list(machine.items())[:8]]
    return pairs + [(plain(k, 60), plain(v, 200)) for k, v in more if v not in ("", None)]
