"""Captures that telemetry tells of: every view says so, and the recorded call stands beside them."""

from uuid import UUID

import pytest

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Request
from inspector.formatting.told import TOLD_SENTENCE, told_sentence
from inspector.transfer.entries import FoundExchange
from inspector.transfer.telemetry.told_exchange import told_exchange
from tests.archive.samples import WHOLE, accept_arrival, inspect_all
from tests.core.telemetry_records import CHAT, HELLO, SPAN, TRACE, WHO, record
from tests.people import Person

AS_PART = {"HX-Request": "true"}
ANSWERED = {**CHAT, **WHO, "gen_ai.output.messages": HELLO}


def told(person: Person) -> UUID:
    found = told_exchange(record(ANSWERED))
    assert isinstance(found, FoundExchange)
    arrival = Submission(found.exchange, metadata=found.metadata, started_at=found.started_at)
    capture_id = accept_arrival(person, arrival).id
    inspect_all()
    return capture_id


def recorded(person: Person) -> UUID:
    request = Request(headers=(("traceparent", f"00-{TRACE}-{SPAN}-01"),))
    exchange = Exchange(reads=Exchange.of_body(WHOLE).reads, request=request)
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


@pytest.mark.parametrize(
    "address",
    [
        "/captures/{id}/",
        "/captures/{id}/panels/raw/",
        "/captures/compare/?id={id}&id={other}",
        "/t/{team}/captures/",
    ],
)
def test_every_view_says_that_no_provider_sent_it(owner: Person, address: str) -> None:
    there, other = told(owner), recorded(owner)
    address = address.format(id=there, other=other, team=owner.team.slug)
    answer = owner.browser().get(address, headers=AS_PART if "panels" in address else None)
    assert answer.status_code == 200
    assert TOLD_SENTENCE in answer.content.decode()


@pytest.mark.parametrize("address", ["/captures/{id}/", "/captures/{id}/panels/raw/"])
def test_views_of_a_recorded_capture_say_nothing_of_it(owner: Person, address: str) -> None:
    answer = owner.browser().get(address.format(id=recorded(owner)), headers=AS_PART)
    assert TOLD_SENTENCE not in answer.content.decode()


def test_the_interface_has_format_finding_and_ids(owner: Person) -> None:
    answer = owner.get(f"/api/v1/captures/{told(owner)}/").json
    assert answer["analysis"]["dialect"] == "otel-genai"
    assert "reading.told" in [each["code"] for each in answer["analysis"]["findings"]]
    assert answer["exchange"]["metadata"]["span"] == SPAN


def test_trace_and_span_find_the_recorded_and_the_told_capture_of_one_call(owner: Person) -> None:
    both = {str(told(owner)), str(recorded(owner))}
    for query in (f"trace:{TRACE}", f"span:{SPAN}"):
        found = owner.get(f"/api/v1/captures/?q={query}").json["captures"]
        assert {each["id"] for each in found} == both
    page = owner.browser().get(f"/captures/{min(both)}/").content.decode()
    assert f"/captures/{max(both)}/" in page


def test_only_formats_that_are_told_have_the_sentence() -> None:
    assert told_sentence("otel-genai")
    assert [told_sentence(slug) for slug in (None, "", "openai-chat", "of old")] == [""] * 4
