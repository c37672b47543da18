"""A second, slow bookkeeping of Siege of Lowenheim in plain Python, written from the rule ledger alone."""

from tests.games.lowenheim.reference.play import Siege

__all__ = ["Siege"]
