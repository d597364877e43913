"""Service tiers as answers state them, and which of their words mean the usual rates."""

from __future__ import annotations

STANDARD = "standard"
STANDARD_WORDS = frozenset({"", "default", STANDARD, "on_demand", "auto"})
"""What is billed at the usual rates; ``auto`` leaves open what was used. Empty: none was stated."""
