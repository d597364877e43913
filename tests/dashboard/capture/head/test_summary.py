from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Gaps, Stall, Timeline, Verdict
from inspector.core.completion import Choice, Usage
from inspector.core.findings import Finding, Severity
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.capture.head.summary import SummaryFigure, capture_summary
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.usage.price import cost_receipt, stored_price
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.rollup.queries import StoredPrice
from tests.dashboard.capture.samples import (
    ID,
    TWO_CHOICES,
    analysis,
    found,
    read_view,
    streamed,
    text_of,
    view,
    whole,
)


def figure(shown: CaptureView, panel: str) -> SummaryFigure:
    return next(each for each in capture_summary(shown).figures if each.panel == panel)


def value(shown: SummaryFigure) -> str:
    return ", ".join(bit.text for bit in shown.value)


def finding(code: str, severity: Severity) -> Finding:
    return Finding(code=code, severity=severity, message=f"It is {code}.")


def sentence(shown: CaptureView) -> list[tuple[str, str]]:
    """Each part with where it leads."""
    return [(text_of(said.text), said.href) for said in capture_summary(shown).headline.parts]


def worst(*findings: Finding) -> list[tuple[str, str]]:
    return sentence(found(*findings))[2:]


def test_the_sentence_begins_with_the_verdict_and_its_evidence() -> None:
    shown = view(analysis(verdict=Verdict.CUT_OFF, verdict_reason="It just ends."))
    assert capture_summary(shown).headline.lead == "Cut off."
    assert sentence(shown) == [("It just ends.", "")]


def test_of_a_whole_stream_each_clause_of_its_result_leads_to_what_it_speaks_of() -> None:
    shown = streamed(*TWO_CHOICES)
    assert sentence(shown)[:5] == [
        ("Choice 1", "#choice-1"),
        (" hit its length limit ", ""),
        ("after 18 characters", ""),
        (" (finish reason length)", ""),
        (".", ""),
    ]


def answer(content: str | None, finish_reason: str = "stop") -> CaptureView:
    message = {"role": "assistant", "content": content}
    return whole(
        {
            "object": "chat.completion",
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        }
    )


@pytest.mark.parametrize(
    ("shown", "head", "tone", "rest"),
    [
        (answer("Hello"), "Answered.", "good", "5 characters."),
        (answer(""), "Empty.", "part", "The answer has no text, tool call or refusal."),
        (
            answer("Hello", "error"),
            "Failed.",
            "bad",
            "The answer ended with finish reason error: the provider failed after 5 characters.",
        ),
    ],
)
def test_headline_says_what_reader_got(shown: CaptureView, head: str, tone: str, rest: str) -> None:
    found = capture_summary(shown).headline
    assert (found.lead, found.tone) == (head, tone)
    assert "".join(said for said, _ in sentence(shown)).startswith(rest)


def test_a_choice_that_never_finished_is_led_to_by_its_index() -> None:
    message = {"role": "assistant", "content": "Hello"}
    sent = [{"index": 7, "message": message, "finish_reason": "stop"},
            {"index": 3, "message": message, "finish_reason": None}]  # fmt: skip
    shown = whole({"object": "chat.completion", "model": "m", "choices": sent})
    assert sentence(shown)[0] == ("Choice 3 did not finish", "#choice-3")


def test_a_broken_body_is_led_to_at_the_byte_that_breaks_it() -> None:
    shown = whole(b'{"choices": [{"message": {}}]\n"id": 1}')
    assert sentence(shown)[1][1].startswith(f"/captures/{ID}/lines/?byte=30")


def test_the_sentence_ends_with_the_worst_finding() -> None:
    warning, error = finding("a.b", Severity.WARNING), finding("c.d", Severity.ERROR)
    assert worst(warning, error) == [("It is c.d.", "#finding-1")]
    assert worst(finding("a.b", Severity.INFO)) == []


def test_what_the_verdict_said_is_not_said_again() -> None:
    cut, other = finding("ending.cut-off", Severity.ERROR), finding("a.b", Severity.WARNING)
    assert worst(cut) == []
    assert worst(cut, other) == [("It is a.b.", "#finding-2")]


def test_a_finding_that_repeats_the_verdict_is_not_said_again() -> None:
    broken = finding("transport.broken-response", Severity.ERROR)
    read = analysis(verdict_reason=broken.message, result_reason="", findings=(broken,))
    assert sentence(view(read)) == [(broken.message, "")]


def test_a_finding_that_quotes_what_the_verdict_quotes_is_not_said_again() -> None:
    said = "failed to decode, try again, increasing context size"
    ignored = Finding(code="sse.x", severity=Severity.WARNING, message=f"Ignored: {said}.")
    read = analysis(verdict_reason=f"An error: {said}", result_reason="", findings=(ignored,))
    assert sentence(view(read)) == [(f"An error: {said}", "")]


