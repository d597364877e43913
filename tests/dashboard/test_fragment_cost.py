"""Queries that one fragment of a capture's page asks of the database."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inspector.archive.inspection import added_findings
from inspector.archive.queries import for_principal
from inspector.core.findings import Finding, Severity
from inspector.dashboard.capture import panels
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.feedback.voting import token_for, voted
from tests.people import Person

MAX_QUERIES = 5
"""The session, its person with their teams and the capture take three of them."""
RATES = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(3)}
REMARK = Finding(code="test.remark", severity=Severity.WARNING, message="m")
MODES = ("raw=all", "raw=hex", "raw=tree", "raw=request", "usage=all", "list=verdict%3Dcomplete")


def parts() -> Iterator[str]:
    yield from (f"panels/{panel.slug}/" for panel in panels.all_panels())
    yield from (f"panels/{panel.slug}/?{mode}" for panel in panels.all_panels() for mode in MODES)
    yield from ("lines/", "lines/?byte=20", "timeline/", "tree/", "around/", "find/?q=Hello")


def with_everything(person: Person, body: bytes, content_type: str) -> UUID:
    """A capture that each part has something to ask about: votes, a price of the team's own, what
    is remarked beside the reading, neighbours, equal bytes."""
    inspected(person, body, content_type)
    capture_id = inspected(person, body, content_type)
    inspected(person, body, content_type)
    added_findings.replace_findings("test", {capture_id: [REMARK]}, known=[])
    voted(person, token_for(person, capture_id))
    return capture_id


def evidence_loads(queries: CaptureQueriesContext) -> int:
    return sum("archive_evidence" in query["sql"] for query in queries)


def cost_of(person: Person, path: str) -> tuple[int, int, int]:
    """Status, queries and loads of the evidence."""
    browser = person.browser()
    with CaptureQueriesContext(connection) as queries:
        answer = browser.get(path, headers={"HX-Request": "true"})
    return answer.status_code, len(queries), evidence_loads(queries)


def test_a_fragment_costs_five_queries_at_most_and_loads_the_evidence_once(owner: Person) -> None:
    ours = Override("gpt-4o", RATES, date(2026, 1, 1))
    assert team_prices.for_principal(owner.principal).add(ours) is None
    offenders = []
    for body, content_type in ((STREAM, SSE), (WHOLE, "application/json")):
        capture_id = with_everything(owner, body, content_type)
        for part in parts():
            status, queries, loads = cost_of(owner, f"/captures/{capture_id}/{part}")
            if status == 404:
                # A whole body has no timeline of events, and a stream no tree of its own.
                assert part in ("timeline/", "tree/")
            elif status != 200 or loads > 1 or queries > MAX_QUERIES:
                offenders.append(
                    f"{content_type} {part}: {status}, {queries} queries, {loads} loads"
                )
    assert offenders == []


@pytest.mark.parametrize("part, most", [("state/?state=inspected", 3), ("", 10)])
def test_the_whole_page_loads_the_evidence_once_and_its_state_never(
    owner: Person, part: str, most: int
) -> None:
    capture_id = with_everything(owner, STREAM, SSE)
    status, queries, loads = cost_of(owner, f"/captures/{capture_id}/{part}")
    assert (status, loads) == ((200, 1) if part == "" else (204, 0))
    assert queries <= most


def test_each_part_of_an_opened_capture_is_asked_for_once(owner: Person) -> None:
    capture_id = with_everything(owner, STREAM, SSE)
    capture = for_principal(owner.principal).opened(capture_id)
    assert capture is not None
    for expected in (6, 0):
        with CaptureQueriesContext(connection) as queries:
            _ = capture.newer, capture.older, capture.same_bytes_as, capture.added_findings
            _ = capture.analysis, capture.removal, capture.previous, capture.cuts
            _ = capture.exchange, capture.readout, capture.body
        assert len(queries) == expected
