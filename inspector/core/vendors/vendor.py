"""The description of a vendor: how it is detected, and what it adds to the dialect."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

import msgspec

from inspector.core.formats.dialect import EndMark, FieldsSeen

CHAT = ("openai-chat", "openai-text", "workflowai")
"""The dialects that most vendors send."""
RESPONSES = "openai-responses"


_compiled = cache(re.compile)


def is_spelt(pattern: str, text: str) -> bool:
    """Return True if a regular expression of a vendor's table matches the whole text."""
    return _compiled(pattern).fullmatch(text) is not None


class VendorSignals(msgspec.Struct, frozen=True, kw_only=True):
    """The input of vendor detection. It never includes the name of a model."""

    dialect: str | None = None
    signs: FieldsSeen
    id: str = ""
    fingerprint: str = ""
    service_tier: str | None = None
    usage: frozenset[str] = frozenset()
    """Names inside usage; inside its detail objects as ``prompt_tokens_details/text_tokens``."""
    response: frozenset[str] = frozenset()
    """Names inside the whole answer that an event carries, if it carries one."""
    calls: frozenset[str] = frozenset()
    """Names inside tool calls that no document defines."""
    error: frozenset[str] = frozenset()
    """Names inside the error object."""
    comments: frozenset[str] = frozenset()
    """Distinct texts of the first comment lines of a stream."""
    host: str = ""
    """Host of the request's URL, "" if it is unknown."""
    headers: frozenset[str] = frozenset()
    """Names of the response headers, in lower case."""
    told: str = ""
    """The name that a record of telemetry has of the provider, "" if there is no record."""

    @property
    def answer(self) -> frozenset[str]:
        """Names outside the choices, or inside the answer that an event carries."""
        return self.signs.top | self.response if self.response else self.signs.top


class VendorLayer(StrEnum):
    """Distance from the model, later ones nearer to the client. The nearest vendor is reported,
    because it passes on what those behind it add.
    """

    ENGINE = "engine"
    MAKER = "maker"
    CLOUD = "cloud"
    GATEWAY = "gateway"


LAYERS = tuple(VendorLayer)


class BodySigns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signs that only one vendor sends in a body: any of this is enough."""

    dialects: frozenset[str] = frozenset()
    id: str | None = None
    """A regular expression for the whole id; ``fingerprint`` likewise."""
    fingerprint: str | None = None
    top: frozenset[str] = frozenset()
    choice: frozenset[str] = frozenset()
    message: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    usage: frozenset[str] = frozenset()
    whole_usage: frozenset[str] = frozenset()
    """Names inside usage that only together are a sign."""


class Vendor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A vendor. Fields described here remain extras, shown with their meaning."""

    slug: str
    title: str
    layer: VendorLayer
    bases: tuple[str, ...] = CHAT
    """Slugs of the dialects that it sends."""
    signs: BodySigns | None = None
    """Those of a body in one of its dialects; others are in ``predicates``."""
    hosts: tuple[str, ...] = ()
    """Domains with subdomains. One that begins with a hyphen matches the end of a host."""
    headers: tuple[str, ...] = ()
    """Response headers of its own; one that ends with a hyphen matches the start of a name."""
    over: tuple[str, ...] = ()
    """Slugs of vendors of the same layer whose signs it passes on."""
    top_fields: Mapping[str, str] = {}
    """Names outside the choices with their meaning; the following are the same for other levels."""
    choice_fields: Mapping[str, str] = {}
    message_fields: Mapping[str, str] = {}
    usage_fields: Mapping[str, str] = {}
    cost_path: tuple[str, ...] = ()
    """Names inside usage that lead to the response's whole cost in USD; empty if undocumented."""
    finish_reasons: Mapping[str, str] = {}
    """Finish reasons that the dialect does not define, with their meaning."""
    objects: frozenset[str] = frozenset()
    """Values of ``object`` that the dialect does not define."""
    closing_objects: frozenset[str] = frozenset()
    """Values of ``object`` that end a stream, with or without the dialect's end marker."""
    end_mark: EndMark | None = None
    """None if it is that of the dialect."""
    counted_outside: frozenset[str] = frozenset()
    """Token counts that at least some of its models count beside their whole, not inside."""
    promises: frozenset[str] = frozenset()
    """Names of ledger equations that it promises and the documents do not."""
    breaks: Mapping[str, str] = {}
    """Codes of rules about promises that it is known to break, with the reason."""

    def meaning(self, level: str, name: str) -> str | None:
        """Meaning of a field at ``level`` (top, choice, message, usage); None if unknown."""
        fields: Mapping[str, str] = getattr(self, f"{level}_fields")
        return fields.get(name)
