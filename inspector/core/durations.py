"""Lengths of time as words, for the sentences of rules."""

from __future__ import annotations


def in_words(us: int) -> str:
    """``0.4 ms``, ``39 ms``, ``2.4 s``."""
    if us < 10_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1000:,.0f} ms" if us < 1_000_000 else f"{us / 1_000_000:,.1f} s"
