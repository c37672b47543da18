"""Indices of the ledger's rules, by name: WP-BAT-02 is rule.WP_BAT_02. Kernels count by them."""

from pathlib import Path

from simlab.game import rule_index

globals().update(rule_index(Path(__file__).with_name("ledger.toml")))


def __getattr__(name: str) -> int:
    raise AttributeError(f"ledger.toml has no rule {name.replace('_', '-')}")
