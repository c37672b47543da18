"""Indices of the ledger's rules, by name: MF-CAS-02 is rule.MF_CAS_02. Kernels count by them."""

from pathlib import Path

from simlab.game import rule_index

globals().update(rule_index(Path(__file__).with_name("ledger.toml")))


def __getattr__(name: str) -> int:
    raise AttributeError(f"ledger.toml has no rule {name.replace('_', '-')}")
