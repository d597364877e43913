"""Everything that the capture page shows, as one value: what panels are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from inspector.archive.document import Cut
from inspector.archive.values import CapturePage, CaptureRow
from inspector.core.analysis import Analysis
from inspector.core.tape import EventKind, Tape
from inspector.dashboard.lines import Lines
from inspector.dashboard.provenance import Provenance


@dataclass(frozen=True)
class CaptureView:
    page: CapturePage
    body: bytes
    analysis: Analysis | None = None
    tape: Tape | None = None
    table_from: int | None = None
    """First row of the timeline as a table, None where it is drawn."""
    all_bytes: bool = False
    """Repeated bytes and runs of lines are shown in full instead of folded."""
    cuts: tuple[Cut, ...] = ()
    """What the analysis lacks: empty where it was read again, in full."""
    stored: bool = True
    """Without it there is no address to fetch parts from: all that is shown is on the page."""

    @property
    def row(self) -> CaptureRow:
        return self.page.row

    @property
    def id(self) -> UUID:
        return self.page.row.id

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
    def first_chunk(self) -> int | None:
        """The event whose repeated bytes are folded in those that follow it."""
        kinds = self.tape.events.kind if self.tape else []
        return kinds.index(EventKind.CHUNK) if EventKind.CHUNK in kinds else None
