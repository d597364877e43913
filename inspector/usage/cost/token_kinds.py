"""Kinds of tokens that have a price, each part of the whole that it is counted in."""

from collections.abc import Mapping
from enum import StrEnum


class TokenKind(StrEnum):
    """The value is the code on receipts, in prices of teams and in answers of the API."""

    PROMPT = "prompt"
    CACHED = "cached"
    CACHED_AUDIO = "cached_audio"
    CACHED_IMAGE = "cached_image"
    CACHE_WRITE = "cache_write"
    CACHE_WRITE_1H = "cache_write_1h"
    PROMPT_AUDIO = "prompt_audio"
    PROMPT_IMAGE = "prompt_image"
    PROMPT_VIDEO = "prompt_video"
    COMPLETION = "completion"
    REASONING = "reasoning"
    COMPLETION_AUDIO = "completion_audio"
    COMPLETION_IMAGE = "completion_image"
    COMPLETION_VIDEO = "completion_video"
    SEARCH = "search"
    REQUEST = "request"


WHOLES: Mapping[TokenKind, tuple[TokenKind, ...]] = {
    TokenKind.PROMPT: (
        TokenKind.CACHED,
        TokenKind.CACHED_AUDIO,
        TokenKind.CACHED_IMAGE,
        TokenKind.CACHE_WRITE,
        TokenKind.CACHE_WRITE_1H,
        TokenKind.PROMPT_AUDIO,
        TokenKind.PROMPT_IMAGE,
        TokenKind.PROMPT_VIDEO,
    ),
    TokenKind.COMPLETION: (
        TokenKind.REASONING,
        TokenKind.COMPLETION_AUDIO,
        TokenKind.COMPLETION_IMAGE,
        TokenKind.COMPLETION_VIDEO,
    ),
}
"""Each whole with its parts that may have a rate of their own."""
COMMON_PARTS: Mapping[TokenKind, tuple[TokenKind, ...]] = {
    TokenKind.CACHE_WRITE_1H: (TokenKind.CACHE_WRITE,),
    TokenKind.CACHED_AUDIO: (TokenKind.CACHED, TokenKind.PROMPT_AUDIO),
    TokenKind.CACHED_IMAGE: (TokenKind.CACHED, TokenKind.PROMPT_IMAGE),
}
"""Parts that other parts include in what was sent. They are taken out of these, and paid like the
first of them that has a rate where they have none of their own.
"""
