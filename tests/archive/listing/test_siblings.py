"""Captures of one session or trace, in the order in which they came."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from inspector.archive.intake.submission import Submission
from inspector.archive.listing import siblings
from inspector.archive.models import Inspection
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange, Request
from tests.archive.samples import JSON, WHOLE, accept_arrival, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def sent(person: Person, metadata: dict[str, Any], request: Request | None = None) -> UUID:
    exchange = msgspec.structs.replace(Exchange.of_body(WHOLE, JSON), request=request)
    return accept_arrival(person, Submission(exchange, metadata=metadata)).id


def beside(
    person: Person, capture_id: UUID, kind: str = "session"
) -> tuple[list[UUID], list[UUID]]:
    opened = for_principal(person.principal).opened(capture_id)
    assert opened is not None
    found = opened.session_siblings if kind == "session" else opened.trace_siblings
    assert found is not None
    return [each.id for each in found.before], [each.id for each in found.after]


def test_captures_of_one_session_are_in_their_order(owner: Person) -> None:
    first, other, second, third = (
        sent(owner, {"session": name}) for name in ("s-1", "s-2", "s-1", "s-1")
    )
    inspect_all()
    assert beside(owner, second) == ([first], [third])
    assert beside(owner, first) == ([], [second, third])
    assert beside(owner, other) == ([], [])


def test_a_trace_may_reach_over_sessions(owner: Person) -> None:
    first = sent(owner, {"session": "s-1", "trace": "t-1"})
    second = sent(owner, {"session": "s-2", "trace": "t-1"})
    inspect_all()
    assert beside(owner, second, "trace") == ([first], [])
    assert beside(owner, second) == ([], [])


def test_a_capture_that_states_none_has_no_siblings(owner: Person) -> None:
    alone, waiting = sent(owner, {}), None
    inspect_all()
    waiting = sent(owner, {"session": "s-1"})
    for capture_id in (alone, waiting):
        opened = for_principal(owner.principal).opened(capture_id)
        assert opened is not None and opened.session_siblings is None


def test_strangers_see_no_sibling(owner: Person, teammate: Person, stranger: Person) -> None:
    mine, again, theirs = (
        sent(owner, {"session": "s-1"}), sent(owner, {"session": "s-1"}), sent(stranger, {"session": "s-1"}),
    )  # fmt: skip
    inspect_all()
    assert beside(owner, mine) == beside(teammate, mine) == ([], [again])
    assert beside(stranger, theirs) == ([], [])
    assert for_principal(stranger.principal).opened(mine) is None


def test_of_many_the_nearest_are_told(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siblings, "MAX_COUNTED", 2)
    ids = [sent(owner, {"session": "s-1"}) for _ in range(9)]
    inspect_all()
    opened = for_principal(owner.principal).opened(ids[4])
    assert opened is not None and opened.session_siblings is not None
    found = opened.session_siblings
    assert [each.id for each in found.before] == ids[1:4]
    assert [each.id for each in found.after] == ids[5:8]
    assert (found.position, found.total) == (None, None)


def test_columns_hold_what_headers_and_body_state(owner: Person) -> None:
    request = Request(
        headers=(("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),),
        body=b'{"model":"m","user":"u-1","conversation":"conv_1"}',
    )
    capture_id = sent(owner, {}, request)
    inspect_all()
    found = Inspection.objects.get(capture=capture_id)
    assert (found.session, found.trace, found.end_user) == (
        "conv_1",
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "u-1",
    )


def test_they_are_fields_of_queries(owner: Person) -> None:
    one = sent(owner, {"session": "s 1", "trace": "t-1", "user": "u-1"})
    none = sent(owner, {})
    inspect_all()
    browser = owner.browser()
    for query in ('session:"s 1"', "trace:t-*", "user:u-1", "has:session", "-missing:user"):
        page = browser.get("/t/default/captures/", {"q": query}).content.decode()
        assert str(one) in page and str(none) not in page, query


def test_the_page_shows_the_strip_with_links_to_those_beside(owner: Person) -> None:
    first, second, third = (sent(owner, {"session": "<b>s"}) for _ in range(3))
    inspect_all()
    page = owner.browser().get(f"/captures/{second}/").content.decode()
    strip = page.partition('<nav class="siblings"')[2].partition("</nav>")[0]
    assert "2 of 3" in strip and "&lt;b&gt;s" in strip and "<b>s" not in strip
    assert f'<a href="/captures/{first}/">Previous</a>' in strip
    assert f'<a href="/captures/{third}/">Next</a>' in strip
    assert "stated in metadata.session" in page
    alone = sent(owner, {"session": "s-9"})
    inspect_all()
    assert (
        '<nav class="siblings"' not in owner.browser().get(f"/captures/{alone}/").content.decode()
    )
