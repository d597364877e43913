"""Builds the page of a capture that is not stored, from the exchange alone."""

from django.utils import timezone

from inspector.archive import readouts
from inspector.archive.inspection.projection import MODEL_CHARACTERS
from inspector.archive.intake import submission
from inspector.archive.intake.call_time import called_at
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.capture_values import CaptureFacts, row_of
from inspector.archive.models import State
from inspector.archive.readers.extract import RequestFacts
from inspector.archive.readouts import StoredReadout
from inspector.core.analysis import Analysis
from inspector.database.column_text import clean_name_or_none

NO_TEAM = 0
"""The number of no row: what is built here is never stored."""


def preview_facts(
    arrival: Submission, analysis: Analysis, request: RequestFacts, body: bytes
) -> CaptureFacts:
    capture = submission.new_capture(NO_TEAM, None, arrival, body)
    capture.received_at = timezone.now()
    capture.called_at = called_at(capture.called_at, capture.received_at)
    capture.state = State.INSPECTED
    return CaptureFacts(
        row=row_of(capture),
        team_slug="",
        team_name="",
        content_type=capture.content_type,
        status_code=capture.status_code,
        sha256=capture.sha256,
        note="",
        source=None,
        request_model=clean_name_or_none(request.model or None, MODEL_CHARACTERS),
        prompt_sha256=request.prompt_sha256,
        same_bytes_as=(),
        newer=None,
        older=None,
        analysis=analysis,
        quarantine_reason=None,
        metadata=capture.metadata,
        outcome=arrival.exchange.outcome,
        started_at=arrival.started_at,
        headers=arrival.exchange.headers,
        request=arrival.exchange.request,
        removal=arrival.removal,
    )


def truncated_analysis(analysis: Analysis) -> Analysis:
    """Return the analysis as it would be stored if it were over the bound, with long texts cut."""
    return readouts.cut(StoredReadout(analysis)).analysis
