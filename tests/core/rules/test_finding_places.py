"""Where findings point, and in which order they come."""

from inspector.core.findings import Severity, Where
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    STOP,
    analysis,
    chat_stream,
    choice,
    chunk,
    completion,
    delta,
    event,
)
from tests.core.rules.answer_bodies import A_SAYS, B_SAYS, HI


def test_a_finding_about_an_event_carries_its_bytes() -> None:
    broken = event(b'{"choices":[{"del')
    result = analysis(HI + broken + chunk(STOP) + DONE)
    (finding,) = (finding for finding in result.findings if finding.code == "json.broken-chunk")
    where = finding.where
    assert where.event == 2
    assert (where.byte_start, where.byte_end) == (len(HI), len(HI) + len(broken))


def test_the_worst_comes_first_and_then_what_comes_first_in_the_body() -> None:
    late = chunk(delta(b'"role":"user"'))
    body = b"foo: bar\n" + HI + event(b"{'a':1}") + late + event(b"[1,") + DONE
    found = analysis(body).findings
    ranks = [list(Severity).index(finding.severity) for finding in found]
    assert ranks == sorted(ranks)
    places = [finding.where.byte_start for finding in found if finding.severity == "error"]
    assert len(places) == 2 and places == sorted(places)


def test_what_occurs_often_is_one_finding_with_its_count() -> None:
    result = analysis(b"foo: bar\n" * 2_000 + GOOD_STREAM)
    (finding,) = result.findings
    assert finding.message.endswith("(2,000 times, this is the first).")
    assert finding.where.byte_start == 0


def test_a_fault_inside_a_document_is_placed_at_its_byte() -> None:
    body = GOOD.replace(b"Hello", b"Hell\xff")
    (finding,) = analysis(body).findings
    at = body.index(b"\xff")
    assert (finding.where.byte_start, finding.where.byte_end) == (at, at + 1)


def test_choices_take_turns_from_the_chunk_on_in_which_one_goes_on() -> None:
    body = chat_stream(A_SAYS, A_SAYS, B_SAYS, B_SAYS, A_SAYS, B_SAYS)
    (finding,) = (f for f in analysis(body).findings if f.code == "chunks.choices-interleaved")
    assert finding.where.event == 4
    assert finding.message == "Chunks of several choices alternate from here on."


def test_the_role_is_told_where_it_first_comes_again_and_once() -> None:
    said = delta(b'"role":"assistant","content":"a"')
    body = chat_stream(*[said] * 1_000, STOP)
    (finding,) = (f for f in analysis(body).findings if f.code == "chunks.role-repeated")
    assert (finding.where.event, finding.where.pointer) == (1, "/choices/0/delta/role")


def test_an_unfinished_choice_of_a_whole_answer_stands_in_no_event() -> None:
    body = completion(choice(b'"role":"assistant","content":"a"', b""))
    (finding,) = (f for f in analysis(body).findings if f.code == "ending.missing-finish")
    assert finding.where == Where(pointer="/choices/0/finish_reason")
