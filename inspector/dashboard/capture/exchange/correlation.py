"""Session, trace, span and user of an exchange: where they are stated, and a link to the others."""

from dataclasses import dataclass

from django.urls import reverse

from inspector.core.request.correlation import CorrelationKind, correlation_of
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.query.parsed_query import FilterTerm, text_query


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    name: str
    value: tuple[TextSegment, ...]
    source: tuple[TextSegment, ...]
    url: str
    """The list of captures with the same value; empty where none is stored, as of a paste."""


def correlation_rows(view: CaptureView) -> tuple[CorrelationRow, ...]:
    facts = view.facts
    headers = view.request.headers if view.request else None
    found = correlation_of(facts.metadata, headers, view.request_body)
    # Lists are found by what the column holds, which is shorter or cleaner than what was sent.
    stored = {
        CorrelationKind.SESSION: facts.session,
        CorrelationKind.TRACE: facts.trace,
        CorrelationKind.SPAN: facts.span,
        CorrelationKind.USER: facts.end_user,
    }
    return tuple(
        CorrelationRow(
            name=str(kind),
            value=exact_segments(stated.value),
            source=exact_segments(stated.source),
            url=captures_url(facts.team_slug, kind, value) if (value := stored[kind]) else "",
        )
        for kind, stated in found.items()
    )


def captures_url(team: str, field: str, value: str) -> str:
    """Return the list of the captures of a session, a trace or a user."""
    return (
        f"{reverse('dashboard:archive', args=[team])}?{text_query(str(FilterTerm(field, value)))}"
    )
