"""The card tables on the page: a grid to edit, a place to drop a CSV file, and error messages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from simlab.app.controls import Field, Put
from simlab.app.form import MOST_BYTES, csv_of
from simlab.present.estimate import words

if TYPE_CHECKING:
    from simlab.app.session import Session


class Tables:
    """One table at a time, chosen from a list."""

    def __init__(self, session: Session, put: Put) -> None:
        self.session, self._put = session, put
        names = [schema.name for schema in session.form.loaded.tables]
        if not names:
            ui.label("This game has no tables of cards or parts.")
            self.name = ""
            return
        self.name = next((name for name in names if f"table {name}" in session.form.faults), names[0])
        ui.label(
            "The cards and parts of the game, as the rules print them. Change a cell (double-click, or Enter), or drop "
            "a CSV file of your own: it is checked as a whole, and played at once."
        ).classes("small")
        with ui.row().classes("items-center"):
            self.choice = ui.select({name: words(name) for name in names}, value=self.name, label="table")
            self.choice.props("dense").style("min-width: 11rem").on_value_change(self._chosen)
            ui.button("CSV file", icon="download", on_click=self._download).props("flat dense no-caps")
            for text, icon, change in (
                ("add a row", "add", session.form.copy_row), ("delete the row", "remove", session.form.delete_row)
            ):  # fmt: skip
                ui.button(text, icon=icon, on_click=partial(self._on_row, change)).props("flat dense no-caps")
            self.back = ui.button(
                "back to printed", on_click=lambda: put(lambda: session.form.put_table(self.name, None))
            )
            self.back.props("flat dense no-caps")
        self.faults = {name: Field(session, f"table {name}") for name in names}
        self.place = ui.element("div").style("width: 100%")
        self.grid: Any = None
        self._shown: Any = None
        self.upload = ui.upload(
            label="Drop a CSV file for this table, or choose one", auto_upload=True, max_file_size=MOST_BYTES,
            on_upload=self._uploaded, on_rejected=lambda: ui.notify("A component table is a CSV file under 1 MB."),
        )  # fmt: skip
        self.upload.props('accept=".csv,text/csv,text/plain" flat bordered').classes("w-full")
        self.show()

    def _chosen(self, event: Any) -> None:
        self.name = str(event.value)
        self.show()

    async def _uploaded(self, event: Any) -> None:
        data = await event.file.read()
        self.upload.reset()
        self._put(lambda: self.session.form.put_table(self.name, data))

    def _download(self) -> None:
        text = csv_of(self.session.form.loaded, self.name, self.session.form.rows(self.name))
        ui.download.content(text, f"{self.name}.csv", "text/csv")

    def _edited(self, event: Any) -> None:
        row, column, value = int(event.args["data"]["_row"]), str(event.args["colId"]), event.args.get("newValue")
        self._put(lambda: self.session.form.put_cell(self.name, row, column, "" if value is None else str(value)))

    async def _on_row(self, change: Callable[[str, int], None]) -> None:
        row = await self.grid.get_selected_row()
        if row is None:
            ui.notify("Select a row first: click on it, or press Space on it.")
        else:
            self._put(lambda: change(self.name, int(row["_row"])))

    def show(self) -> None:
        if not self.name:
            return
        form = self.session.form
        for field in self.faults.values():  # of all tables: nothing is played while one of them is wrong
            field.show()
            field.label.set_visibility(bool(field.label.text))
        self.back.set_visibility(self.name in form.tables or f"table {self.name}" in form.faults)
        key = (self.name, form.tables.get(self.name))
        if key == self._shown:
            return
        same_table = self._shown is not None and self._shown[0] == self.name
        self._shown = key
        rows = [{**line, "_row": place} for place, line in enumerate(form.rows(self.name))]
        if same_table and self.grid is not None and len(self.grid.options["rowData"]) == len(rows):
            self.grid.options["rowData"] = rows
            self.grid.update()
            return
        self.place.clear()
        with self.place:
            options = {
                "columnDefs": [self._column(name) for name in form.loaded.table(self.name).column_names],
                "rowData": rows,
                "rowSelection": {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True},
                "defaultColDef": {"editable": True, "resizable": True, "sortable": False, "minWidth": 90},
                "stopEditingWhenCellsLoseFocus": True,
                "domLayout": "autoHeight" if len(rows) <= 12 else "normal",
                "ensureDomOrder": True,
            }
            self.grid = ui.aggrid(options, auto_size_columns=False).on("cellValueChanged", self._edited)
            self.grid.classes("table-grid").style(f"width: 100%; height: {'auto' if len(rows) <= 12 else '26rem'}")

    def _column(self, name: str) -> dict[str, Any]:
        schema = self.session.form.loaded.table(self.name)
        column = next((one for one in schema.columns if one.name == name), None)
        made: dict[str, Any] = {"field": name, "headerName": words(name), "flex": 1}
        options = column.options if column is not None else ("rulebook", "reconstructed")
        if options:
            made |= {"cellEditor": "agSelectCellEditor", "cellEditorParams": {"values": list(options)}}
        elif column is not None and column.kind == "int":
            made |= {"headerTooltip": f"{column.low} to {column.high}", "flex": 0.6}
        return made
