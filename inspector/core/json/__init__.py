"""JSON as text: parsed with its duplicates and byte ranges, cut short, repaired and compared."""

from typing import Any

Json = Any
"""A decoded JSON value: dict, list, str, int, float, bool or None."""
