"""Tells whether two names can mean the same model. Every vendor spells them differently."""

from __future__ import annotations

import re

SIZES = frozenset(
    {"fast", "flash", "haiku", "large", "lite", "max", "medium", "micro", "mini", "nano"}
    | {"opus", "plus", "pro", "small", "sonnet", "turbo"}
)
"""Words that distinguish models of one family."""
_WORDS = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*").findall
_MAX_CHARACTERS = 200


def is_another_model(asked: str, answered: str) -> bool:
    """Return False for an alias with a date, a name without its maker, or words in another order.

    ``gpt-4o`` and ``gpt-4o-2024-08-06`` can be one model, ``gpt-4o`` and ``gpt-4o-mini`` cannot.
    """
    one, other = _words_of(asked), _words_of(answered)
    if not one or not other:
        return False
    differing = one ^ other
    return not (one <= other or other <= one) or bool(differing & SIZES)


def _words_of(name: str) -> frozenset[str]:
    """Words and numbers of a name, without maker, variant (``:free``) and dates."""
    name = name[:_MAX_CHARACTERS].lower().rpartition("/")[2].partition(":")[0]
    return frozenset(word for word in _WORDS(name) if not _is_of_date(word))


def _is_of_date(word: str) -> bool:
    return word.isdigit() and (len(word) >= 4 or word.startswith("0"))
