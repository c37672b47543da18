"""JSON Schema of an experiment file, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlab.bot_registry import bots_for
from simlab.engine.outcome import figures_of
from simlab.game import Game
from simlab.spec.experiment import BOTS, RANGE, ExperimentFile


def json_schema(game: Game | None = None) -> dict[str, Any]:
    """JSON Schema of an experiment file, for editors; with a game, of its seats, bots, knobs, tables and statistics."""
    schema = ExperimentFile.model_json_schema()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "simlab experiment",
    }
    # A file that extends another may leave out keys of the other.
    schema.pop("required", None)
    schema["$defs"]["ExperimentTable"].pop("required", None)
    schema["anyOf"] = [{"required": ["experiment"]}, {"required": ["extends"]}]
    if game is None:
        return schema

    def closed(named: Mapping[str, Any], text: str) -> dict[str, Any]:
        return {
            "type": "object",
            "description": text,
            "additionalProperties": False,
            "properties": dict(named),
        }

    top = schema["properties"]
    knobs = {**game.knobs, **game.knobs.luck}
    seats: dict[str, Any] = {"*": BOTS}
    seats |= {seat: {**BOTS, "examples": ["*", *bots_for(game, seat)]} for seat in game.seats}
    top["bots"] = closed(seats, top["bots"]["description"])
    top["knobs"] = closed({n: k.schema() for n, k in knobs.items()}, top["knobs"]["description"])
    top["cards"] = closed({t.name: {"type": "string"} for t in game.tables}, top["cards"]["description"])
    figures = figures_of(game)
    goals = {name: {"$ref": "#/$defs/Goal", "description": figure.help} for name, figure in figures.items()}
    top["contract"] = closed(goals, top["contract"]["description"])
    top["contract"]["patternProperties"] = {figures.quantile_pattern: {"$ref": "#/$defs/Goal"}}
    vary = schema["$defs"]["Vary"]
    for varied in (vary, schema["$defs"]["Remedies"]):
        varied["additionalProperties"] = False
        varied["properties"] |= {n: {**RANGE, "description": f"{k.help}: {k.allowed}"} for n, k in knobs.items()}
    least, most = game.players
    if most:
        vary["properties"]["players"] = {**RANGE, "description": f"number of players: {least} to {most}"}
    return schema
