"""A capture and who looks at it, as one value that the parts of its page are made from.

What a part needs besides, it loads itself, once (``CaptureView.once``): a fragment with one panel
does not pay for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureFacts, CaptureRow
from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Analysis
from inspector.core.findings import Finding
from inspector.core.json import Json
from inspector.core.request.prompt.request_body import has_too_many_values
from inspector.core.request.request_params import parse_request_body
from inspector.core.tape import EventKind, LaneKind, Tape
from inspector.core.tool_calls.tool_definitions import ToolDefinitions, read_tool_definitions
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.page.body_lines import BodyLines
from inspector.dashboard.capture.page.provenance import Provenance
from inspector.dashboard.request_values import parse_whole_number
from inspector.teams.access import Principal

Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class CaptureView:
    facts: CaptureFacts
    body: bytes
    request: Request | None = None
    """The request that was answered, if known."""
    analysis: Analysis | None = None
    tape: Tape | None = None
    query_params: Mapping[str, str] = field(default_factory=dict)
    """The page's query parameters: display options per panel, keyed by slug."""
    looked_at: str | None = None
    """Slug of the panel requested as a fragment; None for the whole page."""
    cuts: tuple[TruncatedValue, ...] = ()
    """Values of the analysis that are kept in part, because it is over the archive's bound."""
    not_read: str = ""
    """A sentence if there is an analysis and it could not be loaded or made."""
    seen_by: Principal | None = None
    """None for a paste, of which nothing is stored."""
    loaded: dict[Callable[[CaptureView], Any], Any] = field(default_factory=dict)
    """Results that parts loaded so far, by what loads them."""
    is_stored: bool = True
    """False for a paste: there are no URLs to fetch parts from, so everything is on the page."""

    @property
    def row(self) -> CaptureRow:
        return self.facts.row

    @property
    def id(self) -> UUID:
        return self.facts.row.id

    @property
    def is_prompt_withheld(self) -> bool:
        """True for whoever has a link that is without the prompt."""
        share = self.facts.share
        return share is not None and not share.has_prompt

    @property
    def all_bytes(self) -> bool:
        """True if repeated bytes and folded lines are shown in full."""
        return self.query_params.get("raw") == "all"

    def is_looked_at(self, slug: str) -> bool:
        """Return True if a slow panel should be built now instead of when it comes into view."""
        named = slug in self.query_params or self.query_params.get("show") == slug
        return named or self.looked_at == slug or not self.is_stored

    def once(self, load: Callable[[CaptureView], Loaded]) -> Loaded:
        if load not in self.loaded:
            self.loaded[load] = load(self)
        found: Loaded = self.loaded[load]
        return found

    def number(self, name: str) -> int | None:
        """Return a query parameter as a number; None if it is not one."""
        return parse_whole_number(self.query_params.get(name, ""))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of the analysis, and those added by projections."""
        return self.facts.with_added(self.analysis).findings if self.analysis else ()

    @cached_property
    def request_body(self) -> Mapping[str, Json] | None:
        """The request body; None if unknown, no JSON object, or too much to be parsed here."""
        sent = self.request.body if self.request else None
        return None if sent and has_too_many_values(sent) else parse_request_body(self.request)

    @cached_property
    def tools(self) -> ToolDefinitions | None:
        """The tools the request offered; None if the request is unknown."""
        return read_tool_definitions(self.request_body)

    @cached_property
    def lines(self) -> BodyLines:
        return BodyLines(self.body)

    @cached_property
    def provenance(self) -> Provenance | None:
        """Lookups from characters to events; None for a body that is not a stream."""
        if self.tape is None or not self.tape.events.kind:
            return None
        return Provenance(self.tape) if self.analysis and self.analysis.streamed else None

    @cached_property
    def lane_numbers(self) -> Mapping[tuple[int, LaneKind, int | None], int]:
        """Lane numbers on the tape by choice, kind and tool call position; empty without a tape."""
        lanes = self.tape.lanes if self.tape else []
        return {(lane.choice, lane.kind, lane.tool_call): at for at, lane in enumerate(lanes)}

    @cached_property
    def first_chunk(self) -> int | None:
        """The chunk that later chunks are compared with to fold their repeated bytes."""
        kinds = self.tape.events.kind if self.tape else []
        return kinds.index(EventKind.CHUNK) if EventKind.CHUNK in kinds else None
