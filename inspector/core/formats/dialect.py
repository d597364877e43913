"""The description of a dialect, mostly data."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import msgspec

from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import Table
from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.json import Json
from inspector.core.json.pointer import value_at


def names(text: str) -> frozenset[str]:
    """Names that are separated by white space."""
    return frozenset(text.split())


class FieldsSeen(msgspec.Struct, frozen=True):
    """Names seen at each level of all objects of an exchange, which tell its dialect."""

    top: frozenset[str]
    choice: frozenset[str]
    message: frozenset[str]
    objects: frozenset[str]
    """Values of ``object``."""
    types: frozenset[str]
    """Types of events, the first 64: values of the member that names them in their format
    (``type``, ``event``), or the framing's names of them where only it has any.
    """
    texts: frozenset[str] = frozenset()
    """Names of top-level fields that are texts."""


class EndMark(StrEnum):
    """How a stream of the dialect ends."""

    DONE = "[DONE]"
    CLOSING_OBJECT = "a closing object"
    NONE = "nothing"


Begins = Callable[[Mapping[str, Json]], bool]


def begins_nothing(_value: Mapping[str, Json]) -> bool:
    """Return False: the default of dialects that are recognised only by all objects together."""
    return False


def are_increments(_pieces: Sequence[str]) -> bool:
    """Return False: the default of dialects whose pieces of content are always increments."""
    return False


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a wire format. Fields not named here are extras."""

    slug: str
    title: str
    recognises: Callable[[FieldsSeen], bool]
    is_told: bool = False
    """Its objects are what a program tells of an answer, and nothing that a provider sent."""
    base: str | None = None
    table: Table = {}
    """Places in its objects and what stands there. Without a line for the object itself ("") it is
    what this dialect adds to the table of chat completions.
    """
    begins: Begins = begins_nothing
    """Returns True if an object shows, before all others are seen, that its table reads it."""
    usage: UsageTable = CHAT_USAGE
    """Where its usage object has each token count."""
    documents: tuple[str, ...] = ()
    """Numbers of the reference documents that define it."""
    object: str = "unknown"
    """``object`` of the whole answer, as reported in the analysis."""
    chunk_object: str = ""
    """``object`` of the chunks of a stream, "" if it is that of the whole answer."""
    streams_as_list: bool = False
    """A stream may be one list of objects, which build one answer."""
    wrapper: str = ""
    """JSON Pointer to the answer in bodies that pass it on whole, "" if none does."""
    end_mark: EndMark = EndMark.DONE
    closing: str = EndMark.CLOSING_OBJECT
    """Mark that readers look for at the end of a stream that a closing object ends."""
    closing_of: Callable[[FieldsSeen, Mapping[str, Json]], str | None] = lambda signs, top: None
    """Returns what closed a stream that ended, by all signs and the last top-level values: "" if
    the finish reason alone does, None if nothing came that does. (``TypedEvent.closing`` tells
    while a stream is read that nothing may follow an event.)
    """
    done: str = ""
    """Field that is true in an answer that ended, even without a finish reason."""
    identity: Mapping[str, str] = {}
    """The format's own names of the members that say which answer it is, by ours: ``id``, ``model``
    and ``created``, when it was made. Names that are the same are left out.
    """
    role: str = "assistant"
    """The role of the messages that a model sends."""
    finish_reasons: Mapping[str, FinishMeaning] = {}
    """The meaning of each documented finish reason, as it is spelt."""
    finish_numbers: Mapping[int, str] = {}
    """Names of the finish reasons that some clients write as numbers."""
    block_reason: tuple[tuple[str, str], ...] = ()
    """Fields and members with which an answer without choices says why its prompt was blocked; the
    member with ``Message`` (``_message``) behind its name says more.
    """
    block_reasons: Mapping[int, str] = {}
    """Names of the reasons for it that some clients write as numbers."""
    is_snapshot: Callable[[Sequence[str]], bool] = are_increments
    """Returns True if the content pieces of a choice are snapshots, each the whole text so far.
    Pieces are snapshots if the first two are, and the first with each later one.
    """
    top_fields: frozenset[str] = frozenset()
    """Documented members of the answer."""
    choice_fields: frozenset[str] = frozenset()
    """Documented members of a choice. Of an answer made of parts: what is kept of its only choice,
    by the names of a chat completion.
    """
    message_fields: frozenset[str] = frozenset()
    """The same of a choice's message."""

    def answer_in(self, body: Json) -> str:
        """JSON Pointer to the answer in a body: "" unless the body passes it on."""
        is_wrapped = self.wrapper and isinstance(value_at(body, self.wrapper), dict)
        return self.wrapper if is_wrapped else ""
