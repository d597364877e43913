"""A capture as whoever has a link sees it: the response, and of the team that keeps it nothing."""

import hashlib
from functools import cached_property
from typing import Any

import msgspec
from django.db.models import Q, QuerySet

from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.listing.filter_params import query_conditions
from inspector.archive.listing.named_captures import name_captures
from inspector.archive.live_reading import LiveReadout, read_whole
from inspector.archive.models import Capture
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers import on_demand, visitor_cache
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readouts import StoredReadout
from inspector.core.findings import Finding
from inspector.core.formats import dialects
from inspector.core.request.request_echo import without_request
from inspector.core.wire.exchange import Exchange, Request
from inspector.teams.access import ShareAccess

OF_THE_TEAM: dict[str, Any] = {
    "team_slug": "",
    "team_name": "",
    "note": "",
    "source": None,
    "upstream": None,
    "metadata": {},
    # They come from headers and metadata, too.
    "session": None,
    "trace": None,
    "span": None,
    "end_user": None,
}
OF_THE_REQUEST: dict[str, Any] = {"request_model": None, "prompt_sha256": None}
ECHOING = "text_completion"
"""Answers of this object may begin with the prompt."""


def shared_captures(share: ShareAccess, captures: QuerySet[Capture]) -> QuerySet[Capture]:
    """Those of its team's captures that a share shows."""
    if not share.has_prompt:
        captures = captures.filter(_has_response_of_its_own())
    if share.capture is not None:
        return captures.filter(id=share.capture)
    there = captures.filter(received_at__lte=share.made_at)
    # Ages such as ``7d`` count back from when the link was made.
    conditions = query_conditions(share.query or "", share.made_at)
    if conditions.mistakes:
        # Another release may not know a part of it; without that it would show more.
        return captures.none()
    return name_captures(conditions.filters, there).narrow(there, [share.team_id])


def _has_response_of_its_own() -> Q:
    """Telemetry tells prompt and answer in one document. It never comes by an upstream, so
    that what did is known to be none before it is inspected.
    """
    told = [slug for slug, dialect in dialects().items() if dialect.is_told]
    is_read = Q(inspection__isnull=False) & ~Q(inspection__dialect__in=told)
    is_unrecognised = Q(inspection__isnull=False, inspection__dialect__isnull=True)
    return Q(upstream__isnull=False) | is_read | is_unrecognised


def shared_row(share: ShareAccess, row: CaptureRow) -> CaptureRow:
    row = msgspec.structs.replace(row, tags=(), key=None)
    if share.has_prompt:
        return row
    row = msgspec.structs.replace(row, prompt_line=None, request_seed=None, request_model=None)
    if row.object == ECHOING:
        row = msgspec.structs.replace(row, answer_line=None, answer_blank=None)
    return row


class SharedCapture(OpenedCapture):
    """Without the prompt it is read anew from the response: nothing can come from the request."""

    share: ShareAccess

    def __init__(
        self, capture: Capture, visible: QuerySet[Capture], share: ShareAccess, asker: Asker
    ) -> None:
        super().__init__(capture, visible, asker=asker)
        withheld = OF_THE_TEAM if share.has_prompt else OF_THE_TEAM | OF_THE_REQUEST
        shown = {"share": share, "row": shared_row(share, self.row), **withheld}
        for name, value in shown.items():
            object.__setattr__(self, name, value)
        # Told of what is shown, once that is made.
        object.__delattr__(self, "sha256")

    @cached_property
    def exchange(self) -> Exchange | None:
        """Raises ``ReadingError`` also where it cannot be made without its request here and now."""
        found = self._stored_exchange
        if found is None or self.share.has_prompt:
            return found
        if self.is_recording or self._evidence is None:
            with on_demand.reserve_reader(found):
                return on_demand.read(without_request, found, self._asker)[0]
        return visitor_cache.exchange_alone(self._capture, self._evidence, self._asker, found)

    def readout_so_far(self) -> LiveReadout | None:
        if self.share.has_prompt:
            return super().readout_so_far()
        return read_whole(self.exchange, self._asker)

    @cached_property
    def sha256(self) -> str:
        """The hash of the bytes that are shown: that of others would tell who guesses them."""
        if self.share.has_prompt or self.is_recording:
            return self._capture.sha256
        if self.row.body_deleted_at is not None or self.exchange is None:
            return ""
        return hashlib.sha256(self.exchange.body).hexdigest()

    @cached_property
    def is_echo_hidden(self) -> bool:
        return self.row.body_deleted_at is None and self.sha256 != self._capture.sha256

    @cached_property
    def request(self) -> Request | None:
        return super().request if self.share.has_prompt else None

    @cached_property
    def readout(self) -> StoredReadout | None:
        if self.share.has_prompt or self._was_alone:
            return super().readout
        self.require_body()
        if not self.is_survived or self._evidence is None or self.exchange is None:
            return None
        found = visitor_cache.readout_alone(
            self._capture, self._evidence, self._asker, self.exchange
        )
        return StoredReadout(found.analysis, found.tape, found.snapshots)

    @cached_property
    def readout_if_loaded(self) -> StoredReadout | None:
        try:
            is_stored = self.share.has_prompt or self._was_alone
            return super().readout_if_loaded if is_stored else self.readout
        except ReadingError:
            return None

    @cached_property
    def _was_alone(self) -> bool:
        """True where the stored readout is of the response alone, which repeats nothing."""
        return self.exchange is not None and self.exchange == self._stored_exchange

    @property
    def added_findings(self) -> tuple[Finding, ...]:
        """Findings about the cost, which goes by the team's prices."""
        return ()

    @property
    def previous(self) -> None:
        return None
