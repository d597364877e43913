"""A reading makes only so much of what was sent, says so once, and costs no more than its length."""

from collections.abc import Callable
from typing import Any

import pytest

from inspector.core.analysis import Analysis, analysis_to_json
from inspector.core.findings import Finding, Severity, Where
from inspector.core.fold import anomalies as notes_module
from inspector.core.fold import answer_handlers, assembly, call_handlers
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.json import parser
from inspector.core.json.parser import ParsedJson, parse_json
from inspector.core.limits import (
    LIMITS,
    MAX_CHOICES,
    MAX_FINDINGS_OF_RULE,
    MAX_MESSAGE_CHARACTERS,
    Allowance,
    LimitedItem,
)
from inspector.core.reading import read
from inspector.core.wire.exchange import Exchange, Read
from tests.core.bodies import DONE, analysis, calls_stream, choice, chunk, completion, delta, event
from tests.steps import steps

CALL = b'{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}'
STEPS_OF_TWICE_AS_MUCH = 2.3
FEW = 40


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that small bodies reach; those of alternatives and findings stay."""
    for kind in LIMITS.keys() - {LimitedItem.ALTERNATIVES, LimitedItem.FINDINGS}:
        monkeypatch.setitem(LIMITS, kind, FEW)
    monkeypatch.setattr(answer_handlers, "MAX_CHOICES", FEW)
    monkeypatch.setattr(call_handlers, "MAX_TOOL_CALLS", FEW)


def of_choices(number: int) -> bytes:
    return completion(*[b"{}"] * number)


def of_calls(number: int) -> bytes:
    return completion(choice(b'"tool_calls":[%s]' % b",".join([b"{}"] * number)))


def of_parts(number: int) -> bytes:
    part = b'{"type":"text","text":"a"}'
    return completion(choice(b'"content":[%s]' % b",".join([part] * number)))


def of_tokens(number: int) -> bytes:
    entries = b",".join([b"{}"] * number)
    return completion(choice(b'"content":"a"', b'"logprobs":{"content":[%s]}' % entries))


def of_fields(number: int) -> bytes:
    """One beside the choices, one in the usage, one in the call; the others in the message."""
    fields = b",".join(b'"k%d":1' % each for each in range(number - 3))
    message = choice(b'"tool_calls":[{"x":1,"id":"a","function":{}}],' + fields)
    return completion(message, more=b'"x":1,"usage":{"prompt_tokens":1,"x":1}')


def streamed_choices(number: int) -> bytes:
    return b"".join(chunk(delta(b'"content":"a"', each)) for each in range(number)) + DONE


def streamed_calls(number: int) -> bytes:
    return calls_stream(*(CALL % (each, each) for each in range(number)))


LIMITED: dict[str, tuple[Callable[[int], bytes], LimitedItem]] = {
    "choices": (of_choices, LimitedItem.CHOICES),
    "choices of a stream": (streamed_choices, LimitedItem.CHOICES),
    "calls": (of_calls, LimitedItem.TOOL_CALLS),
    "calls of a stream": (streamed_calls, LimitedItem.TOOL_CALLS),
    "content parts": (of_parts, LimitedItem.CONTENT_PARTS),
    "unknown fields": (of_fields, LimitedItem.UNKNOWN_FIELDS),
    "tokens": (of_tokens, LimitedItem.TOKENS),
}


def capped(read: Analysis) -> list[str]:
    return [each.message for each in read.findings if each.code == "reading.capped"]


@pytest.mark.usefixtures("few")
def test_what_comes_beyond_a_limit_is_counted_and_told_in_one_finding() -> None:
    told = {name: capped(analysis(body(FEW + 7))) for name, (body, _) in LIMITED.items()}
    assert told == {
        name: [f"Only these parts were analysed: the first {FEW} {kind} (7 more came)."]
        for name, (_, kind) in LIMITED.items()
    }


@pytest.mark.usefixtures("few")
def test_at_its_limit_a_reading_takes_all_of_it_apart() -> None:
    told = {name: capped(analysis(body(FEW))) for name, (body, _) in LIMITED.items()}
    assert told == dict.fromkeys(LIMITED, [])


def test_the_limits_are_those_that_are_promised() -> None:
    """Nothing that a provider is known to send comes near them."""
    assert dict(LIMITS) == {
        LimitedItem.CHOICES: 10_000,
        LimitedItem.TOOL_CALLS: 10_000,
        LimitedItem.CONTENT_PARTS: 100_000,
        LimitedItem.UNKNOWN_FIELDS: 10_000,
        LimitedItem.TOKENS: 100_000,
        LimitedItem.ALTERNATIVES: 100,
        LimitedItem.FINDINGS: 1_000,
    }


@pytest.mark.usefixtures("few")
def test_the_body_s_own_object_stays_whole() -> None:
    read = analysis(of_choices(FEW + 7))
    assert len(read.choices) == FEW
    assert len(read.completion["choices"]) == FEW + 7


@pytest.mark.usefixtures("few")
def test_the_text_of_content_parts_beyond_the_limit_is_part_of_the_content() -> None:
    (only,) = analysis(of_parts(FEW + 7)).choices
    assert only.content == "a" * (FEW + 7)


@pytest.mark.usefixtures("few")
def test_what_is_limited_is_read_alike_however_it_is_cut_into_reads() -> None:
    for body in (streamed_choices(FEW + 7), streamed_calls(FEW + 7)):
        cut = [Read(0, body[at : at + 97]) for at in range(0, len(body), 97)]
        whole = read(Exchange.of_reads([Read(0, body)], "text/event-stream"))
        parts = read(Exchange.of_reads(cut, "text/event-stream"))
        assert timeless(parts.analysis()) == timeless(whole.analysis())
        assert parts.tape().pieces == whole.tape().pieces


def timeless(read: Analysis) -> tuple[Any, ...]:
    """Without what counts the reads."""
    told = [each for each in read.findings if not each.code.startswith("timing.")]
    return read.choices, read.usage, read.verdict, read.extras, told


@pytest.mark.usefixtures("few")
def test_a_response_that_is_asked_while_it_arrives_counts_nothing_twice() -> None:
    reading = read(Exchange(reads=()))
    reading.feed(Read(0, streamed_choices(FEW + 7)))
    assert capped(reading.analysis()) == capped(reading.analysis())
    reading.feed(Read(0, chunk(delta(b'"x":1'))))
    assert "(7 more came)" in capped(reading.analysis())[0]


def test_of_many_findings_the_first_of_each_rule_are_told_and_the_others_counted() -> None:
    found = analysis(of_calls(MAX_FINDINGS_OF_RULE + 7)).findings
    codes = [each.code for each in found]
    assert codes[0] == "reading.capped"
    assert codes.count("tool.id-missing") == MAX_FINDINGS_OF_RULE
    # Each of these calls has no id, no type and no arguments.
    assert "findings of a rule (21 more came)" in found[0].message


def test_the_sentence_of_a_finding_is_bounded() -> None:
    error = b'{"error":{"message":"%s"},"object":"%s"}' % (b"x" * 9_000, b"y" * 9_000)
    findings = (*analysis(error).findings, *analysis(of_long_ids()).findings)
    assert max(len(each.message) for each in findings) <= MAX_MESSAGE_CHARACTERS + 1


def of_long_ids() -> bytes:
    call = b'{"id":"%s","function":{"name":"f","arguments":"{}"}}' % (b"x" * 9_000)
    return completion(choice(b'"tool_calls":[%s,%s]' % (call, call)))


def test_broken_events_are_counted_and_the_first_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    explained: list[bytes] = []

    def parses(text: bytes) -> ParsedJson:
        explained.append(text)
        return parse_json(text)

    monkeypatch.setattr(parser, "parse_json", parses)
    monkeypatch.setattr(assembly, "MAX_EXPLAINED", FEW)
    (broken,) = [
        each.message
        for each in analysis(event(b"{]") * (FEW + 7) + chunk(delta(b'"content":"a"'))).findings
        if each.code == "json.broken-chunk"
    ]
    assert f"({FEW + 7} times, this is the first)" in broken
    assert explained.count(b"{]") == FEW


def test_only_so_many_subjects_of_an_oddity_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_module, "MAX_SUBJECTS", FEW)
    notes = AnomalyNotes()
    for number in range(FEW + 7):
        notes.add(Anomaly.IGNORED_LINE, Where(event=number), f"line {number}")
    notes.add(Anomaly.IGNORED_LINE, Where(event=0), "line 0")
    kept = list(notes.by_subject(Anomaly.IGNORED_LINE))
    assert (len(kept), notes.count(Anomaly.IGNORED_LINE)) == (FEW, FEW + 8)
    assert kept[0][1] == 2


@pytest.mark.usefixtures("few")
def test_an_allowance_gives_what_is_left_and_counts_the_rest() -> None:
    allowance = Allowance()
    assert allowance.take(LimitedItem.CHOICES, FEW - 1) == FEW - 1
    assert allowance.admits(LimitedItem.CHOICES)
    assert not allowance.admits(LimitedItem.CHOICES)
    assert allowance.take(LimitedItem.CHOICES, 3) == 0
    assert allowance.left_out == {LimitedItem.CHOICES: 4}
    assert Allowance().first(LimitedItem.UNKNOWN_FIELDS, {"a": 1}) == {"a": 1}


@pytest.mark.usefixtures("few")
def test_the_finding_is_a_warning_without_a_place() -> None:
    finding = analysis(of_choices(FEW + 1)).findings[0]
    assert finding == Finding(
        code="reading.capped", severity=Severity.WARNING, message=finding.message
    )


# -- steps ------------------------------------------------------------------------------------------


def objects(entry: bytes, before: bytes, after: bytes) -> Callable[[int], bytes]:
    def body(number: int) -> bytes:
        entries = (entry.replace(b"#", b"%d" % each) for each in range(number))
        return before + b",".join(entries) + after

    return body


GROWING: dict[str, Callable[[int], bytes]] = {
    "choices": of_choices,
    "choices of a stream": streamed_choices,
    "calls": of_calls,
    "calls of a stream": streamed_calls,
    "content parts": of_parts,
    "tokens": of_tokens,
    "unknown fields": of_fields,
    "comments": lambda number: b": wait\n\n" * number + DONE,
    "unknown lines": lambda number: b"".join(b"f%d: x\n" % each for each in range(number)) + DONE,
    "broken chunks": lambda number: b'data: {"choices":[\n\n' * number + DONE,
    "growing objects": lambda number: b"".join(
        chunk(delta(b'"x":{"k%d":1}' % each)) for each in range(number)
    ),
    "depth of arguments": lambda number: of_calls(1).replace(
        b"{}", b'{"function":{"arguments":"%s"}}' % (b"[" * number), 1
    ),
    "costs": objects(b'"k#":0.1', b'{"choices":[],"usage":{"cost_details":{', b"}}}"),
    "annotations": objects(b'{"type":"x"}', b'{"choices":[{"message":{"annotations":[', b"]}}]}"),
}


def test_nothing_takes_more_steps_than_its_length() -> None:
    wrong = {}
    for name, body in GROWING.items():
        once, twice = (steps(lambda: analysis(body(number))) for number in (200, 400))  # noqa: B023
        if twice > once * STEPS_OF_TWICE_AS_MUCH:
            wrong[name] = (once, twice)
    assert wrong == {}


@pytest.mark.usefixtures("few")
def test_what_is_beyond_the_limits_costs_next_to_nothing() -> None:
    at_limit = steps(lambda: analysis(of_choices(FEW)))
    beyond = steps(lambda: analysis(of_choices(FEW * 50)))
    # The reader of JSON looks at the names of each object, and nobody after it.
    assert beyond - at_limit < FEW * 50 * 1.1


def test_an_analysis_of_nearly_nothing_repeated_is_no_larger_than_the_limits() -> None:
    for body in (of_choices, of_calls):
        assert len(analysis_to_json(analysis(body(MAX_CHOICES * 2)))) < 5_000_000
