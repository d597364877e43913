"""Additions to the page of a response that is being recorded."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureFacts
from inspector.dashboard.capture.page.part import Part, Visit
from inspector.dashboard.capture.recording.strip import RecordingStrip, recording_strip
from inspector.dashboard.capture.recording.summary import requested_model
from inspector.teams.access import Principal


def strip_beside(principal: Principal, capture: CaptureFacts) -> RecordingStrip | None:
    """Return the strip of the recordings of the capture's team; None where it is the only one."""
    within = principal.within(capture.team_slug)
    if within is None:
        return None
    captures = queries.for_principal(within)
    running = captures.running()
    return recording_strip(running, len(running), capture.row.id, timezone.now())


def _recording(visit: Visit) -> Mapping[str, Any]:
    view = visit.view
    if not view.facts.is_recording:
        return {}
    return {"strip": strip_beside(visit.principal, view.facts), "requested": requested_model(view)}


RECORDING = Part(_recording, "dashboard/capture/recording/strip.html", is_shared=True)
