"""A call that the proxy records, before and after its end."""

import pytest

from inspector.archive.intake.recording import append, finish
from inspector.core.wire.exchange import Read, TransportFault, TransportOutcome
from tests.archive.calls import ASKED, FIRST, SECOND, WHOLE_CALL, begun, call, ending, segment
from tests.archive.samples import STREAM, inspect_all
from tests.people import Person

CAPTURES = "/api/v1/captures/"

pytestmark = [pytest.mark.django_db]


@pytest.mark.both_stacks
def test_what_has_come_so_far_is_answered_and_grows(owner: Person, stranger: Person) -> None:
    one = call(owner)
    lease, path = begun(one), f"{CAPTURES}{one.id}/"
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    found = owner.get(path).json
    assert (found["state"], found["byte_length"], found["sha256"]) == ("recording", 100, "")
    assert (found["finished_at"], found["analysis"], found["same_bytes_as"]) == (None, None, [])
    assert found["exchange"]["outcome"] == "open"
    assert found["exchange"]["request"]["url"] == ASKED.url
    first = owner.get(f"{path}raw/")
    assert first.body == STREAM[:100] and "ETag" not in first.headers
    append([segment(lease, 1, SECOND)])
    assert owner.get(f"{path}raw/").body == STREAM[:300]
    for part in ("completion/", "timeline/", "findings/"):
        assert owner.get(f"{path}{part}").code == "not_inspected"
    for part in ("", "raw/"):
        assert stranger.get(f"{path}{part}").status == 404


def test_two_that_begin_are_not_taken_for_equal(owner: Person) -> None:
    one, other = call(owner), call(owner)
    begun(one)
    begun(other)
    assert owner.get(f"{CAPTURES}{one.id}/").json["same_bytes_as"] == []


def test_after_its_end_it_is_like_any_other(owner: Person) -> None:
    one = call(owner)
    begun(one)
    finish([one])
    inspect_all()
    found = owner.get(f"{CAPTURES}{one.id}/").json
    assert (found["state"], found["verdict"]) == ("inspected", "complete")
    assert found["finished_at"] >= found["received_at"]
    assert found["analysis"]["measured_by"] == "proxy"
    assert owner.get(f"{CAPTURES}{one.id}/raw/").headers["ETag"] == f'"{found["sha256"]}"'


def test_what_the_proxy_could_not_carry_is_answered_with_its_fault(owner: Person) -> None:
    one = ending(
        call(owner),
        reads=(),
        status_code=None,
        headers=None,
        outcome=TransportOutcome.UPSTREAM_TIMEOUT,
        fault=TransportFault.CONNECT_TIMEOUT,
    )
    finish([one])
    inspect_all()
    found = owner.get(f"{CAPTURES}{one.id}/").json
    assert (found["verdict"], found["exchange"]["fault"]) == ("upstream-error", "connect-timeout")
    assert [each["code"] for each in found["analysis"]["findings"]] == ["transport.connect-timeout"]


def test_of_a_body_that_was_too_long_the_whole_length_is_answered(owner: Person) -> None:
    one = ending(call(owner), outcome=TransportOutcome.CAPPED, total_bytes=50_000_000)
    finish([one])
    exchange = owner.get(f"{CAPTURES}{one.id}/").json["exchange"]
    assert (exchange["total_bytes"], exchange["request"]["total_bytes"]) == (50_000_000, None)


@pytest.mark.both_stacks
def test_a_retry_and_the_call_that_it_repeats_name_each_other(owner: Person) -> None:
    first = ending(call(owner), status_code=429, reads=(Read(1_000, b"{}"),))
    second = call(owner, after_seconds=2)
    finish([first, second])
    found = [owner.get(f"{CAPTURES}{each.id}/").json for each in (first, second)]
    assert (found[0]["retry_of"], found[0]["retried_by"]) == (None, [str(second.id)])
    assert (found[1]["retry_of"], found[1]["retried_by"]) == (str(first.id), [])


def test_a_call_that_was_deleted_is_not_named_as_the_one_repeated(owner: Person) -> None:
    first = ending(call(owner), status_code=429, reads=(Read(1_000, b"{}"),))
    second = call(owner, after_seconds=2)
    finish([first, second])
    page = f"/captures/{first.id}/delete/"
    assert owner.browser().post(page, {"confirm": "yes"}).status_code in (200, 302)
    assert owner.get(f"{CAPTURES}{second.id}/").json["retry_of"] is None
