"""OTLP's documents of many spans, cut into documents of one span each. The text of each span, of
its resource and its scope stays as it is there.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw

from inspector.core.decoded_types import built

NULL = Raw(b"null")


class ScopeSpans(msgspec.Struct, rename="camel"):
    """Spans of one scope, none of their texts read."""

    scope: Raw = NULL
    spans: list[Raw] = []
    schema_url: Raw = NULL


class ResourceSpans(msgspec.Struct, rename="camel"):
    """Spans of one resource, none of their texts read."""

    resource: Raw = NULL
    scope_spans: list[ScopeSpans] = []
    schema_url: Raw = NULL


class TracesDocument(msgspec.Struct, rename="camel"):
    """A document of OTLP, its spans not read yet."""

    resource_spans: list[ResourceSpans] = []

    @property
    def span_count(self) -> int:
        return sum(len(scope.spans) for each in self.resource_spans for scope in each.scope_spans)

    @property
    def repeated_bytes(self) -> int:
        """The bytes of resources and scopes, which stand in the document of each of their spans."""
        return sum(
            len(scope.spans) * (len(bytes(each.resource)) + len(bytes(scope.scope)))
            for each in self.resource_spans
            for scope in each.scope_spans
        )


def traces_document(text: bytes) -> TracesDocument:
    """Raise ``msgspec.MsgspecError`` or ``UnicodeError`` for what is no document of OTLP."""
    return msgspec.json.decode(text, type=built(TracesDocument))


def one_span_documents(resources: Iterable[ResourceSpans]) -> Iterator[bytes]:
    for resource in resources:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield _document(resource, scope, span)


def _document(resource: ResourceSpans, scope: ScopeSpans, span: Raw) -> bytes:
    held = _members(scope=scope.scope, spans=[span], schemaUrl=scope.schema_url)
    around = _members(resource=resource.resource, scopeSpans=[held], schemaUrl=resource.schema_url)
    return msgspec.json.encode({"resourceSpans": [around]})


def _members(**members: object) -> dict[str, object]:
    """Without those that the document does not have."""
    return {name: it for name, it in members.items() if not _is_null(it)}


def _is_null(value: object) -> bool:
    return isinstance(value, Raw) and bytes(value) == b"null"
