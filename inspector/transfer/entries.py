"""Results of a reader of files for each entry: an exchange, or why there is none."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from inspector.core.wire.exchange import Exchange

NOTE = "file_note"
"""Name in the metadata of how a body was read other than its file says."""


class FileKindName(StrEnum):
    """Kinds of files, by the names that results and metadata have them under."""

    BODY = "body"
    READS = "reads"
    ENVELOPES = "envelopes"
    HAR = "har"
    CASSETTE = "vcr"
    MITMPROXY = "mitmproxy"
    OPENAI_BATCH = "openai-batch"
    ANTHROPIC_BATCH = "anthropic-batch"
    ANSWERS = "answers"
    OTLP = "otlp"
    CLAUDE_TRACE = "claude-trace"
    CLAUDE_TAP = "claude-tap"


class BodyForm(StrEnum):
    """How the body in a file relates to the bytes that the provider sent."""

    SENT = "sent"
    """The bytes of the wire."""
    DECODED = "decoded"
    """Its text, after content coding and character set were undone."""
    EMBEDDED = "embedded"
    """A JSON value inside a document: the same value, perhaps spaced otherwise."""
    TOLD = "told"
    """A record of telemetry: nothing of it is the provider's."""


@dataclass(frozen=True, slots=True)
class FoundExchange:
    """An exchange with what its file says besides; no time that the file does not have."""

    exchange: Exchange
    started_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """How the body was read other than the file says; empty if it was not."""
        return str(self.metadata.get(NOTE, ""))


@dataclass(frozen=True, slots=True)
class FoundEnvelope:
    """The JSON text of an envelope, which only an archive reads in full."""

    text: bytes


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An entry that holds no answer of a model, such as a page's style sheet."""

    reason: str
    is_unanswered: bool = False
    """A model was called, and no answer came."""


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """An entry that should hold an answer, and cannot be read."""

    reason: str


EntryContent = FoundExchange | FoundEnvelope | PassedOver | UnreadableEntry


@dataclass(frozen=True, slots=True)
class FileEntry:
    """``number`` counts from 1; of files with a record in each line it is that of the line."""

    number: int
    content: EntryContent


class BrokenFile(Exception):
    """Raised by a reader where nothing behind this place can be read; the message says why."""