def test_of_a_long_error_two_lines_are_said() -> None:
    long = "This endpoint's context is shorter. " * 9
    [(said, _)] = sentence(whole({"error": {"message": long, "type": "invalid_request"}}))
    assert said.startswith("This endpoint's context") and said.endswith("…") and len(said) <= 161


def answer(*choices: tuple[str, str]) -> CaptureView:
    """Build the view of an answer, of each choice from its text and finish reason."""
    built = [
        {
            "index": index,
            "message": {"role": "assistant", "content": content},
            "finish_reason": finish,
        }
        for index, (content, finish) in enumerate(choices)
    ]
    return whole({"object": "chat.completion", "model": "m-1", "choices": built})


def test_that_the_answer_is_empty_is_said_once() -> None:
    said = "".join(part for part, _ in sentence(answer(("", "stop"))))
    assert said == "The answer has no text, tool call or refusal."


def test_a_stall_is_led_to_in_the_drawing() -> None:
    assert worst(finding("timing.stall", Severity.WARNING)) == [
        ("It is timing.stall.", "#timeline")
    ]


def test_that_one_choice_is_empty_is_said_beside_the_worse_result_of_another() -> None:
    message = "Choice 1 is empty: it has no text, tool call or refusal."
    parts = sentence(answer(("Thursd", "length"), ("", "stop")))
    assert parts[0] == ("Choice 0", "#choice-0")
    assert parts[-1] == (message, "#choice-1")


def test_the_number_of_a_finding_is_that_of_its_row() -> None:
    many = [finding("ending.cut-off", Severity.ERROR)] * 6
    assert worst(*many, finding("a.b", Severity.WARNING)) == [("It is a.b.", "#finding-2")]


def test_every_figure_of_an_inspected_capture_leads_to_a_panel() -> None:
    figures = capture_summary(view(analysis(Choice(index=0)))).figures
    assert len(figures) == 8
    assert {each.panel for each in figures} <= {
        "choices", "timeline", "usage", "findings", "raw", "feedback",
    }  # fmt: skip


def test_unknown_figures_are_words() -> None:
    shown = view(analysis(Choice(index=0), model=None))
    assert value(figure(shown, "usage")) == "not sent"
    assert cost(shown) == ("unknown", "usage", "usage not sent", "")
    assert {
        each.unknown for each in capture_summary(shown).figures if each.panel == "timeline"
    } == {True}


def test_stated_costs_are_added_exactly_and_say_so() -> None:
    choices = [Choice(index=n, cost_usd=cost) for n, cost in enumerate(("0.0021", "0.00110"))]
    shown = figure(view(analysis(*choices)), "feedback")
    assert (value(shown), shown.aside) == ("$0.00320", "sum of 2 choices")


GPT: dict[str, Any] = {
    "vendor": "openai",
    "model": "gpt-4o-2024-08-06",
    "usage": Usage(reported=True, prompt_tokens=200, completion_tokens=100, total_tokens=300),
}


def cost(shown: CaptureView) -> tuple[str, str, str, str]:
    [found] = [each for each in capture_summary(shown).figures if "cost" in each.label]
    return value(found), found.panel, found.aside, found.aside_tone


def test_a_cost_that_nobody_states_is_the_one_of_the_receipt() -> None:
    shown = view(analysis(Choice(index=0), **GPT))
    assert cost(shown) == ("$0.0015", "usage", "computed", "")


def test_a_cost_that_is_not_known_says_shortly_why() -> None:
    priceless = view(analysis(Choice(index=0), **{**GPT, "model": "parcel-1"}))
    assert cost(priceless) == ("unknown", "usage", "no price for the model", "")


def test_a_cost_that_something_billed_is_not_in_is_the_least() -> None:
    usage = msgspec.structs.replace(GPT["usage"], extras={"/num_search_queries": 3})
    shown = view(analysis(Choice(index=0), **{**GPT, "usage": usage}))
    assert cost(shown) == ("≥ $0.0015", "usage", "at least, excludes 3 searches", "")
    above = Choice(index=0, cost_usd="0.5")
    disputed = view(analysis(above, **{**GPT, "usage": usage}))
    assert cost(disputed) == ("$0.5", "feedback", "for the choice", "")
    below = Choice(index=0, cost_usd="0.0001")
    disputed = view(analysis(below, **{**GPT, "usage": usage}))
    assert cost(disputed) == ("$0.0001", "feedback", "computed at least $0.0015", "part")


