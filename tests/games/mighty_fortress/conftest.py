"""An Elder of the test's own: its ability is any text of the effect vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.games.mighty_fortress.table import Table, scene


@pytest.fixture
def effect(tmp_path: Path) -> Callable[..., Table]:
    """effect(text, **scene): a scene in which "Tester" sits and can carry out the text for a die."""

    def make(text: str, **rest: Any) -> Table:
        path = tmp_path / f"elders{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(f'id,name,die,cost,ability,vp,source\nT1,Tester,White,nothing,"{text}",3,reconstructed\n')
        return scene(council=("Bernard Knipperdolling",), tables={"elders": path}, **rest)

    return make
