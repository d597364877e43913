"""Every finding points at something: a pointer that resolves, bytes that are there."""

import json
from collections.abc import Iterator

import pytest

from inspector.core.analysis import Analysis
from inspector.core.findings import Finding
from inspector.core.json import Json
from inspector.core.json.pointer import steps_of
from inspector.core.reading import read
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange
from tests.core.bodies import HELLO, STOP, analysis, chat_stream, completion, exchange
from tests.core.rules.rule_cases import CASES
from tests.operations.recordings import recordings

PLACELESS = {
    "framing.content-type",
    "framing.reconnection",
    "reading.capped",
    "reading.told",
    "timing.held-back",
    "timing.late-first-token",
    "timing.silence-at-close",
    "timing.silence-before-end",
    "timing.single-read",
}
"""About a header, the reading itself, what many lines of a stream say together, or the times of the whole."""


def exchanges() -> Iterator[tuple[str, Exchange]]:
    for code, cases in CASES.items():
        for number, case in enumerate(cases):
            body, known = case if isinstance(case, tuple) else (case, {})
            yield f"{code} {['fires', 'silent'][number]}", exchange(body, **known)
    for sample in recordings():
        yield sample.note, sample.exchange


def test_every_finding_points_at_something(subtests: pytest.Subtests) -> None:
    for name, about in exchanges():
        with subtests.test(name):
            assert_every_finding_has_a_place(about)


def assert_every_finding_has_a_place(about: Exchange) -> None:
    machine, body = read(about), decompressed(about).body
    for finding in machine.analysis().findings:
        where = finding.where
        assert has_place(finding), finding
        if where.pointer is not None:
            values = held(machine.analysis(), body, finding)
            assert any(leads_somewhere(value, where.pointer) for value in values), finding
        if where.byte_start is not None:
            assert where.byte_end is not None
            assert 0 <= where.byte_start <= where.byte_end <= len(body)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"object":"error","message":"no such model","code":404}', "/message"),
        (b'{"detail":"Not found"}', "/detail"),
    ],
)
def test_an_error_without_that_name_is_pointed_at_its_words(body: bytes, pointer: str) -> None:
    [finding] = read(Exchange.of_body(body, "application/json")).analysis().findings
    assert (finding.code, finding.where.pointer) == ("envelope.provider-error", pointer)


def has_place(finding: Finding) -> bool:
    where = finding.where
    is_placed = where.pointer is not None or where.byte_start is not None
    return is_placed or finding.code in PLACELESS


def held(result: Analysis, body: bytes, finding: Finding) -> Iterator[Json]:
    """The completion, or the body it was read from; and the object of the event, if one is told."""
    yield result.completion
    yield result.repair.completion if result.repair else None
    yield parsed(body)
    if finding.where.event is not None:
        text = body[finding.where.byte_start : finding.where.byte_end]
        yield parsed(text.partition(b"data:")[2] or text)


def parsed(text: bytes) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None


def leads_somewhere(value: Json, pointer: str) -> bool:
    """To a value, or to one that an object or a list lacks."""
    for step in steps_of(pointer)[:-1]:
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return False
    return isinstance(value, dict | list) or pointer == ""


def test_a_choice_is_pointed_at_by_its_position_and_not_by_its_index() -> None:
    last = STOP.replace(b":0", b":7", 1)
    (finding,) = (
        finding
        for finding in analysis(chat_stream(STOP, last)).findings
        if finding.code == "choice.index-gap"
    )
    assert finding.where.pointer == "/choices/1/index"


def test_choices_sent_out_of_order_are_pointed_at_where_they_stand() -> None:
    at_limit = HELLO.replace(b":0", b":1", 1).replace(b'"stop"', b'"length"')
    (finding,) = (
        finding
        for finding in analysis(completion(at_limit, HELLO)).findings
        if finding.code == "choice.finish-length"
    )
    assert finding.where.pointer == "/choices/0/finish_reason"
