"""Everything that the capture page shows, as one value: what panels are drawn from.

What has to be asked for is asked when a panel first wants it, and then kept: a fragment draws one
panel, and pays for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from inspector.archive.document import Cut
from inspector.archive.values import CapturePage, CaptureRow
from inspector.core.analysis import Analysis
from inspector.core.asked import request_object
from inspector.core.completion import Json
from inspector.core.exchange import Request
from inspector.core.findings import Finding
from inspector.core.tape import EventKind, LaneKind, Tape
from inspector.core.tool_calls.offered import Tools, offered_tools
from inspector.dashboard.lines import Lines
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.provenance import Provenance
from inspector.feedback.issuing import Issued
from inspector.feedback.queries import VoteRow
from inspector.usage.bills import bill_of
from inspector.usage.queries import StoredPrice
from inspector.usage.receipts import Receipt, receipt_of

Votes = Mapping[int, tuple[VoteRow, ...]]


@dataclass(frozen=True)
class CaptureView:
    page: CapturePage
    body: bytes
    request: Request | None = None
    """What was answered, where it is known."""
    analysis: Analysis | None = None
    tape: Tape | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    """The query of the page: how each panel is to be shown, under the panel's slug."""
    looked_at: str | None = None
    """The panel that is asked for alone; None for the whole page."""
    cuts: tuple[Cut, ...] = ()
    """What the analysis lacks: empty where it was read again, in full."""
    in_full: bool = True
    """False while the stored analysis stands in for a reading that takes seconds."""
    not_read: str = ""
    """A sentence where it was to be read again for whoever looks, and could not be."""
    ask_price: Callable[[], StoredPrice | None] = lambda: None
    ask_votes: Callable[[], Votes] = dict
    """Where ``price`` and ``votes`` come from."""
    may_issue: bool = False
    """Tokens for its choices may be made and revoked by whoever looks."""
    issued: tuple[int, Issued] | None = None
    """The choice that a token was made for right now, and the token: shown once."""
    stored: bool = True
    """Without it there is no address to fetch parts from: all that is shown is on the page."""

    @property
    def row(self) -> CaptureRow:
        return self.page.row

    @property
    def id(self) -> UUID:
        return self.page.row.id

    @property
    def all_bytes(self) -> bool:
        """Repeated bytes and runs of lines are shown in full instead of folded."""
        return self.asked.get("raw") == "all"

    def is_looked_at(self, slug: str) -> bool:
        """False where a heavy panel may wait until somebody looks at it."""
        named = slug in self.asked or self.asked.get("show") == slug
        return named or self.looked_at == slug or not self.stored

    def number(self, name: str) -> int | None:
        """What the query says under a name; None where that is no number."""
        return whole_number(self.asked.get(name, ""))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What reading remarks, and what is added to it."""
        return self.page.with_added(self.analysis).findings if self.analysis else ()

    @cached_property
    def price(self) -> StoredPrice | None:
        """By which the capture is in the sums of its team."""
        return self.ask_price()

    @cached_property
    def votes(self) -> Votes:
        """By choice, newest first."""
        return self.ask_votes()

    @cached_property
    def receipt(self) -> Receipt | None:
        """By the prices that hold now; None without an analysis."""
        if self.analysis is None:
            return None
        overrides = self.price.overrides if self.price else ()
        # A stored analysis has no completion, where the service tier may stand: its bill has that.
        kept = self.price.bill if self.price and self.tape is None else None
        bill = kept or bill_of(self.analysis, self.page.request_model)
        return receipt_of(bill, self.row.received_at, overrides)

    @cached_property
    def request_body(self) -> Mapping[str, Json] | None:
        """None where it is not known, or no JSON object."""
        return request_object(self.request)

    @cached_property
    def tools(self) -> Tools | None:
        """What the request offered, None where that is not known."""
        return offered_tools(self.request_body)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.body)

    @cached_property
    def provenance(self) -> Provenance | None:
        """None where nothing can be looked up: a body that is no stream came as one."""
        if self.tape is None or not self.tape.events.kind:
            return None
        return Provenance(self.tape) if self.analysis and self.analysis.streamed else None

    @cached_property
    def lane_numbers(self) -> Mapping[tuple[int, LaneKind, int | None], int]:
        """The lanes of the tape by choice, kind and position of the call; none without a tape."""
        lanes = self.tape.lanes if self.tape else []
        return {(lane.choice, lane.kind, lane.tool_call): at for at, lane in enumerate(lanes)}

    @cached_property
    def first_chunk(self) -> int | None:
        """The event whose repeated bytes are folded in those that follow it."""
        kinds = self.tape.events.kind if self.tape else []
        return kinds.index(EventKind.CHUNK) if EventKind.CHUNK in kinds else None
