"""What surrounds the body: headers with their meaning, identity, times, metadata."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.core.completion import Choice
from inspector.core.identity import Identity
from inspector.core.wire.exchange import Request, TransportOutcome
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.panels.exchange import MOST_ON_PAGE, ExchangeDisplay, draw
from inspector.dashboard.text.folded_text import FoldedText
from inspector.formatting.invisible_characters import TextSegment
from tests.dashboard.capture.samples import analysis, view

CHOICE = Choice(index=0, role="assistant")


def drawn(shown: CaptureView) -> ExchangeDisplay:
    content: ExchangeDisplay = draw(shown).content
    return content


def with_page(shown: CaptureView, **changes: Any) -> CaptureView:
    return replace(shown, page=replace(shown.page, **changes))


def with_headers(*headers: tuple[str, str]) -> CaptureView:
    return with_page(view(analysis(CHOICE)), headers=headers)


def joined(segments: tuple[TextSegment, ...]) -> str:
    return "".join(segment.text for segment in segments)


def text(folded: FoldedText) -> str:
    return joined(folded.head)


def identity(shown: CaptureView) -> list[tuple[str, str, str]]:
    return [(each.name, text(each.value), each.note) for each in drawn(shown).identity]


def test_headers_that_nobody_passed_on_are_not_an_empty_list() -> None:
    unknown = draw(with_page(view(), headers=None))
    assert (unknown.count, unknown.content.headers.is_known) == ("none", False)
    assert "x-request-id" in unknown.content.envelope
    empty = draw(with_headers())
    assert (empty.count, empty.content.headers.is_known) == ("0", True)


def test_an_empty_value_is_called_empty() -> None:
    (one,) = drawn(with_headers(("x-mood", ""))).headers.rows
    assert (joined(one.name), one.is_empty) == ("x-mood", True)


def test_known_headers_say_what_they_mean() -> None:
    shown = drawn(with_headers(("X-Request-ID", "req_7"), ("x-mood", "calm"))).headers.rows
    assert [each.meaning for each in shown] == [
        "the provider's id of this request, which its support asks for",
        "",
    ]


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
    assert [(joined(each.name), text(each.value), each.is_word) for each in shown] == [
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
    assert (joined(odd.name), text(odd.value)) == ("x-bell[BEL]", "a[ESC][31m[RLO]b")


def test_a_page_holds_a_bounded_part_of_many_values() -> None:
    many = drawn(with_headers(*[(f"x-{n}", "a" * 20_000) for n in range(1_000)])).headers
    assert (len(many.rows), many.more) == (200, 800)
    kept = sum(len(text(each.value)) + each.value.rest_length for each in many.rows)
    assert kept <= MOST_ON_PAGE + 200 * 300


def test_times_of_intake_are_those_of_the_archive() -> None:
    shown = drawn(with_page(view(), inspected_at=None))
    assert [(each.name, each.at is None) for each in shown.times] == [
        ("received here", False),
        ("analysed", True),
    ]
    assert drawn(view(stored=False)).times == ()
