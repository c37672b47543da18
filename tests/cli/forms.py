"""Holds an answer that a test has at hand to the schema of its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema

from simlab.questions import answer_types


def hold_to_form(answer: Mapping[str, Any]) -> None:
    """Holds it to the schema of the form that it names, if it names one.

    Raises:
        jsonschema.ValidationError: it does not keep to it.
    """
    form = answer.get("schema")
    if isinstance(form, dict) and form["name"] in answer_types():
        jsonschema.validate(answer, answer_types()[form["name"]].json_schema())
