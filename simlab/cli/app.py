"""simlab app."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.options import MetricOption, PlayersOption, VariantArgument, whole

port_number = whole(1, 65_535, "{}: write a whole number in 1..65535.")


def app(
    game: VariantArgument,
    players: PlayersOption = None,
    metric: MetricOption = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", parser=port_number, help="Port to listen on; a free one if not given."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open no browser.")] = False,
    idle: Annotated[
        float | None,
        typer.Option("--idle", metavar="SECONDS", min=0, help="End this many seconds after the last page was closed."),
    ] = None,
) -> None:
    """Open the app: change the rules of a game in your browser, and see the effect.

    The page has a slider or switch for every knob, the bots and the card tables. It plays the printed rules and your
    change on the same random seeds, and compares them while the games are played. You can save the change as an
    experiment. Only this machine can open the page, and only by the printed address. Ctrl-C ends the app.

    Examples:
      simlab app simple_siege --no-browser --idle 0
    """
    from simlab.app.form import FormState
    from simlab.app.server import require, serve, work_folder
    from simlab.cli.terminal import show
    from simlab.engine import deadline

    require()
    deadline.WATCH.limit = 0  # a bot that hangs is reported on the page, which stays open
    with work_folder() as folder:
        form = FormState(game, folder, players, metric or ())
        form.check_all()
        show(f"{form.loaded.title}: opening the app. Ctrl-C ends it.")
        serve(form, folder, port=port, browser=not no_browser, idle=idle, notify=show)
