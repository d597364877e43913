"""Kinds of tokens that have a price, each part of the whole that it is counted in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class TokenKind(StrEnum):
    """The value is the word on a receipt."""

    PROMPT = "prompt"
    CACHED = "cached"
    CACHE_WRITE = "cache write"
    PROMPT_AUDIO = "prompt audio"
    PROMPT_IMAGE = "prompt image"
    COMPLETION = "completion"
    REASONING = "reasoning"
    COMPLETION_AUDIO = "completion audio"
    COMPLETION_IMAGE = "completion image"
    REQUEST = "request"


WHOLES: Mapping[TokenKind, tuple[TokenKind, ...]] = {
    TokenKind.PROMPT: (
        TokenKind.CACHED,
        TokenKind.CACHE_WRITE,
        TokenKind.PROMPT_AUDIO,
        TokenKind.PROMPT_IMAGE,
    ),
    TokenKind.COMPLETION: (
        TokenKind.REASONING,
        TokenKind.COMPLETION_AUDIO,
        TokenKind.COMPLETION_IMAGE,
    ),
}
"""Each whole with its parts that may have a rate of their own."""
