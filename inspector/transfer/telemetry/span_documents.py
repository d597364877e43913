"""OTLP's documents of many spans, cut into documents of one span each. The text of each span, of
its resource and its scope stays as it is there.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw

_NULL = Raw(b"null")


class _ScopeSpans(msgspec.Struct, rename="camel"):
    scope: Raw = _NULL
    spans: list[Raw] = []
    schema_url: Raw = _NULL


class _ResourceSpans(msgspec.Struct, rename="camel"):
    resource: Raw = _NULL
    scope_spans: list[_ScopeSpans] = []
    schema_url: Raw = _NULL


class TracesDocument(msgspec.Struct, rename="camel"):
    """A document of OTLP, its spans not read yet."""

    resource_spans: list[_ResourceSpans] = []

    @property
    def span_count(self) -> int:
        return sum(len(scope.spans) for each in self.resource_spans for scope in each.scope_spans)


def traces_document(text: bytes) -> TracesDocument:
    """Raises ``msgspec.MsgspecError`` or ``UnicodeError`` for what is no document of OTLP."""
    return msgspec.json.decode(text, type=TracesDocument)


def one_span_documents(document: TracesDocument) -> Iterator[bytes]:
    for resource in document.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield _document(resource, scope, span)


def _document(resource: _ResourceSpans, scope: _ScopeSpans, span: Raw) -> bytes:
    held = _members(scope=scope.scope, spans=[span], schemaUrl=scope.schema_url)
    around = _members(resource=resource.resource, scopeSpans=[held], schemaUrl=resource.schema_url)
    return msgspec.json.encode({"resourceSpans": [around]})


def _members(**members: object) -> dict[str, object]:
    """Without those that the document does not have."""
    return {name: it for name, it in members.items() if not _is_null(it)}


def _is_null(value: object) -> bool:
    return isinstance(value, Raw) and bytes(value) == b"null"
