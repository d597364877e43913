"""One opened capture: its rows are loaded at once, each costly part on first use."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive import readouts
from inspector.archive.inspection import added_findings, reinspection
from inspector.archive.listing import adjacent
from inspector.archive.listing.capture_values import (
    CaptureFacts,
    failed_version_of,
    inspection_of,
    row_of,
)
from inspector.archive.listing.cursor import Order
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.same_prompt import SamePrompt, same_prompt
from inspector.archive.listing.siblings import Siblings, siblings_of
from inspector.archive.live_reading import LiveReadout, live_readout
from inspector.archive.models import Capture, Document, Evidence, State
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readouts import StoredReadout, TruncatedValue
from inspector.archive.storage import evidence, segments
from inspector.archive.storage.evidence import Surroundings
from inspector.archive.storage.previous_analysis import PreviousAnalysis, compare_with_previous
from inspector.core.analysis import Analysis
from inspector.core.credentials.removal import Removal
from inspector.core.findings import Finding
from inspector.core.redaction_mark import Redaction
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import (
    Exchange,
    Headers,
    MeasuredBy,
    Request,
    TransportFault,
    TransportOutcome,
)

EQUAL_CAPTURES = 5
"""The page names the newest; the list of that hash has all."""
MAX_RETRIES = 5
"""SDKs try two or three times."""
ROWS = ("inspection", "document", "team", "key")
"""Tables joined when a capture is opened."""


class OpenedCapture(CaptureFacts):
    """A capture's page whose costly parts are loaded on first use.

    They are remembered, so the value is not fully frozen: a fragment of a page needs few of them,
    the whole page several of them more than once.
    """

    def __init__(
        self,
        capture: Capture,
        visible: QuerySet[Capture],
        filters: Filters = NO_FILTERS,
        asker: Asker = None,
    ) -> None:
        self._capture, self._visible, self._filters, self._asker = capture, visible, filters, asker
        for name, value in facts_of(capture).items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        # The generated one would load every part for a traceback.
        return f"<OpenedCapture {self._capture.pk}>"

    # -- the reading that is stored ---------------------------------------------------------------

    @property
    def readout(self) -> StoredReadout | None:
        """All that was read; None until inspected. ``ReadingError`` where it cannot be loaded."""
        if self._document is not None and self.readout_if_loaded is None:
            raise ReadingError(ReadingErrorCause.READ_AGAIN)
        return self.readout_if_loaded

    @cached_property
    def readout_if_loaded(self) -> StoredReadout | None:
        """None, too, where it cannot be loaded: a worker then reads it again."""
        if self._document is None:
            return None
        found = readouts.load(bytes(self._document.readout))
        if found is None:
            reinspection.read_again(self._capture.pk)
        return found

    @property
    def analysis(self) -> Analysis | None:
        return self.readout_if_loaded.analysis if self.readout_if_loaded else None

    @property
    def cuts(self) -> tuple[TruncatedValue, ...]:
        return self.readout_if_loaded.cuts if self.readout_if_loaded else ()

    @cached_property
    def previous(self) -> PreviousAnalysis | None:
        before = self._document.previous if self._document else None
        if before is None or self.analysis is None:
            return None
        return compare_with_previous(bytes(before), self.analysis)

    @cached_property
    def added_findings(self) -> tuple[Finding, ...]:
        return added_findings.findings_added_to(self._capture.pk) if self._document else ()

    @property
    def _document(self) -> Document | None:
        return getattr(self._capture, "document", None)

    # -- the evidence, and what is read from it again ---------------------------------------------

    @property
    def exchange(self) -> Exchange | None:
        """The bytes as they came, as far as they have come; None where a deletion took them
        meanwhile. Raises ``NewerEvidenceForm``, and ``ReadingError`` where the body is deleted.
        """
        return self._stored_exchange

    @cached_property
    def _stored_exchange(self) -> Exchange | None:
        self.require_body()
        if self.is_recording:
            return segments.exchange_so_far(self._capture)
        return evidence.unpack(self._capture, self._evidence) if self._evidence else None

    @cached_property
    def body(self) -> bytes:
        """The body without codings, as read; empty without evidence. Raises ``ReadingError``."""
        return decompressed(self.exchange).body if self.exchange else b""

    def readout_so_far(self) -> LiveReadout | None:
        """Read on in a running recording. None where its evidence is gone, or where more has come
        than is read meanwhile. Raises ``ReadingError``.
        """
        return live_readout(self._capture, self._asker)

    def require_body(self) -> None:
        """Raise ``ReadingError`` where what was sent is deleted."""
        if self._capture.body_deleted_at is not None:
            raise ReadingError(ReadingErrorCause.DELETED)

    @property
    def is_survived(self) -> bool:
        # Only what a worker has read without dying is read in web.
        inspected = self._capture.state == State.INSPECTED and inspection_of(self._capture)
        return bool(inspected) and self.failed_version is None

    @cached_property
    def removal(self) -> Removal | None:
        return self._surroundings.removal if self._surroundings else None

    @cached_property
    def redaction(self) -> Redaction | None:
        return self._surroundings.redaction if self._surroundings else None

    @cached_property
    def headers(self) -> Headers | None:
        return self._surroundings.headers if self._surroundings else None

    @cached_property
    def request(self) -> Request | None:
        return self._surroundings.request if self._surroundings else None

    @property
    def fault(self) -> TransportFault | None:
        return self._surroundings.fault if self._surroundings else None

    @property
    def total_bytes(self) -> int | None:
        return self._surroundings.total_bytes if self._surroundings else None

    @property
    def measured_by(self) -> MeasuredBy | None:
        return self._surroundings.measured_by if self._surroundings else None

    @cached_property
    def _surroundings(self) -> Surroundings | None:
        return evidence.surroundings_of(self._capture)

    @property
    def _evidence(self) -> Evidence | None:
        return getattr(self._capture, "evidence", None)

    # -- other captures ---------------------------------------------------------------------------

    @cached_property
    def same_bytes_as(self) -> tuple[UUID, ...]:
        here = self._capture
        # Recordings have no hash yet, and would all be equal.
        if self.is_recording:
            return ()
        equal = self._visible.filter(team=here.team_id, sha256=here.sha256).exclude(id=here.id)
        return tuple(
            equal.order_by(*Order().newest_first).values_list("id", flat=True)[:EQUAL_CAPTURES]
        )

    @cached_property
    def same_prompt(self) -> SamePrompt | None:
        if self.prompt_sha256 is None:
            return None
        return same_prompt(self._visible, self._capture)

    @cached_property
    def retry_of(self) -> UUID | None:
        repeated = self._capture.retry_of
        if repeated is None:
            return None
        there = self._visible.filter(id=repeated, team=self._capture.team_id)
        return there.values_list("id", flat=True).first()

    @cached_property
    def retried_by(self) -> tuple[UUID, ...]:
        if self._capture.request_sha256 is None:
            return ()
        later = self._visible.filter(team=self._capture.team_id, retry_of=self._capture.pk)
        return tuple(
            later.order_by(*Order().oldest_first).values_list("id", flat=True)[:MAX_RETRIES]
        )

    @cached_property
    def session_siblings(self) -> Siblings | None:
        return siblings_of(self._visible, self._capture, "session")

    @cached_property
    def trace_siblings(self) -> Siblings | None:
        return siblings_of(self._visible, self._capture, "trace")

    @cached_property
    def span_siblings(self) -> Siblings | None:
        return siblings_of(self._visible, self._capture, "span")

    @cached_property
    def newer(self) -> UUID | None:
        return self._beside[0]

    @cached_property
    def older(self) -> UUID | None:
        return self._beside[1]

    @cached_property
    def _beside(self) -> tuple[UUID | None, UUID | None]:
        return adjacent.adjacent_ids(self._visible, self._capture, self._filters)


def facts_of(capture: Capture) -> dict[str, Any]:
    """Return the fields of a page that the joined rows hold."""
    inspection, stored = inspection_of(capture), getattr(capture, "document", None)
    return {
        "row": row_of(capture),
        "team_slug": capture.team.slug,
        "team_name": capture.team.name,
        "content_type": capture.content_type,
        "status_code": capture.status_code,
        "sha256": capture.sha256,
        "note": capture.note,
        "source": capture.key.name if capture.key else None,
        "request_model": inspection.request_model if inspection else None,
        "session": inspection.session if inspection else None,
        "trace": inspection.trace if inspection else None,
        "span": inspection.span if inspection else None,
        "end_user": inspection.end_user if inspection else None,
        "prompt_sha256": inspection.prompt_sha256 if inspection else None,
        "quarantine_reason": capture.quarantine_reason,
        "metadata": capture.metadata,
        "upstream": capture.upstream,
        "outcome": TransportOutcome(capture.outcome),
        "started_at": capture.started_at,
        "finished_at": capture.finished_at,
        "inspected_at": inspection.inspected_at if inspection else None,
        "attempt": capture.attempt,
        "reinspected_at": stored.reinspected_at if stored else None,
        # Of a deleted body no version is missed.
        "failed_version": None if capture.body_deleted_at else failed_version_of(inspection),
        "body_deleted_by": capture.body_deleted_by,
        "reinspection_error": stored.reinspection_error if stored else None,
    }