def test_a_cost_that_only_some_choices_state_is_no_stated_cost_of_the_answer() -> None:
    choices = [Choice(index=0, cost_usd="0.0021"), Choice(index=1, cost_usd=None)]
    shown = view(analysis(*choices, **GPT))
    said = "stated: $0.0021 by choice 0, none by choice 1"
    assert cost(shown) == ("$0.0015", "feedback", said, "part")
    assert {each.label for each in capture_summary(shown).figures if "cost" in each.label} == {
        "cost"
    }
    many = view(analysis(*choices, *(Choice(index=n) for n in range(2, 6)), **GPT))
    assert cost(many) == ("$0.0015", "feedback", "stated by 1 of 6 choices", "part")
    unpriced = view(analysis(*choices, model="parcel-1"))
    assert cost(unpriced) == ("unknown", "feedback", said, "part")


def test_a_price_of_the_team_is_named_in_place_of_the_table() -> None:
    rates = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(2)}
    ours = Override("gpt-4o-2024-08-06", rates, date(2026, 11, 1))
    shown = view(
        analysis(Choice(index=0), **GPT),
        loaded={stored_price: StoredPrice(None, None, "", (ours,))},
    )
    assert cost(shown) == (
        "$0.0004",
        "usage",
        "your price",
        "",
    )


@pytest.mark.parametrize(
    "stated, aside, tone",
    [
        ("0.0015", "for the choice", ""),
        ("0.002", "for the choice", ""),
        ("0.0020", "computed $0.0015", "part"),
    ],
)
def test_a_stated_cost_is_disputed_where_the_computed_one_is_another(
    stated: str, aside: str, tone: str
) -> None:
    shown = view(analysis(Choice(index=0, cost_usd=stated), **GPT))
    assert cost(shown) == (f"${stated}", "feedback", aside, tone)


def test_a_cost_that_is_stated_in_other_units_is_stated_all_the_same() -> None:
    ticks = Usage(reported=True, prompt_tokens=5, completion_tokens=2, total_tokens=7,
                  extras={"/cost_in_usd_ticks": 20_000_000})  # fmt: skip
    shown = view(analysis(Choice(index=0), vendor="xai", model="parcel-1", usage=ticks))
    assert cost(shown) == ("$0.002", "usage", "total, from usage", "")


def of_vendor(host: str, cost_text: bytes) -> CaptureView:
    body = (
        b'{"object":"chat.completion","model":"parcel-1","choices":[{"index":0,"message":{"role":'
        b'"assistant","content":"4"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,'
        b'"completion_tokens":12,"total_tokens":21,"cost":' + cost_text + b"}}"
    )
    sent_to = Request(url=f"https://{host}/api/v1/chat/completions")
    return read_view(Exchange(reads=(Read(None, body),), request=sent_to))


def test_a_cost_inside_usage_is_stated_where_the_vendor_documents_it() -> None:
    shown = of_vendor("openrouter.ai", b"0.0123")
    assert cost(shown) == ("$0.0123", "usage", "total, from usage", "")
    assert (receipt := cost_receipt(shown)) is not None and receipt.stated_usd == Decimal("0.0123")


@pytest.mark.parametrize("host", ["api.openai.com", "litellm.example"])
def test_a_cost_inside_usage_that_a_client_added_is_stated_by_nobody(host: str) -> None:
    shown = of_vendor(host, b"0.0123")
    value_text, _, aside, _ = cost(shown)
    assert (value_text, "no price" in aside) == ("unknown", True)
    assert (receipt := cost_receipt(shown)) is not None and receipt.stated_usd is None


def test_a_stated_cost_that_no_response_costs_is_called_that() -> None:
    shown = view(analysis(Choice(index=0, cost_usd="5000000"), **GPT))
    said = "$5000000 stated, in no sum, see findings"
    assert cost(shown) == ("$0.0015", "feedback", said, "part")
    assert (receipt := cost_receipt(shown)) is not None and receipt.stated_usd is None


def test_findings_are_counted_by_those_marks_that_occur() -> None:
    shown = figure(found(finding("a.b", Severity.WARNING)), "findings")
    assert (shown.severities, shown.aside) == ((("warning", 1),), "warning")


def test_finish_reasons_of_many_choices_are_counted() -> None:
    choices = [Choice(index=n, finish_reason="length" if n % 5 else "stop") for n in range(200)]
    shown = figure(view(analysis(*choices)), "choices")
    assert [part.text for part in shown.value] == ["length\u00a0×\u00a0160", "stop\u00a0×\u00a040"]


def test_many_equal_finish_reasons_are_one() -> None:
    choices = [Choice(index=n, finish_reason="stop") for n in range(6)]
    assert value(figure(view(analysis(*choices)), "choices")) == "stop\u00a0×\u00a06"


def test_a_stall_stands_beside_the_duration() -> None:
    times = Timeline(
        clock="recorded",
        duration_us=5_839_000,
        gaps_us=Gaps(p50=1, p95=2, max=3),
        stalls=(Stall(1_000_000, 2_840_000, 54, 55),),
    )
    durations = [f for f in capture_summary(view(analysis(timeline=times))).figures
                 if f.label == "duration"]  # fmt: skip
    assert (value(durations[0]), durations[0].aside) == ("5.84 s", "one stall, 1.84 s")


