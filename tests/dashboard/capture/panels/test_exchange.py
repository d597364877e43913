"""The exchange around the body: headers with their meaning, identity, times, metadata."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inspector.core.completion import Choice
from inspector.core.fields.identity import Identity
from inspector.core.reading import analyze
from inspector.core.wire.exchange import (
    Exchange,
    MeasuredBy,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.dashboard.capture.exchange.panel import MAX_ON_PAGE, ExchangeDisplay, draw
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.text.folded_text import FoldedText
from tests.dashboard.capture.samples import RECEIVED_AT, analysis, text_of, view, whole

CHOICE = Choice(index=0, role="assistant")


def drawn(shown: CaptureView) -> ExchangeDisplay:
    content: ExchangeDisplay = draw(shown).content
    return content


def with_page(shown: CaptureView, **changes: Any) -> CaptureView:
    return replace(shown, facts=replace(shown.facts, **changes))


def with_headers(*headers: tuple[str, str]) -> CaptureView:
    return with_page(view(analysis(CHOICE)), headers=headers)


def text(folded: FoldedText) -> str:
    return text_of(folded.head)


def identity(shown: CaptureView) -> list[tuple[str, str, str]]:
    return [(each.name, text(each.value), each.note) for each in drawn(shown).identity]


def test_headers_that_nobody_passed_on_are_not_an_empty_list() -> None:
    unknown = draw(with_page(view(), headers=None))
    assert (unknown.count, unknown.content.headers.is_known) == ("", False)
    assert "x-request-id" in unknown.content.envelope
    empty = draw(with_headers())
    assert (empty.count, empty.content.headers.is_known) == ("0", True)


def test_an_empty_value_is_called_empty() -> None:
    (one,) = drawn(with_headers(("x-mood", ""))).headers.rows
    assert (text_of(one.name), one.is_empty) == ("x-mood", True)


def test_known_headers_say_what_they_mean() -> None:
    shown = drawn(with_headers(("X-Request-ID", "req_7"), ("x-mood", "calm"))).headers.rows
    assert [each.meaning for each in shown] == [
        "the provider's id of this request, which its support asks for",
        "",
    ]


@pytest.mark.parametrize(
    ("measured_by", "meanings"),
    [
        (MeasuredBy.PROXY, ["cookie, not kept; not passed on", "not passed on", ""]),
        (MeasuredBy.CLIENT, ["cookie, not kept", "", ""]),
    ],
)
def test_headers_that_the_proxy_kept_to_itself_say_so(
    measured_by: MeasuredBy, meanings: list[str]
) -> None:
    sent = (("Set-Cookie", "[removed]"), ("Clear-Site-Data", '"cookies"'), ("x-mood", "calm"))
    shown = with_page(view(analysis(CHOICE)), headers=sent, measured_by=measured_by)
    assert [each.meaning for each in drawn(shown).headers.rows] == meanings


def test_a_request_that_nobody_passed_on_is_not_one_without_headers() -> None:
    assert drawn(view()).request_line is None
    bare = drawn(view(request=Request(method="POST", url="https://api.example/v1")))
    assert bare.request_line is not None and bare.request_line.method == "POST"
    assert bare.request_line.url is not None and text(bare.request_line.url).endswith("/v1")
    assert not bare.request_headers.is_known
    assert drawn(view(request=Request(headers=()))).request_headers.is_known


def test_identity_is_shown_as_sent_with_created_as_a_date() -> None:
    named = Identity(
        id="chatcmpl-7", object="chat.completion", created=1795183339, system_fingerprint="fp_a"
    )
    asked = Request(body=b'{"seed": 7, "service_tier": "flex"}')
    shown = view(analysis(CHOICE, identity=named), request=asked)
    assert identity(shown) == [
        ("id", "chatcmpl-7", ""),
        ("object", "chat.completion", ""),
        ("created", "1795183339", "20 Nov 2026, 14:02:19 UTC"),
        ("role", "assistant", ""),
        ("system_fingerprint", "fp_a", ""),
        ("seed asked for", "7", ""),
        ("service_tier", "not sent", ""),
        ("service_tier asked for", "flex", ""),
    ]


def test_absent_null_and_empty_are_told_apart() -> None:
    shown = view(analysis(CHOICE, identity=Identity(id="", system_fingerprint=None)))
    found = {name: value for name, value, _ in identity(shown)[:6]}
    assert found == {
        "id": "empty string",
        "object": "not sent",
        "created": "not sent",
        "role": "assistant",
        "system_fingerprint": "null",
        "seed asked for": "request not known",
    }
    assert identity(view(analysis(CHOICE), request=Request(body=b'{"seed": null}')))[5] == (
        "seed asked for", "null", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("created", "value", "note"),
    [
        (1795183339000, "1795183339000", "no date: in seconds beyond the calendar"),
        ("1795183339", "1795183339", "no date: not a number"),
        (0, "0", "1 Jan 1970, 00:00:00 UTC"),
        (None, "null", ""),
    ],
)
def test_a_created_that_is_no_moment_says_why(created: object, value: str, note: str) -> None:
    shown = view(analysis(CHOICE, identity=Identity(created=created)))
    assert identity(shown)[2] == ("created", value, note)


def test_roles_that_differ_are_told_by_choice() -> None:
    odd = Choice(index=2, extras={"/message/role": 5})
    shown = view(analysis(CHOICE, Choice(index=1), odd))
    assert identity(shown)[3][1] == "choice 0: assistant, choice 1: not sent, choice 2: 5"


def test_a_line_of_a_batch_shows_its_name_beside_what_the_message_states() -> None:
    message = b'{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}]}'
    line = b'{"custom_id":"order-7","result":{"type":"succeeded","message":%s}}' % message
    shown = identity(view(analyze(Exchange.of_body(line))))
    assert [(name, value) for name, value, _ in shown[:4]] == [
        ("id", "msg_1"),
        ("custom_id", "order-7"),
        ("type", "message"),
        ("role", "assistant"),
    ]


def test_what_was_not_analysed_has_no_identity() -> None:
    assert drawn(view()).identity == ()


def test_the_outcome_says_who_closed() -> None:
    for outcome in TransportOutcome:
        assert drawn(with_page(view(), outcome=outcome)).outcome_words.endswith(".")
    cancelled = drawn(with_page(view(), outcome=TransportOutcome.CLIENT_CANCELLED))
    assert cancelled.outcome_words == "The client closed the connection."


def test_metadata_keeps_text_null_and_nested_values_apart() -> None:
    sent = {"release": "7", "none": None, "blank": "", "user": {"id": 1}, "list": [], "zero": 0}
    shown = drawn(with_page(view(), metadata=sent)).metadata.rows
    assert [(text_of(each.name), text(each.value), each.is_word) for each in shown] == [
        ("release", "7", False),
        ("none", "null", True),
        ("blank", "empty string", True),
        ("user", '{\n  "id": 1\n}', False),
        ("list", "[]", False),
        ("zero", "0", False),
    ]


def test_the_way_to_send_the_rest_is_shown_only_where_something_is_missing() -> None:
    known = with_page(
        view(analysis(CHOICE), request=Request(headers=())),
        headers=(("date", "now"),),
        metadata={"release": "7"},
        started_at=datetime(2026, 11, 20, 14, 2, tzinfo=UTC),
    )
    assert drawn(known).envelope == ""
    assert drawn(with_page(known, started_at=None)).envelope


def test_hostile_values_are_bounded_and_name_their_control_characters() -> None:
    shown = drawn(with_headers(("x-long", "a" * 100_000), ("x-bell\x07", "a\x1b[31m\u202eb")))
    long, odd = shown.headers.rows
    assert (len(text(long.value)), long.value.rest_length, long.value.left_out) == (
        300, 9_700 + 300, 89_700,
    )  # fmt: skip
    assert (text_of(odd.name), text(odd.value)) == ("x-bell[BEL]", "a[ESC][31m[RLO]b")


def test_a_page_holds_a_bounded_part_of_many_values() -> None:
    many = drawn(with_headers(*[(f"x-{n}", "a" * 20_000) for n in range(1_000)])).headers
    assert (len(many.rows), many.more) == (200, 800)
    kept = sum(len(text(each.value)) + each.value.rest_length for each in many.rows)
    assert kept <= MAX_ON_PAGE + 200 * 300


def test_times_of_intake_are_those_of_the_archive() -> None:
    shown = drawn(with_page(view(), inspected_at=None))
    assert [(each.name, each.at is None) for each in shown.times] == [
        ("received here", False),
        ("analysed", True),
    ]
    assert drawn(view(is_stored=False)).times == ()


def test_a_recording_ends_later_than_it_is_received() -> None:
    recorded = drawn(with_page(view(), finished_at=RECEIVED_AT + timedelta(seconds=7)))
    assert [each.name for each in recorded.times][:2] == ["received here", "recorded to its end"]
    posted = drawn(with_page(view(), finished_at=RECEIVED_AT))
    assert [each.name for each in posted.times] == ["received here", "analysed"]


def test_a_fault_of_the_proxy_stands_with_its_words() -> None:
    shown = drawn(with_page(view(), fault=TransportFault.UNREACHABLE))
    assert shown.fault == "unreachable"
    assert shown.fault_words.startswith("No connection to the upstream: ")
    without = drawn(view())
    assert (without.fault, without.fault_words, without.part_kept) == ("", "", ())


def test_what_the_proxy_captured_is_ended_by_the_provider_and_needs_no_envelope() -> None:
    shown = drawn(with_page(view(), measured_by=MeasuredBy.PROXY, outcome=TransportOutcome.ENDED))
    assert (shown.outcome_words, shown.envelope) == ("The provider ended the response.", "")
    posted = drawn(with_page(view(), outcome=TransportOutcome.ENDED))
    assert (posted.outcome, posted.outcome_words) == ("", "No interruption was reported.")
    assert posted.envelope


def test_the_upstream_that_the_proxy_called_is_named() -> None:
    assert drawn(with_page(view(), upstream="ollama")).upstream == "ollama"
    assert drawn(view()).upstream == ""


def test_bodies_of_which_a_part_was_kept_say_how_long_they_were() -> None:
    request = Request(method="POST", url="/v1", body=b"{}", total_bytes=5_000_000)
    shown = drawn(replace(with_page(view(), total_bytes=9_000), request=request))
    assert shown.part_kept == (
        "Of the response’s 9,000 bytes the first 0 were kept; all were forwarded.",
        "Of the request’s 5,000,000 bytes the first 2 were kept.",
    )


# -- formats with names of their own ---------------------------------------------------------------


def test_a_format_is_told_by_its_own_names_and_without_fields_that_it_does_not_have() -> None:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    assert identity(whole({**message, "usage": {"service_tier": "standard"}})) == [
        ("id", "msg_1", ""),
        ("type", "message", ""),
        ("role", "assistant", ""),
        ("service_tier", "standard", ""),
        ("service_tier asked for", "request not known", ""),
    ]
    response = {"id": "resp_1", "object": "response", "created_at": 1795183339, "output": []}
    assert identity(whole(response))[:3] == [
        ("id", "resp_1", ""),
        ("object", "response", ""),
        ("created_at", "1795183339", "20 Nov 2026, 14:02:19 UTC"),
    ]
    line = {"model": "m", "created_at": "2026-11-20T14:02:19.123456789Z", "done": True}
    assert identity(whole({**line, "message": {"role": "assistant", "content": "Wet."}})) == [
        ("created_at", "2026-11-20T14:02:19.123456789Z", "20 Nov 2026, 14:02:19 UTC"),
        ("role", "assistant", ""),
    ]


def test_a_field_that_a_format_does_not_have_is_shown_if_it_was_sent() -> None:
    candidates = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Wet."}]}}]}
    shown = whole({**candidates, "responseId": "r1", "system_fingerprint": "fp_a"})
    assert ("responseId", "r1", "") in identity(shown)
    assert ("system_fingerprint", "fp_a", "") in identity(shown)
