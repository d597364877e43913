"""A text that a capture goes by finds it, whatever state it is in."""

from uuid import UUID

import msgspec
import pytest

from inspector.archive.deletion import delete
from inspector.archive.inspection.projection import project
from inspector.archive.inspection.projection_store import replace_rows, stored_rows
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.named_captures import id_range
from inspector.archive.models import RequestIdRow
from inspector.archive.queries import for_principal
from inspector.archive.readers.extract import extract
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

ID = UUID("01a204b8-24db-79e7-adb2-4f9c2e45b3c6")


def found(person: Person, text: str) -> list[UUID]:
    return [row.id for row in for_principal(person.principal).page(filters=Filters.of(q=text)).rows]


@pytest.mark.parametrize(
    "text",
    [
        str(ID),
        ID.hex,
        str(ID).upper(),
        f" {ID} ",
        "01a204b8",
        "01a204b8-",
        "01a204b8-24db-7",
        "01a204b824db79e7",
    ],
)
def test_a_text_is_the_beginning_of_an_id(text: str) -> None:
    first, last = id_range(text) or (None, None)
    assert first is not None and last is not None and first <= ID <= last


@pytest.mark.parametrize(
    "text", ["", "01a204b", "gpt-4o", "01a2-04b8", "chatcmpl-01a204b8", ID.hex + "0", "ffffffg0"]
)
def test_another_text_is_no_beginning_of_an_id(text: str) -> None:
    assert id_range(text) is None


def test_a_capture_is_found_by_its_id_and_by_its_beginning(owner: Person) -> None:
    here, waiting = inspected(owner), accept(owner)
    for capture_id in (here, waiting):
        assert found(owner, str(capture_id)) == [capture_id]
        assert found(owner, capture_id.hex) == [capture_id]
        assert found(owner, str(capture_id)[:35]) == [capture_id]


def test_a_capture_is_found_by_its_idempotency_key(owner: Person) -> None:
    sent = Submission(Exchange.of_body(WHOLE), idempotency_key="order-48213")
    here = accept_arrival(owner, sent).id
    inspected(owner)
    assert found(owner, "order-48213") == [here]
    assert found(owner, "order-4821") == []


HEADERS = (
    ("content-type", "application/json"),
    ("X-Request-ID", " req_5d81 "),
    ("CF-RAY", "92a1b2c3d4e5f607-AMS"),
    ("x-ms-request-id", "6f1c"),
    ("openai-organization", "acme"),
)


def test_captures_are_found_by_each_id_of_their_response_headers(owner: Person) -> None:
    exchange = msgspec.structs.replace(Exchange.of_body(WHOLE), headers=HEADERS)
    ids = [accept_arrival(owner, Submission(exchange)).id for _ in range(2)]
    inspected(owner)
    for text in ("req_5d81", " 92a1b2c3d4e5f607-AMS", "6f1c"):
        assert set(found(owner, text)) == set(ids)
    for text in ("req_5d8", "REQ_5D81", "acme", "application/json"):
        assert found(owner, text) == []


def test_a_reinspected_capture_keeps_the_ids_of_its_headers_once(owner: Person) -> None:
    exchange = msgspec.structs.replace(
        Exchange.of_body(WHOLE), headers=(*HEADERS, ("x-request-id", "req_5d81"))
    )
    here = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    rows = stored_rows([here])
    with_ids = project(rows[here].inspection.capture, extract(exchange))
    replace_rows([with_ids], lambda captures: [each.pk for each in captures])
    values = RequestIdRow.objects.filter(capture=here).values_list("value", flat=True)
    assert sorted(values) == ["6f1c", "92a1b2c3d4e5f607-AMS", "req_5d81"]


def test_an_id_of_a_response_header_finds_nothing_of_another_team_and_nothing_deleted(
    owner: Person, stranger: Person
) -> None:
    exchange = msgspec.structs.replace(Exchange.of_body(WHOLE), headers=HEADERS)
    here = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    assert found(stranger, "req_5d81") == []
    assert delete(owner.principal, here)
    assert found(owner, "req_5d81") == []
    assert not RequestIdRow.objects.exists()


def test_a_text_that_no_capture_goes_by_is_looked_for_in_models_and_ids(owner: Person) -> None:
    here = inspected(owner, WHOLE.replace(b"chatcmpl-1", b"deadbeef01"))
    assert found(owner, "deadbeef*") == [here]


def test_nobody_is_found_by_an_id_or_a_key_of_another_team(owner: Person, stranger: Person) -> None:
    sent = Submission(Exchange.of_body(WHOLE), idempotency_key="order-48213")
    here = accept_arrival(owner, sent).id
    inspect_all()
    assert found(stranger, str(here)) == []
    assert found(stranger, "order-48213") == []


def test_counts_and_neighbours_know_what_a_text_names(owner: Person) -> None:
    here, _ = inspected(owner), inspected(owner)
    captures = for_principal(owner.principal)
    within = Filters.of(q=str(here))
    place, opened = captures.place(here, within), captures.opened(here, within)
    assert place is not None and opened is not None
    assert (place.position, place.total) == (1, 1)
    assert (opened.newer, opened.older) == (None, None)
    assert list(captures.ids(within)) == [here]
