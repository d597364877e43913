"""The description of a dialect, mostly data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import msgspec

from inspector.core.completion import Json
from inspector.core.formats.grammar import Table


class FieldsSeen(msgspec.Struct, frozen=True):
    """Names seen at each level of all objects of an exchange, by which its dialect is
    recognised.
    """

    top: frozenset[str]
    choice: frozenset[str]
    message: frozenset[str]
    objects: frozenset[str]
    """Values of ``object``."""
    types: frozenset[str]
    """Values of the top-level ``type``, the first 64."""


class EndMark(StrEnum):
    """How a stream of the dialect ends."""

    DONE = "[DONE]"
    CLOSING_OBJECT = "a closing object"
    NONE = "nothing"


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a wire format. Fields not named here are extras."""

    slug: str
    title: str
    recognises: Callable[[FieldsSeen], bool]
    base: str | None = None
    family: str | None = None
    """The dialect whose table this one shares and extends; its base's if there is one."""
    table: Table = {}
    """What stands where in its objects; of a dialect in a family, what it adds to the table."""
    begins: Callable[[Mapping[str, Json]], bool] = lambda value: False
    """Returns True if an object shows, before all others are seen, that its table reads it."""
    documents: tuple[str, ...] = ()
    """Numbers of the reference documents that define it."""
    object: str = "unknown"
    """``object`` of the whole answer, as reported in the analysis."""
    chunk_object: str = ""
    """``object`` of the chunks of a stream, "" if it is that of the whole answer."""
    is_read: bool = True
    """False: the format is only recognised. Events and times are read, choices are not."""
    end_mark: EndMark = EndMark.DONE
    closes: Callable[[FieldsSeen, Mapping[str, Json]], bool] = lambda signs, top: False
    """Returns True if the closing object of a stream was seen, by all signs and the last top-level
    values.
    """
    finish_reasons: frozenset[str] = frozenset()
    is_snapshot: Callable[[Sequence[str]], bool] = lambda pieces: False
    """Returns True if the content pieces of a choice are snapshots, each the whole text so far."""
    top_fields: frozenset[str] = frozenset()
    choice_fields: frozenset[str] = frozenset()
    message_fields: frozenset[str] = frozenset()
