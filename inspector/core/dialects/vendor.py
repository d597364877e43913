"""What a vendor is: who sent an answer, and what it is known to add to the dialect; mostly data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum

import msgspec

from inspector.core.dialects.dialect import EndMark, Signs

CHAT = ("openai-chat", "openai-text", "workflowai")
"""The dialects that most vendors serve."""
RESPONSES = "openai-responses"


class Clues(msgspec.Struct, frozen=True, kw_only=True):
    """By what a vendor is told: more than the dialect needs, and never a model's name."""

    dialect: str | None = None
    signs: Signs
    id: str = ""
    fingerprint: str = ""
    service_tier: str | None = None
    usage: frozenset[str] = frozenset()
    """Names inside usage; those of its detail objects as ``prompt_tokens_details/text_tokens``."""
    response: frozenset[str] = frozenset()
    """Names inside the answer that an event carries, where it carries one whole."""
    calls: frozenset[str] = frozenset()
    """Names inside tool calls, beside those of the documents."""
    error: frozenset[str] = frozenset()
    """Names inside the error object."""
    comments: frozenset[str] = frozenset()
    """Texts of the first different comment lines of a stream."""
    host: str = ""
    """Of the request's address, where it is known."""
    headers: frozenset[str] = frozenset()
    """Names of the response headers, in lower case."""

    @property
    def answer(self) -> frozenset[str]:
        """Names beside the choices or, where an event carries the answer, inside that."""
        return self.signs.top | self.response


class Layer(IntEnum):
    """How near to the client. The nearest holds: it passes on what the others behind it add."""

    ENGINE = 1
    MAKER = 2
    CLOUD = 3
    GATEWAY = 4


class Vendor(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent an answer. Fields named here stay extras: they are shown with their meaning."""

    slug: str
    title: str
    layer: Layer
    bases: tuple[str, ...] = CHAT
    """The dialects that it serves."""
    recognises: Callable[[Clues], bool] = lambda clues: False
    """Whether a body of one of its bases bears signs that are this vendor's alone."""
    hosts: tuple[str, ...] = ()
    """Domains with all below them; one that begins with a hyphen is the end of a name."""
    headers: tuple[str, ...] = ()
    """Response headers that are its own; one that ends with a hyphen is the beginning of names."""
    over: tuple[str, ...] = ()
    """Vendors of the same layer whose signs it passes on."""
    top_fields: Mapping[str, str] = {}
    """Names that it adds beside the choices, each with what it means; so below."""
    choice_fields: Mapping[str, str] = {}
    message_fields: Mapping[str, str] = {}
    usage_fields: Mapping[str, str] = {}
    finish_reasons: Mapping[str, str] = {}
    """Reasons beyond those of the dialect, each with what it means."""
    objects: frozenset[str] = frozenset()
    """Values of ``object`` beyond those of the dialect."""
    closing_objects: frozenset[str] = frozenset()
    """Values of ``object`` by which it closes a stream, with or without the dialect's end mark."""
    end_mark: EndMark | None = None
    """None: that of the dialect."""
    counted_beside: frozenset[str] = frozenset()
    """Counts that stand beside their whole and not inside it, of some models at least."""
    promises: frozenset[str] = frozenset()
    """Lines of the usage ledger that hold beyond those of the documents."""
    breaks: Mapping[str, str] = {}
    """Rules about promises that it is known not to keep, each with the reason."""

    def meaning(self, level: str, name: str) -> str | None:
        """What a field means at a level: top, choice, message or usage."""
        fields: Mapping[str, str] = getattr(self, f"{level}_fields")
        return fields.get(name)


def is_at(vendor: Vendor, host: str) -> bool:
    return any(
        host == known or host.endswith(known if known.startswith("-") else f".{known}")
        for known in vendor.hosts
    )


def has_header(vendor: Vendor, headers: frozenset[str]) -> bool:
    return any(
        any(name.startswith(known) for name in headers) if known.endswith("-") else known in headers
        for known in vendor.headers
    )


def bears_signs(vendor: Vendor, clues: Clues) -> bool:
    return clues.dialect in vendor.bases and vendor.recognises(clues)
