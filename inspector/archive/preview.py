"""The page of a capture that is not stored: what it would be, from the exchange alone."""

from __future__ import annotations

from django.utils import timezone

from inspector.archive import document, intake
from inspector.archive.intake import Arrival
from inspector.archive.models import State
from inspector.archive.projection import project
from inspector.archive.values import CapturePage, row_of
from inspector.core.analysis import Analysis

NO_TEAM = 0


def page_of(arrival: Arrival, analysis: Analysis, body: bytes) -> CapturePage:
    capture = intake.unsaved(NO_TEAM, None, arrival, body)
    capture.received_at = timezone.now()
    capture.state = State.INSPECTED
    inspection = project(capture, arrival.exchange, analysis).inspection
    return CapturePage(
        row=row_of(capture),
        team_slug="",
        team_name="",
        content_type=capture.content_type,
        status_code=capture.status_code,
        sha256=capture.sha256,
        note="",
        source=None,
        request_method=capture.request_method,
        request_url=capture.request_url,
        request_model=inspection.request_model,
        same_bytes_as=(),
        newer=None,
        older=None,
        analysis=analysis,
        quarantine_reason=None,
        metadata=capture.metadata,
        removal=arrival.removal,
    )


def bounded(analysis: Analysis) -> Analysis:
    """As it would be stored: what is long is cut."""
    return document.unpack(document.pack(analysis)).analysis
