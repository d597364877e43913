from inspector.core.analysis import Repair
from inspector.core.findings import Finding, Severity, Where
from inspector.dashboard.panels.findings import Findings, draw, panel_of
from tests.dashboard.captured import analysis, found, view


def finding(code: str = "some.code", severity: Severity = Severity.INFO, **where: int) -> Finding:
    return Finding(code=code, severity=severity, message="It is so.", where=Where(**where))


def codes(*findings: Finding) -> list[str]:
    content = draw(found(*findings)).content
    assert isinstance(content, Findings)
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
    assert content.findings[0].left_out == 10
    assert codes(*same[:5]) == ["same.code"] * 5


def test_a_finding_tells_who_breaks_and_where_it_is_shown() -> None:
    where = Where(pointer="/choices/1/message/tool_calls/0/function/arguments")
    named = Finding(
        code="tool.arguments-truncated", severity=Severity.ERROR, message="It ends.", where=where
    )
    panel = draw(found(named))
    (shown,) = panel.content.findings
    assert shown.breaks
    assert shown.places[0].panel == "tool_calls"
    assert panel.tone == "error"


def test_pointers_lead_to_the_panel_that_shows_their_value() -> None:
    assert panel_of("/usage/total_tokens") == "usage"
    assert panel_of("/choices/0/usage") == "usage"
    assert panel_of("/choices/0/finish_reason") == "choices"
    assert panel_of("/choices/0/feedback_token") == "feedback"
    assert panel_of("/created") == panel_of(None) == "raw"


def test_infos_do_not_colour_the_rail() -> None:
    assert draw(found(finding())).tone == ""


def test_a_repair_is_a_proposal_beside_the_findings() -> None:
    repair = Repair(steps=("Left out a comma",), completion={"id": "x"})
    content = draw(view(analysis(repair=repair))).content
    assert content.repair.steps == ("Left out a comma",)
    assert content.findings == ()


def test_nothing_to_say_is_said() -> None:
    assert draw(found()).why_empty.endswith("rules, nothing to say.")
