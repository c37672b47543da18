"""Bots for The Peace of Westphalia (rule ledger, section 7)."""
