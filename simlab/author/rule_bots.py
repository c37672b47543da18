"""Bots as ordered rules in a TOML file, for designers who do not write code.

    [bot]
    game = "harbour"
    help = "Builds when it is worth it, else earns coins"

    [bot.traits.reserve]
    default = 3
    range = [0, 10]
    help = "coins that it keeps"

    [[rule]]
    if = "turn < 3"
    never = "market"

    [[rule]]
    if = "coins[me] >= reserve and points[me] < goal"
    choose = ["builder", "quay"]

    [[rule]]
    decision = "buy"
    best = "deck.points[row[option]]"

Rules are read from the top. The first one whose condition holds and that finds a legal option decides. `choose` names
options in order of preference (in a rule with `decision`, an option without a name goes by its number); `best` and
`least` compare all legal options by a formula over `option`; `never` rules options out for the rules below it. If no
rule decides, the bot of `otherwise` does, or an option is drawn at random from those that are not ruled out.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from simlab.author.build import ClassGame
from simlab.author.kernels import bot_kernel, program_of
from simlab.compiler import kernel
from simlab.compiler.dependencies import remember
from simlab.engine.bot_file import write_game
from simlab.engine.streams import bot_below
from simlab.errors import InputError, check_keys, nearest
from simlab.spec.bots import Policy, Trait
from simlab.spec.contract import Game
from simlab.spec.files import read_toml
from simlab.spec.refs import BotRef

_KEYS = ("if", "decision", "choose", "best", "least", "never", "help")
_ABOUT = ("game", "name", "help", "otherwise", "traits")
_EFFECTS = ("choose", "best", "least", "never")
_FUNCTIONS = ("min", "max", "abs", "sum", "any", "all", "len")
_BITS = 63  # of a whole number in compiled code, without its sign
_PARTS = (
    ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.IfExp, ast.Compare, ast.cmpop,
    ast.Call, ast.keyword, ast.GeneratorExp, ast.comprehension, ast.Subscript, ast.Slice, ast.Attribute, ast.Name,
    ast.expr_context, ast.Constant, ast.Tuple,
)  # fmt: skip
_LEGAL = "np.any(state.legal[: state.n_legal] == {})"
_HIDDEN = ("stream_", "forced_", "frame_")  # prefixes of fields that do not belong to the position


_MADE: dict[tuple[Path, int], tuple[Game, RuleBot]] = {}  # the game is kept alive, so that its id is not reused


@dataclass(frozen=True)
class RuleBot:
    """The bot of a file of rules.

    Attributes:
        otherwise: text of the bot that decides if no rule does; "" if chance decides. refuses: a function with the
            arguments of a policy, whose last trait is an option; returns whether the rules exclude the option.
    """

    policy: Policy
    otherwise: str
    refuses: Callable[..., int] | None


def read_rule_bot(path: Path, game: Game) -> RuleBot:
    """The bot of a file, in the version that this process first read.

    Raises:
        InputError: a rule cannot be used; the message names the file and the rule.
    """
    path = path.resolve()
    key = (path, id(game))
    if key not in _MADE:
        remember([path])
        _MADE[key] = (game, _Reader(path, game).bot(hashlib.sha256(path.read_bytes()).hexdigest()[:12]))
    return _MADE[key][1]


def forget_rule_bots() -> None:
    """Drops the bots of all files, so that their next use reads the files again."""
    _MADE.clear()


class _Reader:
    """A file of rules, for a game that is a class or made of kernels."""

    def __init__(self, path: Path, game: Game) -> None:
        self.path, self.game = path, game
        held = read_toml(path)
        check_keys(held, ("bot", "rule"), str(path))
        self.about: Mapping[str, Any] = held.get("bot", {})
        check_keys(self.about, _ABOUT, f"{path} [bot]")
        plays = self.about.get("game", game.slug)
        if plays != game.slug:
            raise InputError(f"{path}: is a bot for {plays}, not for {game.slug}. {write_game(plays, game.slug)}")
        if not isinstance(held["rule"], list) or not all(isinstance(rule, dict) for rule in held["rule"]):
            raise InputError(f"{path}: begin each rule with [[rule]].")
        self.rules: list[dict[str, Any]] = held["rule"]
        self.traits = {name: self._trait(name, entry) for name, entry in self.about.get("traits", {}).items()}
        self.decisions = {d.name.replace(" ", "_"): n for n, d in enumerate(game.decisions)}
        #: Names that formulas may use -> their source.
        self.names: dict[str, str] = {}
        if isinstance(game, ClassGame):
            plan, program = game.owner.blueprint(), program_of(game.owner)
            parts = (plan.fields, plan.knobs, plan.components, plan.choices, plan.constants, program.game.methods)
            own = ["seat", "turn", "seats", "decision", *(name for part in parts for name in part)]
            self.names = {name: name for name in program.module_names} | {name: f"game.{name}" for name in own}
            self.loop, self.count, self.below = ["for option in game.options:"], "game.option_count", "game.below("
        else:
            fields = [name for name in game.state.names or () if not name.startswith(_HIDDEN)]
            self.names = {name: f"knobs.{name}" for name in game.knobs} | {name: f"state.{name}" for name in fields}
            self.loop = ["for place in range(state.n_legal):", "    option = _int(state.legal[place])"]
            self.count, self.below = "_int(state.n_legal)", "bot_below(state, "

    def _trait(self, name: str, entry: Any) -> Trait:
        try:
            low, high = entry["range"]
            made = Trait(entry["default"], low, high, str(entry.get("help", name)))
            if name.isidentifier() and low <= made.default <= high:
                return made
        except (KeyError, TypeError, ValueError):
            pass
        raise InputError(f'{self.path} [bot.traits.{name}]: write default = 3, range = [0, 10] and help = "...".')

    def bot(self, digest: str) -> RuleBot:
        name, otherwise = str(self.about.get("name", self.path.stem)), self.about.get("otherwise", "")
        if not isinstance(otherwise, str):
            raise InputError(f'{self.path} [bot]: otherwise names a bot, as "random".')
        folder = self.path.parent
        other = (
            str(BotRef.parse(otherwise).with_files(lambda file: str((folder / file).resolve()))) if otherwise else ""
        )
        choice = self._compiled(f"rules_{digest}_choice", self._lines(False))
        which = self._compiled(f"rules_{digest}_which", self._lines(True))
        refuses = self._compiled(f"rules_{digest}_refuses", self._refuses(), "picked") if otherwise else None
        texts = (f"as {otherwise}" if otherwise else "at random", *(self._text(rule) for rule in self.rules))
        help_ = str(self.about.get("help", f"{len(self.rules)} rules"))
        policy = Policy(name, choice, self.game.slug, (), self.traits, help_, __name__, texts, which)
        return RuleBot(policy, other, refuses)

    def _text(self, rule: Mapping[str, Any]) -> str:
        effect = next(key for key in _EFFECTS if key in rule)
        wanted = rule[effect]
        condition = f"if {rule['if']}, " if "if" in rule else ""
        options = ", ".join(map(str, wanted)) if isinstance(wanted, list) else wanted
        return str(rule.get("help") or f"{condition}{effect} {options}")

    # --- The function ---------------------------------------------------------

    def _compiled(self, name: str, body: Iterator[str], *more: str) -> Callable[..., Any]:
        """more: names of numbers after the traits."""
        lines, traits = list(body), [*self.traits, *more]
        if isinstance(self.game, ClassGame):
            text = f"def {name}({', '.join(['game', *traits])}):\n" + "\n".join(f"    {line}" for line in lines)
            tree: Any = ast.parse(text).body[0]
            return bot_kernel(self.game.owner, tree, str(self.path), self.traits, options=["option"])
        head = [f"{trait} = traits[{number}]" for number, trait in enumerate(traits)]
        text = f"def {name}(state, knobs, cards, traits):\n" + "\n".join(f"    {line}" for line in [*head, *lines])
        module = ModuleType(f"simlab_rule_bot_{name}")
        sys.modules[module.__name__] = module  # compiled code refers to its module by name
        vars(module).update({"np": np, "_int": np.int64, "bot_below": bot_below})
        exec(compile(text, str(self.path), "exec"), vars(module))
        return kernel(vars(module)[name])  # type: ignore[no-any-return]

    def _refuses(self) -> Iterator[str]:
        """The lines of the function that returns whether an option is ruled out."""
        yield "option = int(picked)"
        for number, rule in enumerate(self.rules, 1):
            if "never" in rule:
                at = f"{self.path}, rule {number}"
                tests = " or ".join(self._named(rule, "never", at))
                yield f"if ({self._condition(rule, at)}) and ({tests}):"
                yield "    return 1"
        yield "return 0"

    def _condition(self, rule: Mapping[str, Any], at: str) -> str:
        condition = self._expression(rule.get("if", "True"), f"{at}, if", option=False)
        return f"({condition}) and {self._asked(rule['decision'], at)}" if "decision" in rule else condition

    def _lines(self, which: bool) -> Iterator[str]:
        """The lines of the function; with `which`, it returns the number of the deciding rule."""
        ruled_out: list[str] = []
        for number, rule in enumerate(self.rules, 1):
            at = f"{self.path}, rule {number}"
            effects = [key for key in _EFFECTS if key in rule]
            check_keys(rule, _KEYS, at)
            if len(effects) != 1:
                raise InputError(
                    f"{at}: has one of choose, best, least and never; found {', '.join(effects) or 'none'}."
                )
            condition = self._condition(rule, at)
            effect = effects[0]
            if effect == "never":
                yield f"never_{number} = bool({condition})"
                ruled_out.append(f"(never_{number} and ({' or '.join(self._named(rule, 'never', at))}))")
                continue
            allowed = "".join(f" and not {test}" for test in ruled_out)
            answer = str(number) if which else "option"
            yield f"if {condition}:"
            if effect == "choose":
                for test in self._named(rule, "choose", at):
                    yield from self._loop(f"{test}{allowed}", [f"return {answer}"])
            else:
                sign = ">" if effect == "best" else "<"
                value = self._expression(rule[effect], f"{at}, {effect}")
                yield f"    best_{number}, worth_{number}, found_{number} = -1, 0.0, False"
                yield from self._loop(
                    f"True{allowed}",
                    [
                        f"value_{number} = 1.0 * ({value})",
                        f"if not found_{number} or value_{number} {sign} worth_{number}:",
                        f"    best_{number}, worth_{number}, found_{number} = option, value_{number}, True",
                    ],
                )
                yield f"    if found_{number}:"
                yield f"        return {number if which else f'best_{number}'}"
        if which:
            yield "return 0"
            return
        allowed = "".join(f" and not {test}" for test in ruled_out)
        yield "left = 0"
        yield "if True:"
        yield from self._loop(f"True{allowed}", ["left += 1"])
        yield f"pick = {self.below}left if left > 0 else {self.count})"
        yield "if True:"
        yield from self._loop(f"(left == 0 or (True{allowed}))", ["if pick == 0:", "    return option", "pick -= 1"])
        yield "return -1"

    def _loop(self, test: str, body: list[str]) -> Iterator[str]:
        """Lines of a loop over the legal options, inside an `if`."""
        yield from (f"    {line}" for line in self.loop)
        yield f"        if {test}:"
        yield from (f"            {line}" for line in body)

    def _asked(self, decision: Any, at: str) -> str:
        if decision not in self.decisions:
            known = ", ".join(self.decisions)
            raise InputError(
                f"{at}: unknown decision '{decision}'. {nearest(str(decision), self.decisions)} Known: {known}."
            )
        is_class = isinstance(self.game, ClassGame)
        return f"game.decision == game.{decision}" if is_class else f"state.decision == {self.decisions[decision]}"

    def _named(self, rule: Mapping[str, Any], effect: str, at: str) -> list[str]:
        """Sources of tests whether `option` is one of those that a rule names, in order."""
        names = rule[effect] if isinstance(rule[effect], list) else [rule[effect]]
        for name in names:
            _constant(ast.Constant(name), at)
        numbered = "decision" in rule
        kinds = (str, int) if numbered else str
        if not names or not all(isinstance(name, kinds) and not isinstance(name, bool) for name in names):
            hint = "" if numbered else " Options without a name go by their number, in a rule with `decision`."
            raise InputError(f'{at}: name options, as "builder" or ["builder", "quay"].{hint}')
        return [self._is(name, at) for name in names]

    def _is(self, name: str | int, at: str) -> str:
        """Source of a test whether `option` has this name, or this number in the pending decision."""
        return f"option == {name}" if isinstance(name, int) else self.any_of(name, "option == {}", at)

    def any_of(self, name: str, test: str, at: str) -> str:
        """Source of a test, with `{}` for the option, for an option by name, whose number differs between decisions."""
        if name not in options_of(self.game):
            raise InputError(f"{at}: there is no option '{name}'. {nearest(name, options_of(self.game))}")
        if isinstance(self.game, ClassGame):
            return test.format(repr(name))
        places = [(n, d.actions.index(name)) for n, d in enumerate(self.game.decisions) if name in d.actions]
        return "(" + " or ".join(f"(state.decision == {n} and {test.format(option)})" for n, option in places) + ")"

    def _expression(self, text: Any, at: str, option: bool = True) -> str:
        try:
            tree = ast.parse(str(text), mode="eval").body
            _check_formula(tree, at)
        except SyntaxError as fault:
            raise InputError(f"{at}: '{str(text)[:100]}' cannot be read ({fault.msg}).") from None
        except (RecursionError, MemoryError, ValueError):  # Python's limits, or a zero byte
            raise InputError(f"{at}: '{str(text)[:100]}' cannot be read (it is nested too deeply).") from None
        if not option and any(isinstance(node, ast.Name) and node.id == "option" for node in ast.walk(tree)):
            raise InputError(
                f"{at}: `option` is for `best` and `least`. Ask can(name) here, whether an option is legal."
            )
        return ast.unparse(_Names(self, at).visit(tree))


def _check_formula(tree: ast.expr, at: str) -> None:
    """Refuses what a formula cannot hold. Python computes with numbers of any size, and while it compiles a formula it
    computes the parts that are constant; compiled rules have numbers of 64 bits, and a longer one ends the process.
    """
    for node in ast.walk(tree):
        if not isinstance(node, _PARTS):
            raise InputError(
                f"{at}: '{ast.unparse(node)}' is not a part of a formula, which has numbers, comparisons, `and`, `or`, "
                "`not`, `if` ... `else`, + - * // %, and sum(), any(), all(), min() or max() with `for` inside."
            )
    _constant(tree, at)


def _constant(node: ast.AST, at: str) -> int | float | None:
    """The value of an expression of constants, else None. Raises InputError: a part of it has no value of 64 bits."""
    value: Any = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.UnaryOp | ast.BinOp):
        sides = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        if any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides):
            raise InputError(f"{at}: '{ast.unparse(node)[:100]}' computes with a text, which can only be compared.")
        values = [_constant(side, at) for side in sides]
        if None in values:
            return None
        try:
            if isinstance(node.op, ast.LShift | ast.Pow) and abs(values[-1] or 0) >= _BITS:
                raise OverflowError
            value = eval(compile(ast.fix_missing_locations(ast.Expression(node)), at, "eval"))  # constants alone
        except (ArithmeticError, ValueError, TypeError) as fault:
            why = "is divided by 0" if isinstance(fault, ZeroDivisionError) else "has no value of 64 bits"
            raise InputError(f"{at}: '{ast.unparse(node)[:100]}' {why}.") from None
    else:
        for part in ast.iter_child_nodes(node):
            _constant(part, at)
    if not isinstance(value, int | float):
        return None
    if not abs(value) < 2.0**_BITS:
        raise InputError(f"{at}: '{ast.unparse(node)[:100]}' is beyond 64 bits. Write a smaller number.")
    return value


class _Names(ast.NodeTransformer):
    """Turns the names of a formula into those of the game."""

    def __init__(self, reader: _Reader, at: str) -> None:
        self.reader, self.at = reader, at
        self.own: set[str] = set()

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        self.own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "can":
            wanted: Any = node.args[0] if node.args else None
            name = wanted.id if isinstance(wanted, ast.Name) else getattr(wanted, "value", "")
            legal = "game.can({})" if isinstance(self.reader.game, ClassGame) else _LEGAL
            return ast.parse(self.reader.any_of(str(name), legal, self.at), mode="eval").body
        if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            node.args = [self.visit(argument) for argument in node.args]
            return node
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        reader, name = self.reader, node.id
        if name in self.own or name == "option" or name in reader.traits or name in ("True", "False"):
            return node
        source = reader.names.get("seat" if name == "me" else name)
        if source is None:
            known = sorted({*reader.names, *reader.traits})
            raise InputError(f"{self.at}: '{name}' is not known. {nearest(name, known)}")
        return ast.parse(source, mode="eval").body


def options_of(game: Game) -> list[str]:
    """The options that have names."""
    if isinstance(game, ClassGame):
        return sorted({option for choice in game.owner.blueprint().choices.values() for option in choice.names})
    return sorted({action for decision in game.decisions for action in decision.actions})


def fields_of(game: Game) -> list[str]:
    """The fields, components and knobs that a condition may use."""
    if isinstance(game, ClassGame):
        plan = game.owner.blueprint()
        fields = [name for name in (*plan.fields, *plan.components) if name not in ("won", "ending")]
        return ["turn", "seat", *fields, *plan.knobs]
    own = [name for name in game.state.names or () if not name.startswith((*_HIDDEN, "n_legal", "legal"))]
    return [*own, *game.knobs]
