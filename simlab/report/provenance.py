"""How the same numbers come out again: command, versions, digests."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from simlab.report.estimate import plain
from simlab.report.view import View


def section(view: View) -> dict[str, Any]:
    typed = plain(getattr(view.results, "command", "") or "", 2000)
    return {"typed": typed, "here": shlex.join(["simlab", "run", "experiment.toml", "--out", "again"])}


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
