"""Answers: frozen types whose JSON form and JSON Schema follow from the type."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PlainSerializer, PlainValidator, ValidationError, WithJsonSchema

from simlab.errors import InputError
from simlab.present.estimate import Estimate, ends_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from simlab.present.blocks import Block

_ENDS = {"estimate": math.nan, "low": -math.inf, "high": math.inf}  # the values of null
_NUMBER_OR_NULL = {"anyOf": [{"type": "number"}, {"type": "null"}]}
_ESTIMATE_SCHEMA = {
    "type": "object",
    "properties": dict.fromkeys(_ENDS, _NUMBER_OR_NULL),
    "required": list(_ENDS),
}


def _read(rate: bool, value: Any) -> Estimate:
    if isinstance(value, Estimate):
        return value
    if not isinstance(value, Mapping) or not all(
        name in value and (value[name] is None or isinstance(value[name], int | float)) for name in _ENDS
    ):
        raise ValueError("an estimate is an object with `estimate`, `low` and `high`, numbers or null")
    middle, low, high = (missing if value[name] is None else float(value[name]) for name, missing in _ENDS.items())
    return Estimate(middle, low, high, rate)


def _form(rate: bool, help_: str) -> Any:
    schema = WithJsonSchema({**_ESTIMATE_SCHEMA, "description": help_})
    return PlainValidator(partial(_read, rate)), PlainSerializer(ends_of), schema


#: A rate in [0, 1] with its interval. In JSON an object with `estimate`, `low` and `high`; null for an open end.
Rate = Annotated[Estimate, *_form(True, "A rate from 0 to 1 with its 95 % interval. null: unknown, or an open end.")]
#: A number in its own unit with its interval, in the same JSON form.
Number = Annotated[Estimate, *_form(False, "A number with its 95 % interval. null: unknown, or an open end.")]


class Part(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", allow_inf_nan=False, arbitrary_types_allowed=True, defer_build=True
    )

    @classmethod
    def from_attributes(cls, source: object, /, **values: Any) -> Self:
        """A part with the given values; all other fields come from an object's attributes of the same names."""
        names = (name for name in cls.model_fields if name not in values and hasattr(source, name))
        return cls(**{name: getattr(source, name) for name in names}, **values)


class Answer(Part):
    """An answer: class LuckAnswer(Answer, form="luck", source="simlab analyze luck GAME"). Its JSON form names itself
    under `schema`.

    Attributes:
        form: name of the JSON form. version: increases when a field is removed or changes its name, type, unit or
            meaning. source: the command that prints the answer; by default the report section with the name of the
            folder.
    """

    form: ClassVar[str]
    version: ClassVar[int] = 1
    source: ClassVar[str]

    def __init_subclass__(cls, *, form: str = "", version: int = 1, source: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if form:
            cls.form, cls.version = form, version
        if source or "source" not in vars(cls):
            cls.source = source or f"simlab report FOLDER --section {cls.__module__.split('.')[-2]}"
        cls.__doc__ = cls.__doc__ or f"Answer of `{cls.source}`."

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON-able data, with the name and version of its form."""
        return {"schema": {"name": self.form, "version": self.version}, **self.model_dump(mode="json")}

    def _words(self) -> Any:
        return import_module(type(self).__module__.rpartition(".")[0] + ".words")

    def to_blocks(self) -> Iterable[Block]:
        """The answer in the words of its question: its `blocks`, or those of its `section`."""
        words = self._words()
        blocks: Iterable[Block] = words.blocks(self) if hasattr(words, "blocks") else [words.section(self)]
        return [block for block in blocks if block is not None]

    def to_polars(self) -> list[pl.DataFrame]:
        """The tables of the answer, in their order, as Polars frames.

        Estimates with an interval become three columns: `name`, `name low` and `name high`.
        """
        import polars as pl

        from simlab.present.blocks import tables_in

        return [pl.DataFrame(table.by_column(), strict=False) for table in tables_in(self.to_blocks())]

    def to_pandas(self) -> list[pd.DataFrame]:
        """The same as pandas frames."""
        import pandas as pd

        from simlab.present.blocks import tables_in

        return [pd.DataFrame(table.by_column()) for table in tables_in(self.to_blocks())]

    def to_html(self) -> str:
        """The answer as one HTML page that needs no network.

        The question's words.py has a `page_title`, and `page_blocks` if the page shows more than the terminal.
        """
        from simlab.present.html import page

        words = self._words()
        title, subtitle = words.page_title(self)
        return page(title, subtitle, getattr(words, "page_blocks", words.blocks)(self))

    def _repr_html_(self) -> str:
        from simlab.present.html import in_notebook

        return in_notebook(self.to_blocks())

    def __str__(self) -> str:
        from simlab.present.terminal import printed

        return printed(self.to_blocks())

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema of `to_json`, made from the type."""
        schema = cls.model_json_schema(mode="serialization")
        stamp = {
            "type": "object",
            "description": "Form of this answer.",
            "properties": {"name": {"const": cls.form}, "version": {"const": cls.version}},
            "required": ["name", "version"],
        }
        schema["properties"] = {"schema": stamp, **schema["properties"]}
        schema["required"] = ["schema", *schema.get("required", [])]
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}

    @classmethod
    def from_json(cls, data: Any, where: str) -> Self:
        """Reads an answer that was written by `to_json`; the data may be untrusted.

        Args:
            where: the file, for the error message.
        Raises:
            InputError: the data are not of this form.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as fault:
            first = fault.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(f"{where}: not a valid '{cls.form}' answer: {place}: {first['msg']}.") from None
