"""Cassettes of VCR: those of vcrpy (YAML and JSON) and of Ruby's VCR (YAML). They have no times
but, in Ruby's, the moment of each recording.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, BinaryIO

import msgspec

from inspector.core.wire.exchange import Exchange, Headers, Read, Request
from inspector.transfer.base64_body import NOT_BASE64, decoded, is_text
from inspector.transfer.entries import (
    NOTE,
    BrokenFile,
    EntryContent,
    FileEntry,
    FoundExchange,
    UnreadableEntry,
)
from inspector.transfer.files.completion_calls import completion_or_passed
from inspector.transfer.files.json_list import NoSuchList, list_items
from inspector.transfer.har import TRANSPORT_HEADERS
from inspector.transfer.moments import moment_of
from inspector.transfer.source import FileSource

LISTS = ("interactions", "http_interactions")
# As in "version: 1\ninteractions:\n" and "---\nhttp_interactions:\n".
_BEGINS_YAML = re.compile(
    rb"(?:(?:---|#|version:|recorded_with:)[^\n]*+\n)*+(?:http_)?interactions:[ \t]*\r?\n"
)
# As in '{"version": 1, "interactions": ['.
_BEGINS_JSON = re.compile(rb'\s*\{\s*(?:"version"\s*:\s*\d+\s*,\s*)?"interactions"\s*:\s*\[')


class BadInteraction(Exception):
    """Raised for an interaction that lacks what makes it one."""


def is_cassette(source: FileSource) -> bool:
    return any(begins.match(source.head) for begins in (_BEGINS_YAML, _BEGINS_JSON))


def read_cassette(source: FileSource) -> Iterator[FileEntry]:
    """Raise ``BrokenFile``."""
    is_json = source.head.lstrip()[:1] == b"{"
    values = _in_json(source.rewound()) if is_json else _in_yaml(source.rewound())
    for number, value in enumerate(values, start=1):
        yield FileEntry(number, _content(value))


def _in_json(stream: BinaryIO) -> Iterator[Any]:
    try:
        for text in list_items(stream, LISTS[:1]):
            try:
                yield msgspec.json.decode(text)
            except msgspec.MsgspecError as error:
                yield error
    except NoSuchList:
        raise BrokenFile("the cassette has no list of interactions") from None


def _in_yaml(stream: BinaryIO) -> Iterator[Any]:
    # Imported here: most files are no YAML, and the distribution that only inspects may lack it.
    try:
        from inspector.transfer.files.yaml_list import yaml_items
    except ImportError:
        raise BrokenFile("what reads YAML is not installed: PyYAML") from None
    return yaml_items(stream, LISTS)


def _content(value: Any) -> EntryContent:
    if isinstance(value, Exception):
        return UnreadableEntry(str(value)[:300])
    try:
        return completion_or_passed(_found(_mapping(value, "interaction")))
    except BadInteraction as error:
        return UnreadableEntry(str(error))


def _found(interaction: Mapping[str, Any]) -> FoundExchange:
    response = _mapping(interaction.get("response"), "response")
    request = _mapping(interaction.get("request"), "request")
    # httpx's answers stood under other names in older cassettes.
    content = response.get("body", response.get("content"))
    body = _bytes(content)
    if body is None:
        raise BadInteraction("the response has no body")
    # A body that is text was decoded by the recorder, whatever the headers say of the wire.
    headers = _headers(response.get("headers"), () if _is_binary(content) else TRANSPORT_HEADERS)
    exchange = Exchange(
        reads=(Read(None, body),),
        content_type=next((v for n, v in headers if n.lower() == "content-type"), None),
        status_code=_status(response),
        headers=headers,
        request=Request(
            method=_upper(request.get("method")),
            url=_text_or_none(request.get("uri", request.get("url"))),
            headers=_headers(request.get("headers")),
            body=_bytes(request.get("body")),
        ),
    )
    note = {NOTE: NOT_BASE64} if _is_misnamed(content) else {}
    return FoundExchange(exchange, _recorded_at(interaction.get("recorded_at")), note)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInteraction(f"the {name} is missing, or no mapping")
    return value


def _bytes(value: Any) -> bytes | None:
    """Return the bytes of a body, which stands there itself or as a member of what describes it."""
    if isinstance(value, dict):
        if isinstance(encoded := value.get("base64_string"), str):
            return _decoded(encoded) if not is_text(encoded) else encoded.encode(errors="replace")
        value = value.get("string")
    if isinstance(value, str):
        # JSON cassettes of later versions mark bytes that are no UTF-8 as surrogates.
        return value.encode("utf-8", "surrogateescape")
    return value if isinstance(value, bytes) else None


def _decoded(text: str) -> bytes:
    try:
        return decoded(text)
    except ValueError as error:
        raise BadInteraction(f"a body is not base64: {error}") from error


def _is_binary(value: Any) -> bool:
    if isinstance(value, dict):
        is_coded = "base64_string" in value and not _is_misnamed(value)
        return is_coded or isinstance(value.get("string"), bytes)
    return isinstance(value, bytes)


def _is_misnamed(value: Any) -> bool:
    """Return True for a body that is said to be base64 and is text."""
    said = value.get("base64_string") if isinstance(value, dict) else None
    return isinstance(said, str) and is_text(said)


def _status(response: Mapping[str, Any]) -> int | None:
    status = response.get("status", response.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    return code if isinstance(code, int) and 100 <= code <= 999 else None


def _headers(value: Any, leave_out: tuple[str, ...] = ()) -> Headers:
    if not isinstance(value, dict):
        return ()
    pairs = ((str(name), each) for name, values in value.items() for each in _listed(values))
    # Only scalars: the text of a list that names itself often would have no end.
    return tuple(
        (name, str(each))
        for name, each in pairs
        if name.lower() not in leave_out and isinstance(each, str | int | float)
    )


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _upper(value: Any) -> str | None:
    """Ruby writes a symbol, in small letters."""
    return value.upper() if isinstance(value, str) else None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _recorded_at(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo else None
    if not isinstance(value, str):
        return None
    try:
        return datetime.strptime(value, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
    except ValueError:
        return moment_of(value)
