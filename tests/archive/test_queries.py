from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.capture_values import StateCounts
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.models import Capture, State
from inspector.archive.queries import Captures, for_principal
from inspector.core.wire.exchange import Exchange, Request
from inspector.teams.access import INGEST, NOBODY, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role
from tests.archive.samples import CUT, STREAM, WHOLE, accept, accept_arrival, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

WIDE = ("archive_evidence", "archive_document")


def seen_by(person: Person) -> Captures:
    return for_principal(person.principal)


DOORS: dict[str, Callable[[Captures, UUID], Any]] = {
    "opened": lambda captures, capture_id: captures.opened(capture_id),
    "evidence": lambda captures, capture_id: captures.evidence(capture_id),
    "readout": lambda captures, capture_id: captures.readout(capture_id),
    "rows": lambda captures, capture_id: captures.rows([capture_id]) or None,
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_opens_to_the_team_and_to_nobody_else(
    door: str, owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    ask = DOORS[door]
    assert ask(seen_by(owner), capture_id) is not None
    assert ask(seen_by(teammate), capture_id) == ask(seen_by(owner), capture_id)
    assert ask(seen_by(stranger), capture_id) is None
    assert ask(for_principal(NOBODY), capture_id) is None
    assert ask(seen_by(owner), uuid4()) is None


def test_accounts_are_of_ones_own_team(owner: Person, teammate: Person, stranger: Person) -> None:
    mine, theirs = inspected(owner), inspected(stranger)
    assert [row.id for row in seen_by(owner).page().rows] == [mine]
    assert seen_by(teammate).page() == seen_by(owner).page()
    assert [row.id for row in seen_by(stranger).page().rows] == [theirs]
    assert seen_by(owner).state_counts().accepted == 1
    assert for_principal(NOBODY).state_counts().accepted == 0


def test_a_stranger_with_the_same_bytes_is_no_neighbour(owner: Person, stranger: Person) -> None:
    mine, _ = inspected(owner), inspected(stranger)
    page = seen_by(owner).opened(mine)
    assert page is not None
    assert (page.same_bytes_as, page.newer, page.older) == ((), None, None)


def test_who_is_in_two_teams_sees_each_page_as_its_team(owner: Person, stranger: Person) -> None:
    Membership.objects.create(user=owner.user, team=stranger.team, role=Role.VIEWER)
    mine, theirs = inspected(owner), inspected(stranger)
    assert {row.id for row in seen_by(owner).page().rows} == {mine, theirs}
    page = seen_by(owner).opened(mine)
    assert page is not None
    assert (page.same_bytes_as, page.newer, page.older) == ((), None, None)


def test_a_key_that_may_only_send_reads_nothing(owner: Person) -> None:
    inspected(owner)
    sender = for_key(create_api_key(owner.team, "sender", [INGEST]))
    assert sender is not None
    assert for_principal(sender).page().rows == ()


def test_pages_follow_each_other_without_gap_or_repeat(owner: Person) -> None:
    same_moment = timezone.now()
    ids = [accept(owner) for _ in range(7)]
    Capture.objects.filter(pk__in=ids[2:6]).update(received_at=same_moment, called_at=same_moment)
    found, cursor = [], None
    for _ in range(4):
        page = seen_by(owner).page(before=cursor, limit=2)
        found += [row.id for row in page.rows]
        cursor = page.older
    assert cursor is None
    expected = Capture.objects.order_by("-called_at", "-id").values_list("id", flat=True)
    assert found == list(expected)
    assert len(set(found)) == 7


def test_a_full_last_page_promises_nothing_more(owner: Person) -> None:
    for _ in range(4):
        accept(owner)
    first = seen_by(owner).page(limit=2)
    second = seen_by(owner).page(before=first.older, limit=2)
    assert first.older is not None
    assert second.older is None and len(second.rows) == 2


def test_what_came_after_a_cursor_is_found_bit_by_bit_and_completely(owner: Person) -> None:
    accept(owner)
    cursor = seen_by(owner).newest_arrival()
    later = [accept(owner) for _ in range(5)]
    found: list[UUID] = []
    for _ in range(3):
        page = seen_by(owner).page(after=cursor, limit=2)
        found += [row.id for row in reversed(page.rows)]
        cursor = page.newest
    assert found == later
    page = seen_by(owner).page(after=cursor)
    assert (page.rows, page.newest) == ((), cursor)


def test_an_empty_archive_has_no_cursor(owner: Person) -> None:
    page = seen_by(owner).page()
    assert (page.rows, page.older, page.newest) == ((), None, None)


@pytest.mark.parametrize("cursor", ["", "0", "x-y"])
def test_a_cursor_from_elsewhere_is_refused(owner: Person, cursor: str) -> None:
    with pytest.raises(BadCursor):
        seen_by(owner).page(before=cursor)
    with pytest.raises(BadCursor):
        seen_by(owner).page(after=cursor)


@pytest.mark.parametrize("limit", [-1, 0, 1])
def test_a_page_has_at_least_one_row(owner: Person, limit: int) -> None:
    accept(owner)
    accept(owner)
    assert len(seen_by(owner).page(limit=limit).rows) == 1


def test_lists_never_touch_evidence_or_documents(owner: Person) -> None:
    ids = [inspected(owner, body) for body in (WHOLE, STREAM, CUT)]
    captures = seen_by(owner)
    with CaptureQueriesContext(connection) as queries:
        page = captures.page(limit=2)
        captures.page(before=page.older)
        captures.page(after=captures.newest_arrival())
        captures.rows(ids)
        captures.state_counts()
    assert len(queries) == 7
    for query in queries:
        assert not any(table in query["sql"] for table in WIDE), query["sql"]
        assert "metadata" not in query["sql"]


def test_a_list_of_many_is_one_question(owner: Person, django_assert_num_queries: Any) -> None:
    for _ in range(20):
        accept(owner)
    captures = seen_by(owner)
    with django_assert_num_queries(1):
        assert len(captures.page().rows) == 20


def test_a_capture_page_never_touches_the_bytes(owner: Person) -> None:
    capture_id = inspected(owner)
    with CaptureQueriesContext(connection) as queries:
        page = seen_by(owner).opened(capture_id)
        assert page is not None
        _ = page.analysis, page.cuts, page.previous, page.added_findings, page.removal
        _ = page.same_bytes_as, page.newer, page.older
    # What was taken out of it stands beside the bytes, in a column of its own.
    bytes_of_it = ('archive_evidence"."body', 'archive_evidence"."reads')
    assert not any(column in query["sql"] for query in queries for column in bytes_of_it)
    assert len(queries) <= 7


@pytest.mark.parametrize(
    "explain",
    [
        pytest.param("EXPLAIN QUERY PLAN", marks=pytest.mark.embedded),
        # Two rows would rather be read without any index.
        pytest.param("SET LOCAL enable_seqscan = off; EXPLAIN", marks=pytest.mark.production),
    ],
)
def test_a_list_is_read_from_the_index_in_its_order(owner: Person, explain: str) -> None:
    captures = seen_by(owner)
    cursor = captures.newest_arrival() or "1772368215123456-" + "0" * 32
    with CaptureQueriesContext(connection) as queries:
        captures.page(before=cursor)
    with connection.cursor() as asked:
        asked.execute(f"{explain} {queries[-1]['sql']}")
        while asked.description is None and asked.nextset():
            pass
        plan = " ".join(str(line) for line in asked.fetchall())
    assert "capture_newest" in plan


def test_a_row_says_what_its_inspection_found(owner: Person) -> None:
    (row,) = seen_by(owner).rows([inspected(owner, STREAM, "text/event-stream")])
    assert (row.state, row.verdict, row.dialect) == ("inspected", "complete", "openai-chat")
    assert (row.streamed, row.choice_count, row.finish_reasons) == (True, 1, ("stop",))
    assert (row.model, row.usage_reported, row.prompt_tokens) == ("gpt-4o", False, None)
    assert row.byte_length == len(STREAM)


def test_a_row_that_waits_knows_nothing_of_its_content(owner: Person) -> None:
    (row,) = seen_by(owner).rows([accept(owner)])
    assert (row.state, row.verdict, row.model, row.choice_count) == ("received", None, None, None)
    assert (row.finish_reasons, row.error_count) == ((), 0)


def test_a_page_tells_all_that_is_known_but_the_bytes(owner: Person) -> None:
    request = Request(method="POST", url="https://h/v1", body=b'{"model":"asked"}')
    exchange = Exchange(
        reads=Exchange.of_body(WHOLE).reads,
        content_type="application/json",
        status_code=200,
        request=request,
    )
    arrival = Submission(exchange, tags=("a", "b"), note="look", metadata={"run": 7})
    capture_id = accept_arrival(owner, arrival).id
    older, twin = accept(owner, CUT), inspected(owner)
    page = seen_by(owner).opened(capture_id)
    assert page is not None
    assert (page.row.tags, page.note, page.metadata) == (("a", "b"), "look", {"run": 7})
    assert (page.team_slug, page.team_name, page.source) == ("default", "Default", "olga's service")
    assert page.request is not None
    assert (page.request.method, page.request.url) == ("POST", "https://h/v1")
    assert (page.request_model, page.status_code) == ("asked", 200)
    assert (page.same_bytes_as, page.newer, page.older) == ((twin,), older, None)
    assert page.analysis is not None and page.analysis.choices[0].content == "Hello"


def test_what_was_read_is_kept_whole(owner: Person) -> None:
    long = "a" * 100_000
    capture_id = inspected(owner, WHOLE.replace(b"Hello", long.encode()))
    page = seen_by(owner).opened(capture_id)
    assert page is not None and page.analysis is not None
    assert (page.analysis.choices[0].content, page.cuts) == (long, ())
    assert page.analysis.completion is not None


@pytest.mark.parametrize("state", [State.DELETING, State.GONE])
def test_what_is_being_deleted_is_gone_and_still_counted(owner: Person, state: State) -> None:
    capture_id = inspected(owner)
    Capture.objects.filter(pk=capture_id).update(state=state)
    for ask in DOORS.values():
        assert ask(seen_by(owner), capture_id) is None
    assert seen_by(owner).page().rows == ()
    assert seen_by(owner).state_counts() == StateCounts(0, 0, 0, 0, 0, deleted=1)


def test_the_account_balances(owner: Person) -> None:
    ids = [accept(owner) for _ in range(7)]
    for capture_id, state in zip(ids, State, strict=True):
        Capture.objects.filter(pk=capture_id).update(state=state)
    account = seen_by(owner).state_counts()
    assert account == StateCounts(1, 1, 1, 1, 1, deleted=2)
    assert account.accepted == Capture.objects.count() == 7