def test_tokens_that_were_sent_as_null_are_null() -> None:
    usage = Usage(reported=True, prompt_tokens=3, completion_tokens=None, total_tokens=None)
    shown = figure(view(analysis(Choice(index=0), usage=usage)), "usage")
    assert (value(shown), shown.aside) == ("null", "3 in, null out")


def test_tokens_that_are_no_count_were_sent_all_the_same() -> None:
    usage = Usage(
        reported=True, completion_tokens=2, extras={"/prompt_tokens": -3, "/total_tokens": "5"}
    )
    shown = figure(view(analysis(Choice(index=0), usage=usage)), "usage")
    assert (value(shown), shown.aside) == ("not a count", "not a count in, 2 out")


@pytest.mark.parametrize(
    "state, reason",
    [("received", "in a moment"), ("quarantined", "Three tries failed: it ate too much memory.")],
)
def test_a_capture_without_analysis_has_its_size_and_a_reason(state: str, reason: str) -> None:
    shown = view(None, b"bytes")
    row = msgspec.structs.replace(shown.row, state=state)
    page = replace(shown.facts, row=row, quarantine_reason="It ate too much memory.")
    summary = capture_summary(replace(shown, facts=page))
    assert reason in text_of(summary.headline.parts[0].text)
    assert [value(each) for each in summary.figures] == ["5 B"]


def labels(shown: CaptureView) -> list[str]:
    return [each.label for each in capture_summary(shown).figures]


def test_without_an_answer_only_what_is_known_is_a_figure() -> None:
    unread = view(analysis(verdict=Verdict.UNREADABLE, verdict_reason="Not JSON.", dialect=None))
    assert labels(unread) == ["findings", "size"]
    usage = Usage(reported=True, prompt_tokens=364, completion_tokens=88, total_tokens=452)
    known = analysis(verdict=Verdict.NOT_A_RESPONSE, dialect=None, model="gpt-4-turbo", usage=usage)
    assert labels(view(known)) == ["model answered", "tokens", "cost", "findings", "size"]
    assert cost(view(known))[0] == "$0.00628"


def error(status: int, message: str) -> CaptureView:
    body = msgspec.json.encode({"error": {"message": message, "type": "tokens"}})
    sent = Request(method="POST", body=b'{"model":"gpt-4o"}')
    reads = (Read(None, body),)
    made = read_view(Exchange(reads=reads, status_code=status, request=sent))
    return replace(made, facts=replace(made.facts, request_model="gpt-4o", status_code=status))


@pytest.mark.parametrize(
    ("status", "lead"),
    [(429, "Rate limited (429)."), (503, "Provider error (503)."), (200, "Provider error.")],
)
def test_an_error_is_its_status_and_the_words_of_the_provider(status: int, lead: str) -> None:
    shown = error(status, "Please try again in 2s.")
    assert capture_summary(shown).headline.lead == lead
    [(words, href)] = sentence(shown)
    assert words == "Please try again in 2s." and href
    assert labels(shown) == ["model requested", "format", "findings", "size"]


def test_what_a_stored_reading_lacks_is_told_in_a_line() -> None:
    cuts = (
        TruncatedValue("/choices/0/content", 100_000),
        TruncatedValue("/choices/0/logprobs", 1_234),
    )
    (line,) = capture_summary(view(analysis(), cuts=cuts)).cut
    assert line.text == (
        "Too large to be kept whole: without all of /choices/0/content (100,000 long) and "
        "/choices/0/logprobs (1,234 tokens). The raw bytes have it."
    )
    assert capture_summary(view(analysis())).cut == ()


def test_many_cuts_are_counted_and_a_hostile_name_is_shown_as_it_is() -> None:
    cuts = (
        TruncatedValue("/extras/\u202e", 9),
        *(TruncatedValue(f"/extras/{n}", 70_000) for n in range(9)),
    )
    said = "".join(part.text for part in capture_summary(view(analysis(), cuts=cuts)).cut)
    assert "[RLO]" in said and "6 more" in said


@pytest.mark.parametrize(
    ("vendor", "aside"),
    [("groq", "streamed, Groq, fp_1"), (None, "streamed, fp_1"), ("nobody", "streamed, fp_1")],
)
def test_vendor_stands_beside_the_format_where_it_is_told(vendor: str | None, aside: str) -> None:
    sent = {"system_fingerprint": "fp_1"}
    read = analysis(vendor=vendor, streamed=True, completion=sent)
    dialect = next(each for each in capture_summary(view(read)).figures if each.label == "format")
    assert dialect.aside == aside
