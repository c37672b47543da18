"""Indices of the ledger's rules by name: P-2.2 is rule.P_2_2. The rules count by them how often they fire."""

from pathlib import Path

from simlab.game import rule_index

for _name, _index in rule_index(Path(__file__).with_name("ledger.toml")).items():
    globals()[_name.replace(".", "_")] = _index


def __getattr__(name: str) -> int:
    raise AttributeError(f"ledger.toml has no rule {name}")
