"""Runs methods that are cut into blocks as plain Python, so that a test of the cuts compiles nothing."""

from typing import Any

from simlab.author import plain
from simlab.author.asking import frames_of
from simlab.author.base import Game
from simlab.author.blocks import ANSWER
from simlab.author.kernels import program_of


def run_lowered(owner: type[Game]) -> type[Game]:
    """A version of a class whose methods are cut into blocks, in plain Python."""
    program = program_of(owner)

    def begin(self: Any) -> None:
        vars(self).update(dict.fromkeys(frames_of(program.plan), 0))
        self.play()

    def go_on(self: Any, answer: Any) -> None:
        setattr(self, ANSWER, answer)
        self.play()

    return type(owner.__name__, (plain.counted_class(program),), {"_begin": begin, "answer_with": go_on})
