"""A prompt as a value: what a request gave the model to read, in the order of the request."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.json import Json


class PromptPartKind(StrEnum):
    TEXT = "text"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"
    UNKNOWN = "unknown"


class PromptText(msgspec.Struct, frozen=True):
    """A text's beginning and whole length; ``is_json``: it is our spelling of what is no text."""

    head: str
    length: int
    is_json: bool = False


class PromptMember(msgspec.Struct, frozen=True):
    """A field that is shown as it was sent, as JSON."""

    name: str
    value: PromptText


class PromptMedia(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about an image, sound or file. ``byte_length`` is None where no base64 was sent."""

    media_type: str = ""
    byte_length: int | None = None
    pixels: tuple[int, int] | None = None
    """Width and height of an image, where its file says them."""
    address: str = ""


class PromptPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message. ``type`` is the wire's word, "" if it has none; ``pointer`` leads to
    it in the body of the request. ``name`` is that of a tool or file, ``id`` that of a call.
    """

    kind: PromptPartKind
    type: str = ""
    pointer: str
    text: PromptText | None = None
    name: str = ""
    id: str = ""
    is_error: bool = False
    """The result of a tool is an error, as the request says."""
    media: PromptMedia | None = None
    parts: tuple[PromptPart, ...] = ()
    """Parts inside this one: those of a result or of a document."""
    extras: tuple[PromptMember, ...] = ()


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """``number`` counts the messages of the prompt from 0. ``role`` is as sent, "" where none was;
    ``field`` names the member of the body where it stands.
    """

    number: int
    role: str = ""
    field: str
    type: str = ""
    name: str = ""
    pointer: str
    parts: tuple[PromptPart, ...] = ()
    parts_left_out: int = 0
    extras: tuple[PromptMember, ...] = ()


class PromptTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that the request offers. ``schema`` is None if it gives none."""

    name: str
    type: str = ""
    description: PromptText | None = None
    schema: PromptText | None = None
    properties: int | None = None
    required: int = 0
    is_strict: bool = False
    is_cache_point: bool = False
    """Bedrock's mark up to which a provider caches; it stands among the tools and is none."""
    extras: tuple[PromptMember, ...] = ()


class RequestState(StrEnum):
    """How far the body of a request could be read."""

    WHOLE = "whole"
    EMPTY = "empty"
    MENDED = "mended"
    """It is JSON but for what documents do to it: remarks, commas too many, things left out."""
    BROKEN = "broken"
    """It is no JSON from some character on, or ends before its JSON does."""
    NO_JSON = "no-json"
    NO_OBJECT = "no-object"
    """It is JSON of another kind."""


class PromptReading(msgspec.Struct, frozen=True, kw_only=True):
    """The messages from ``start`` on, as many as were asked for, of ``total``."""

    state: RequestState
    steps: tuple[str, ...] = ()
    """How it was mended."""
    broken_at: int | None = None
    """Number of characters that were read."""
    is_cut: bool = False
    """The body ends before its JSON does."""
    is_limited: bool = False
    """It is broken or cut somewhere behind what is read of such a body."""
    text: PromptText | None = None
    """The beginning of a body that is no JSON object."""
    messages: tuple[PromptMessage, ...] = ()
    total: int = 0
    tools: tuple[PromptTool, ...] = ()
    tool_total: int = 0
    """Without points of caching."""
    parameters: tuple[PromptMember, ...] = ()
    parameter_total: int = 0

    @property
    def tools_left_out(self) -> int:
        return self.tool_total - sum(not tool.is_cache_point for tool in self.tools)


def walk_parts(parts: tuple[PromptPart, ...]) -> Iterator[PromptPart]:
    """Yield the parts and those inside them."""
    for part in parts:
        yield part
        yield from walk_parts(part.parts)


def as_text(value: Json) -> str:
    """Return a text as it is, any other value as JSON."""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return repr(value)
