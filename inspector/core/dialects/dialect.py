"""What a dialect is: mostly data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import msgspec

from inspector.core.completion import Json


class Signs(msgspec.Struct, frozen=True):
    """By what a dialect is recognised: the names seen at each level of all objects together."""

    top: frozenset[str]
    choice: frozenset[str]
    message: frozenset[str]
    objects: frozenset[str]
    """Values of ``object``."""
    types: frozenset[str]
    """Values of ``type`` beside it, the first 64."""


class EndMark(StrEnum):
    """How a stream of the dialect ends."""

    DONE = "[DONE]"
    CLOSING_OBJECT = "a closing object"
    NONE = "nothing"


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How a wire format is read. Fields named here are known; all others are extras."""

    slug: str
    title: str
    recognises: Callable[[Signs], bool]
    base: str | None = None
    documents: tuple[str, ...] = ()
    """Reference documents that define it."""
    object: str = "unknown"
    """``object`` of the whole answer, as the analysis names it."""
    is_read: bool = True
    """False: recognised by name only; events and times are read, choices are not."""
    end_mark: EndMark = EndMark.DONE
    closes: Callable[[Signs, Mapping[str, Json]], bool] = lambda signs, top: False
    """Whether a stream's closing object was seen, from all signs and the last top-level values."""
    finish_reasons: frozenset[str] = frozenset()
    is_snapshot: Callable[[Sequence[str]], bool] = lambda pieces: False
    """Whether a choice's content pieces are snapshots, each the whole text so far."""
    top_fields: frozenset[str] = frozenset()
    choice_fields: frozenset[str] = frozenset()
    message_fields: frozenset[str] = frozenset()
