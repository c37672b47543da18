"""Holds an answer that a test has at hand to the schema of its form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema

from simlab.questions import answer_types
from simlab.runs.schema_versions import ANSWERS, schema_of, stamped


def hold_to_form(answer: Mapping[str, Any], form: str | None = None) -> None:
    """Holds it to the schema of the form, which is put on it as a command does; None: to the one that it says.

    Raises:
        jsonschema.ValidationError: it does not keep to it.
        InputError: the form named has no schema.
    """
    if form is not None:
        answer = json.loads(json.dumps(stamped(answer, form), allow_nan=False, default=str))
    says = answer.get("schema")
    if isinstance(says, dict) and says["name"] in answer_types():
        jsonschema.validate(answer, answer_types()[says["name"]].json_schema())
    elif isinstance(says, dict) and says["name"] in ANSWERS:
        jsonschema.validate(answer, schema_of(says["name"]))
