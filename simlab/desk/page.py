"""The desk's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simlab.desk.desk import Desk


def build(desk: Desk, prefix: str) -> None:
    """Declares the page; one is made for each tab of a browser."""
    from nicegui import ui

    @ui.page("/")
    def page() -> None:
        ui.label(desk.asked.loaded.title)
        with ui.tabs() as tabs:
            watch = ui.tab("Watch a game")
        with ui.tab_panels(tabs, value=watch), ui.tab_panel(watch):
            from simlab.desk.viewer import show_game

            matches = {"printed rules": desk.asked.match(printed=True)}
            show_game(matches, desk.asked.seed, desk.kept)
