"""Formats durations for the messages of findings."""

from __future__ import annotations


def duration_words(us: int) -> str:
    """Format microseconds: ``0.4 ms``, ``39 ms``, ``2.4 s``."""
    if us < 10_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1000:,.0f} ms" if us < 1_000_000 else f"{us / 1_000_000:,.1f} s"
