"""Kinds of tokens that have a price, each part of the whole that it is counted in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class TokenKind(StrEnum):
    """The value is the code on receipts, in prices of teams and in answers of the API."""

    PROMPT = "prompt"
    CACHED = "cached"
    CACHE_WRITE = "cache_write"
    PROMPT_AUDIO = "prompt_audio"
    PROMPT_IMAGE = "prompt_image"
    COMPLETION = "completion"
    REASONING = "reasoning"
    COMPLETION_AUDIO = "completion_audio"
    COMPLETION_IMAGE = "completion_image"
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
