"""What a price is asked for: kinds of tokens, each inside the whole that it is counted with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Kind(StrEnum):
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


WHOLES: Mapping[Kind, tuple[Kind, ...]] = {
    Kind.PROMPT: (Kind.CACHED, Kind.CACHE_WRITE, Kind.PROMPT_AUDIO, Kind.PROMPT_IMAGE),
    Kind.COMPLETION: (Kind.REASONING, Kind.COMPLETION_AUDIO, Kind.COMPLETION_IMAGE),
}
"""Each whole with the parts that can have a rate of their own."""
