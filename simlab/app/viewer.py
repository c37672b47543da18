"""A game, step by step: the tab "Watch a game" of the app.

The page of `simlab replay --html` and this tab draw with the same script (simlab.questions.replay.page). Here the
script gets the frames while the game is played, and can request another choice, or the chances to win from a frame. The
selection (rules, game, line, frame, seat) is stored in a dict of the app, so it survives the page.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from simlab.errors import SimlabError
from simlab.questions.choices.regret import Why
from simlab.questions.replay.film import FUTURES, Film
from simlab.questions.replay.page import Reel, chances_data, script, style, worth_data

if TYPE_CHECKING:
    from simlab.engine.match import Match

_PIECE = 40  # frames that are sent at a time
_FILMS = 6  # lines of games that are kept
_ALL = "all seats"
_SAMPLE = 500  # games that are searched for notable ones
# The box of a tab that is not shown is not in the page: its film lives on its own until the box is there (again).
_FILM_IN_BOX = """
window.simlabFilms = {};
window.simlabFilmIn = (id, head) => {
  window.simlabFilms[id]?.end();
  const place = document.createElement("div");
  getHtmlElement(id)?.replaceChildren(place);
  const notify = (what) => (frame, action) => emitEvent(`film-${id}`, {what, frame, action});
  const film = window.simlabFilms[id] = simlabFilm(place, head, {
    onFrame: notify("frame"), onChoose: notify("choose"), onChances: notify("chances"), onWorth: notify("worth"),
  });
  const put = () => {
    if (window.simlabFilms[id] !== film || place.isConnected) return;
    getHtmlElement(id)?.replaceChildren(place);
    setTimeout(put, 100);
  };
  put();
};
"""


class Viewer:
    """The viewer in one browser tab, inside the parent container; other rules, bots or seeds need a new viewer.

    Args:
        matches: name of a set of rules ("printed rules", "your tweak") -> its match; one or two. Their code is compiled
            on first use, in another thread than the page's, because it takes a while.
        kept: the app's memory of the rules, game and step that are shown, for all tabs and across reloads.
    """

    def __init__(self, matches: Mapping[str, Match], seed: int, kept: MutableMapping[str, Any]) -> None:
        from nicegui import ui

        self.matches, self.seed, self.kept = matches, seed, kept
        kept.setdefault("films", OrderedDict())
        kept.setdefault("lock", threading.Lock())  # a film is played by one thread at a time
        for name, value in (("rules", ""), ("game", 0), ("frame", 0), ("choices", {}), ("eyes", _ALL)):
            kept.setdefault(name, value)
        if kept["rules"] not in matches:
            kept["rules"] = list(matches)[-1]
        of = (tuple(match.key for match in matches.values()), seed)
        if kept.get("of") != of:  # other rules: another line would be one of another game
            kept["of"], kept["choices"] = of, {}
        self.reel: Reel | None = None
        self._latest = 0  # grows with every film that is asked for: an older one stops
        self._feeding = False
        self._notable: list[Any] = []
        seats = next(iter(matches.values())).game.seats
        if kept["eyes"] not in (_ALL, *seats):
            kept["eyes"] = _ALL
        with ui.row().classes("items-end").style("gap: .4rem 1rem; margin-bottom: .3rem"):
            if len(matches) > 1:
                rules = ui.toggle(list(matches), value=kept["rules"], on_change=self._on_rules)
                rules.props("dense no-caps unelevated").classes("watch-rules")
            self.number = ui.number("game", value=kept["game"], min=0, precision=0, on_change=self._on_game)
            self.number.props("dense debounce=400").classes("watch-game").style("width: 7rem")
            self.notable = ui.select({}, label="notable games", on_change=self._on_notable)
            self.notable.props("dense options-dense").classes("watch-notable").style("width: 22rem; max-width: 100%")
            self.find = ui.button("find notable games", on_click=self._find)
            self.find.props("dense no-caps flat").classes("watch-find")
            eyes = ui.select([_ALL, *seats], value=kept["eyes"], label="seen by", on_change=self._on_eyes)
            eyes.props("dense options-dense").classes("watch-eyes").style("width: 9rem")
        with ui.row().classes("items-center watch-line").style("gap: .3rem 1rem") as self.line:
            self.about = ui.label().classes("small")
            undo = ui.button("undo the last choice").props("dense no-caps flat").classes("watch-undo")
            undo.on_click(lambda: self._back_to(dict(sorted(kept["choices"].items())[:-1])))
            ui.button("as the bots played it", on_click=lambda: self._back_to({})).props("dense no-caps flat")
        self.status = ui.label().classes("small").props("role=status data-test=watch-status")
        self.command = ui.label().classes("small watch-command").style("font-family: monospace")
        self.line.set_visibility(bool(kept["choices"]))
        self.box = ui.element("div").style("width: 100%")
        if not hasattr(self.box.client, "simlab_film"):  # once in a page, however often the viewer is built
            self.box.client.simlab_film = True  # type: ignore[attr-defined]
            ui.add_css(style())
        self._run("if (!window.simlabFilms) {" + script() + _FILM_IN_BOX + "}")
        self._run("for (const film of Object.values(window.simlabFilms)) film.end(); window.simlabFilms = {};")
        ui.on(f"film-{self.box.id}", self._on_film)
        ui.timer(0.01, self._load, once=True)

    # --- What was asked for ----------------------------------------------------------

    @property
    def match(self) -> Match:
        return self.matches[self.kept["rules"]]

    @property
    def eyes(self) -> int | None:
        """The seat whose view is shown; None for all."""
        seats = self.match.game.seats
        return seats.index(self.kept["eyes"]) if self.kept["eyes"] in seats else None

    async def _on_rules(self, event: Any) -> None:
        self.kept["rules"], self.kept["choices"] = event.value, {}
        await self._load()

    async def _on_game(self, event: Any) -> None:
        if event.value is None or not 0 <= event.value < 1 << 53:
            return
        game = int(event.value)
        if game != self.kept["game"]:
            self.kept.update({"game": game, "frame": 0, "choices": {}})
            await self._load()

    def _on_notable(self, event: Any) -> None:
        if event.value is not None:
            self.number.value = self._notable[event.value].game

    async def _on_eyes(self, event: Any) -> None:
        self.kept["eyes"] = event.value
        await self._load()

    async def _on_film(self, event: Any) -> None:
        """An event from the script: a frame is shown, a choice was made, chances or worths are wanted."""
        what, number = str(event.args["what"]), int(event.args["frame"])
        if what == "frame":
            self.kept["frame"] = number
        elif what == "choose":
            await self._choose(number, int(event.args["action"]))
        elif what in ("chances", "worth") and self.reel is not None:
            film, request, eyes = self.reel.film, self._latest, self.eyes

            def play_on() -> Any:
                return chances_data(film, number, FUTURES, eyes) if what == "chances" else self._worth(film, number)

            figures = await self._apart(play_on, "playing on …")
            if figures is not None and request == self._latest:
                self._run(f"{self._film}.setFigures({number}, '{what}', {json.dumps(figures)})")

    def _worth(self, film: Film, number: int) -> list[list[float | None]]:
        """The worth of each option of the decision at a frame; [] if this seat may not see it."""
        chosen = film.chosen(number)
        if chosen is None or self.eyes not in (None, chosen.place):
            return []
        return worth_data(Why(self.match, self.seed, FUTURES), film[number], chosen.action)

    async def _choose(self, number: int, action: int) -> None:
        if self.reel is None:
            return
        film = self.reel.film
        line = await self._apart(lambda: film.branch(number, action))
        if line is not None:
            self.kept["choices"], self.kept["frame"] = dict(line.choices), number + 1
            self._keep(line)
            await self._go_over_to(line, number)

    async def _back_to(self, choices: dict[int, int]) -> None:
        """Shows another line of the game, from the first decision that differs."""
        if self.reel is None:
            return
        now = self.kept["choices"]
        first = min((n for n in {*now, *choices} if now.get(n) != choices.get(n)), default=None)
        if first is None:
            return
        self.kept["choices"] = choices
        film = await self._apart(self._wanted)
        number = await self._apart(lambda: film.of_decision(first)) if film is not None else None
        if film is not None and number is not None:
            self.kept["frame"] = number
            await self._go_over_to(film, number)

    # --- Films -----------------------------------------------------------------------

    def _key(self, choices: Mapping[int, int]) -> tuple[Any, ...]:
        return self.match.key, self.seed, self.kept["game"], tuple(sorted(choices.items()))

    def _keep(self, film: Film) -> None:
        films = self.kept["films"]
        films[self._key(film.choices)] = film
        while len(films) > _FILMS:
            films.popitem(last=False)

    def _wanted(self) -> Film:
        film: Film | None = self.kept["films"].get(self._key(self.kept["choices"]))
        if film is None:
            film = Film(self.match, self.seed, self.kept["game"], self.kept["choices"])
            self._keep(film)
        return film

    async def _load(self) -> None:
        self._latest += 1
        request = self._latest
        film = await self._apart(self._wanted, "compiling if needed")
        if film is None or request != self._latest:
            return
        self.reel = Reel(film, self.eyes)
        self._run(f"window.simlabFilmIn({self.box.id}, {json.dumps(self.reel.head())});")
        await self._feed(request)

    async def _go_over_to(self, film: Film, number: int) -> None:
        """Shows another line, which is the same up to a frame."""
        if self._feeding:  # the current page would be lost: send all of it again
            await self._load()
            return
        self._latest += 1
        request, reel = self._latest, self.reel
        assert reel is not None
        await self._apart(lambda: reel.go_over_to(film, number))
        self._run(f"{self._film}.cut({number}, {json.dumps(sorted(film.choices.items()))})")
        await self._feed(request)

    async def _feed(self, request: int) -> None:
        reel, whole = self.reel, False
        assert reel is not None
        choices = self.kept["choices"]
        self.line.set_visibility(bool(choices))
        count = f"{len(choices)} choice{'' if len(choices) == 1 else 's'}"
        self.about.text = f"Another line of the game, with {count} made by hand."
        self.command.text = reel.film.command
        wanted: int | None = self.kept["frame"]
        self._feeding = True
        while not whole:
            piece = await self._apart(lambda: reel.piece(_PIECE), f"playing the game: {reel.done} frames")
            if request != self._latest:  # another film is fed meanwhile
                return
            if piece is None or self.box.is_deleted:
                break
            whole = piece["whole"]
            self._run(f"{self._film}.add({json.dumps(piece)})")
            if wanted is not None:
                self._run(f"{self._film}.go({wanted})")
                wanted = None if reel.done > wanted else wanted
        self._feeding = False

    # --- Notable games ---------------------------------------------------------------

    async def _find(self) -> None:
        from simlab.questions.notable_games.analysis import of_match
        from simlab.questions.notable_games.words import reason, title

        match, seed = self.match, self.seed
        self.find.disable()
        found = await self._apart(lambda: of_match(match, seed, _SAMPLE), "looking for notable games …")
        self.find.enable()
        if found is not None and not self.box.is_deleted:
            self._notable = found.games
            turn = match.game.turn_name
            options = {i: f"{title(one)}: game {one.game}; {reason(one, turn)}" for i, one in enumerate(found.games)}
            self.notable.set_options(options)

    # --- The page ----------------------------------------------------------------------

    @property
    def _film(self) -> str:
        return f"window.simlabFilms[{self.box.id}]"

    def _run(self, code: str) -> None:
        if not self.box.is_deleted:
            self.box.client.run_javascript(code)

    async def _apart(self, work: Callable[[], Any], saying: str = "") -> Any:
        """Does work in a thread; None if it failed, which the page then reports."""
        lock = self.kept["lock"]

        def locked() -> Any:
            with lock:
                return work()

        if not self.box.is_deleted:
            self.status.text = saying
        try:
            done = await asyncio.to_thread(locked)
        except SimlabError as fault:
            done, saying = None, str(fault)
        except Exception as fault:  # noqa: BLE001 - the page reports it, and does not wait for ever
            done, saying = None, f"this is a defect of simlab: {type(fault).__name__}: {fault}"
        else:
            saying = ""
        if not self.box.is_deleted:
            self.status.text = saying
        return done
