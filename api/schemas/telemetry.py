"""Bodies of OTLP over HTTP, as far as they are described: OTLP defines them."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType


class TracesRequest(msgspec.Struct, rename="camel"):
    """Spans by resource and scope (ExportTraceServiceRequest of OTLP)."""

    resource_spans: list[dict[str, Any]]


class PartialSuccess(msgspec.Struct, frozen=True, rename="camel"):
    """Spans that did not become a capture: how many, and the reasons with their numbers."""

    rejected_spans: str
    error_message: str


class TracesResponse(msgspec.Struct, frozen=True, rename="camel"):
    """Empty where every span became a capture, or was one already."""

    partial_success: PartialSuccess | UnsetType = UNSET


class OtlpStatus(msgspec.Struct, frozen=True):
    """An error, with the code that gRPC has for it (Status of google.rpc, which OTLP asks for)."""

    code: int
    message: str
