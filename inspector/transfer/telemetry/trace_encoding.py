"""How the spans of an upload are encoded."""

from enum import StrEnum


class TraceEncoding(StrEnum):
    """Kinds of uploads."""

    JSON = "otlp-json"
    PROTOBUF = "otlp-protobuf"
