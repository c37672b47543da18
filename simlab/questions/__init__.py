"""Questions that the lab answers, one folder each.

    luck/  __init__.py   the question, as its docstring
           analysis.py   plays and computes; its answers are frozen types (simlab.present.answer.Answer)
           words.py      an answer as blocks (simlab.present.blocks): every sentence of this question is here, once
           command.py    its command, if it has one: options -> analysis -> show

The lab finds the folders itself, so to add a question you only add a folder (docs/add-a-question.md).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from simlab.errors import InputError

#: Chapters of a report, in order. A question names its own in words.py: CHAPTER = "Who wins"; RANK orders a chapter.
CHAPTERS = ("Who wins", "Bots", "Settings", "How games go", "Luck and skill", "Cards and rules", "Method")

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simlab.present.answer import Answer
    from simlab.present.blocks import Section


@dataclass(frozen=True)
class Question:
    """A folder of this package."""

    name: str

    def module(self, part: str) -> ModuleType | None:
        """`analysis`, `words` or `command`; None if the folder has no such file."""
        if not (Path(__file__).parent / self.name / f"{part}.py").is_file():
            return None
        return import_module(f"{__name__}.{self.name}.{part}")

    @property
    def reads_runs(self) -> bool:
        """Whether the question can be answered from the results of a run and therefore has a section in the report."""
        return bool(self.run_answer)

    @property
    def run_answer(self) -> str:
        """Name of the type of the answer from a run; empty if there is none."""
        analysis = self.module("analysis")
        made_by = getattr(analysis, "of_run", getattr(analysis, "after_run", None))
        return made_by.__annotations__["return"].removesuffix(" | None") if made_by else ""

    def of_run(self, results: Any) -> Answer | None:
        """The answer from the results of a run (simlab.runs.results.Results); None if the run has none.

        By default, the answer of `after_run` that the run stored.

        Raises:
            InputError: stored data are damaged.
        """
        from simlab.questions.finished_run import stored

        analysis: Any = self.module("analysis")
        if not hasattr(analysis, "of_run"):
            return stored(results, self.name, getattr(analysis, self.run_answer))
        answer: Answer | None = analysis.of_run(results)
        return answer

    def section(self, answer: Answer | None) -> Section | None:
        """The section of a report; None if the answer is missing or empty.

        By default the `page_blocks`, or else all `blocks`, under the TITLE; its ANCHOR is the name of the question,
        unless words.py has another.
        A FOLDED section shows its heading only, until the reader opens it.
        """
        if answer is None:
            return None
        words: Any = self.module("words")
        if not hasattr(words, "section"):
            from simlab.present.blocks import Section

            blocks = tuple(getattr(words, "page_blocks", words.blocks)(answer))
            anchor, folded = getattr(words, "ANCHOR", self.name), getattr(words, "FOLDED", False)
            return Section(anchor, words.TITLE, blocks, folded) if blocks else None
        section: Section | None = words.section(answer)
        return section

    @property
    def place(self) -> tuple[str, int]:
        """The chapter of the section, and its rank in the chapter."""
        words = self.module("words")
        return getattr(words, "CHAPTER", CHAPTERS[-1]), getattr(words, "RANK", 50)

    def answers(self) -> Iterator[type[Answer]]:
        """The types of the question's answers that have their own JSON form."""
        from simlab.present.answer import Answer

        analysis = self.module("analysis")
        for value in list(vars(analysis).values()) if analysis else ():
            if isinstance(value, type) and issubclass(value, Answer) and "form" in vars(value):
                yield value


@functools.cache
def questions() -> tuple[Question, ...]:
    """All questions, by name."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    return tuple(Question(name) for name in folders)


@functools.cache
def charts() -> dict[str, Callable[..., Axes]]:
    """Name -> function that draws a chart of results, one of their cells or a view of them.

    These functions are in words.py and draw the answer from a run. Results have them as methods `plot_NAME`.
    """
    return {
        name: _of_run(question, draw)
        for question in questions()
        if question.reads_runs
        for name, draw in vars(question.module("words")).items()
        if isinstance(draw, FunctionType) and hasattr(draw, "__wrapped__")
        if next(iter(draw.__annotations__.values())) == question.run_answer
    }


def _of_run(question: Question, draw: FunctionType) -> Callable[..., Axes]:
    @functools.wraps(draw)
    def chart(source: Any, *arguments: object, **named: object) -> Axes:
        from simlab.runs.view import view_of

        answers = view_of(source).answers
        if question.name not in answers:
            answers[question.name] = question.of_run(source)
        answer = answers[question.name]
        if answer is None:
            raise InputError(f"This run has no analysis of {question.name}. Runs with a report have one.")
        axes: Axes = draw(answer, *arguments, **named)
        return axes

    return chart


def answer_types() -> dict[str, type[Answer]]:
    """Name of a JSON form -> the type from which it is made."""
    return {answer.form: answer for question in questions() for answer in question.answers()}
