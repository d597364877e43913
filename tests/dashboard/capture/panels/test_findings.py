import json

from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Repair, Verdict
from inspector.core.completion import Choice
from inspector.core.findings import Finding, Severity, Where
from inspector.dashboard.capture.findings.panel import FindingsDisplay, draw
from inspector.dashboard.templatetags.meanings import meaning
from tests.dashboard.capture.samples import analysis, found, streamed, view, whole


def finding(code: str = "some.code", severity: Severity = Severity.INFO, **where: int) -> Finding:
    return Finding(code=code, severity=severity, message="It is so.", where=Where(**where))


def codes(*findings: Finding) -> list[str]:
    content = draw(found(*findings)).content
    assert isinstance(content, FindingsDisplay)
    return [each.code for each in content.findings]


def test_the_worst_stands_first_then_the_first_byte() -> None:
    assert codes(
        finding("a.info"),
        finding("b.late", Severity.ERROR, byte_start=900),
        finding("c.placeless", Severity.ERROR),
        finding("d.warning", Severity.WARNING, byte_start=1),
        finding("e.early", Severity.ERROR, byte_start=5),
    ) == ["e.early", "b.late", "c.placeless", "d.warning", "a.info"]


def test_more_than_five_of_one_code_are_one_row_with_their_number() -> None:
    same = [finding("same.code", byte_start=n) for n in range(60)]
    content = draw(found(*same, finding("other.code"))).content
    assert [(each.code, each.number) for each in content.findings] == [
        ("same.code", 60), ("other.code", 1),
    ]  # fmt: skip
    assert len(content.findings[0].places) == 50
    assert (content.findings[0].start, content.findings[0].later) == (0, 50)
    assert codes(*same[:5]) == ["same.code"] * 5


def test_a_finding_tells_who_breaks_and_where_it_is_shown() -> None:
    where = Where(pointer="/choices/1/message/tool_calls/0/function/arguments")
    named = Finding(
        code="tool.arguments-truncated", severity=Severity.ERROR, message="It ends.", where=where
    )
    panel = draw(found(named))
    (shown,) = panel.content.findings
    assert shown.impact
    assert shown.means == "The arguments of a tool call end before their JSON is complete."
    assert shown.places[0].target == "tool_calls"
    assert panel.tone == "error"


def test_what_an_error_breaks_depends_on_whether_it_came_in_a_stream() -> None:
    error = {"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}
    shown = (whole(error), streamed((None, f"data: {json.dumps(error)}\n\n")))
    assert [draw(each).content.findings[0].impact for each in shown] == [
        "Programs raise an error and have no answer.",
        "Clients that check only the status miss it: it was sent before the error.",
    ]


def test_names_in_what_a_rule_means_are_code_and_rows_do_not_repeat_it() -> None:
    code = "envelope.created-out-of-range"
    first, second = draw(found(finding(code), finding(code))).content.findings
    assert meaning(first.means) == "<code>created</code> is not a Unix time in seconds."
    assert (second.means, bool(second.impact)) == ("", True)


def test_a_reference_document_in_a_meaning_is_a_link() -> None:
    (shown,) = draw(found(finding("chunks.choices-interleaved"))).content.findings
    assert meaning(shown.means) == (
        "Chunks of several choices alternate, as "
        '<a href="https://platform.openai.com/docs/api-reference/chat/object" '
        """rel="noopener noreferrer">OpenAI&#x27;s chat-completions reference</a> allows."""
    )


def test_every_place_of_a_group_can_be_reached() -> None:
    same = [finding("same.code", byte_start=n) for n in range(120)]
    reached: list[int | None] = []
    asked: dict[str, str] = {}
    while len(reached) < 120:
        view_ = view(analysis(findings=tuple(same)), query_params=asked)
        (group,) = draw(view_).content.findings
        reached += [place.byte for place in group.places]
        asked = {"findings": "same.code", "place": str(group.later)}
    assert reached == list(range(120))
    assert (group.start, group.earlier, group.later) == (100, 50, 0)


def test_a_place_that_is_asked_for_and_not_there_is_the_first() -> None:
    same = tuple(finding("same.code", byte_start=n) for n in range(60))
    for asked in ({"findings": "same.code", "place": "999"},
                  {"findings": "same.code", "place": "x"},
                  {"findings": "other.code", "place": "50"}):  # fmt: skip
        (group,) = draw(view(analysis(findings=same), query_params=asked)).content.findings
        assert group.start == 0


def test_findings_that_the_stored_reading_left_out_are_counted() -> None:
    cuts = (TruncatedValue("/findings", 1_234),)
    panel = draw(view(analysis(findings=(finding(),)), cuts=cuts))
    assert (panel.count, panel.content.number, panel.content.available) == ("1,234", 1_234, 1)


def test_a_pointer_through_a_chunk_leads_to_no_choice_of_the_answer() -> None:
    choices = (Choice(index=5),)
    inside, through = (
        Finding(code="a.b", severity=Severity.INFO, message="It is so.", where=where)
        for where in (Where(pointer="/choices/0/finish_reason"),
                      Where(pointer="/choices/0/finish_reason", event=3))
    )  # fmt: skip
    read = analysis(*choices, findings=(inside, through),
                    completion={"choices": [{"index": 5}]})  # fmt: skip
    shown = draw(view(read)).content.findings
    assert [each.places[0].target for each in shown] == ["choice-5", "choices"]


def test_infos_do_not_colour_the_rail() -> None:
    assert draw(found(finding())).tone == ""


def test_a_repair_is_a_proposal_beside_the_findings() -> None:
    repair = Repair(steps=("Left out a comma",), completion={"id": "x"})
    content = draw(view(analysis(repair=repair))).content
    assert content.repair.steps == ("Left out a comma",)
    assert content.findings == ()


def test_a_repair_shows_what_it_changes_in_the_body() -> None:
    panel = draw(
        whole(b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"hi"}},]}')
    )
    pieces = panel.content.repair.pieces
    assert [piece.text[0].text for piece in pieces if piece.kind == "left-out"] == [","]
    assert panel.content.repair.completion == ()


def test_a_repair_that_is_another_text_is_shown_whole() -> None:
    repair = Repair(steps=("Joined",), completion={"content": "x" * 30_000})
    shown = draw(view(analysis(repair=repair), b"data: {")).content.repair
    assert (shown.pieces, sum(len(part.text) for part in shown.completion)) == ((), 20_000)
    assert shown.left_out == 10_015


def test_nothing_to_say_is_said() -> None:
    assert draw(found()).why_empty.endswith("rules, nothing to say.")


def test_where_no_rule_looked_that_is_said() -> None:
    other = draw(view(analysis(verdict=Verdict.OTHER)))
    assert other.why_empty == "The call asked for no completion, so only its transport was checked."
