"""Compares two captures in the words of the page of comparisons."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from django.conf import settings
from msgspec import Meta

from api.api_error import ApiError, not_found
from inspector.archive import queries
from inspector.dashboard.compare import CaptureComparison
from inspector.dashboard.compare.prompts import PromptsComparison
from inspector.dashboard.compare.section import ComparisonRow, ComparisonSection, ComparisonTable
from inspector.dashboard.compare.side import load_sides
from inspector.dashboard.compare.texts import ComparedChoice, TextsComparison
from inspector.dashboard.compare.timing import TimingComparison
from inspector.dashboard.compare.tool_calls import CallsComparison, ComparedCall, ComparedValue
from inspector.dashboard.compare.usage_counts import UsageComparison
from inspector.dashboard.compare.views import comparison_of, costs_of
from inspector.dashboard.compare_links import HOW_TO_NAME, compare_url, parse_side_ref
from inspector.dashboard.text.choice_diff import ChoiceDiffRun
from inspector.formatting.invisible_characters import TextSegment
from inspector.formatting.wire_values import NOT_SENT
from inspector.mcp.bounds import without_empty
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal

Side = Annotated[str, Meta(max_length=100, description=HOW_TO_NAME)]
MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "fork": ("", "")}
KEPT = 120
"""Characters of each end of what stands in both."""


class CompareArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    a: Side
    b: Side


def compare(principal: Principal, given: CompareArguments) -> dict[str, Any]:
    names = tuple(filter(None, map(parse_side_ref, (given.a, given.b))))
    if len(set(names)) != 2:
        raise ApiError(422, "invalid_parameter", f"name two different captures: {HOW_TO_NAME}")
    sides = load_sides(queries.for_principal(principal), names)
    if sides is None:
        raise not_found()
    if missing := " ".join(side.missing for side in sides if side.missing):
        raise ApiError(404, "not_found", missing)
    compared = comparison_of(sides, costs_of(sides, principal))
    if compared is None:
        raise ApiError(409, "not_inspected", "not both of these are analysed yet")
    return {**_told(compared), "page": f"{settings.ORIGIN}{compare_url(names)}"}


def _told(compared: CaptureComparison) -> dict[str, Any]:
    return without_empty(
        {
            "answer": compared.answer,
            "measures": compared.measures,
            "rest": compared.rest,
            "note": compared.note,
            "differing": {each.title: _section(each) for each in compared.differing},
            "same": [f"{each.title}: {each.sentence}" for each in compared.same],
        }
    )


def _section(section: ComparisonSection) -> dict[str, Any]:
    return without_empty({"sentence": section.sentence, **_content(section.content)})


def _content(content: Any) -> dict[str, Any]:
    match content:
        case tuple():
            return {part.title: _section(part) for part in content}
        case ComparisonTable():
            return {"values": _rows(content.rows), "more": content.left_out or None}
        case TimingComparison() | UsageComparison():
            return {"values": _rows(content.table.rows)}
        case PromptsComparison():
            part = {"messages": _diff(content.part.runs)} if content.part else {}
            rows = {"values": _rows(content.table.rows)} if content.table else {}
            return {**part, **rows}
        case TextsComparison():
            return {"texts": [each for choice in content.choices for each in _texts(choice)]}
        case CallsComparison():
            return {"calls": [_call(each) for each in content.calls]}
    return {}


def _rows(rows: Iterable[ComparisonRow]) -> dict[str, Any]:
    """Return the rows that are not the same: the value of A, then that of B."""
    return {
        _words(row.name): [_words(cell.text) for cell in row.cells]
        for row in rows
        if not row.is_same
    }


def _texts(choice: ComparedChoice) -> Iterator[dict[str, Any]]:
    for part in choice.parts:
        yield without_empty(
            {
                "choice": choice.names,
                "part": part.name,
                "sentence": part.sentence,
                "diff": _diff(part.runs),
            }
        )


def _call(call: ComparedCall) -> dict[str, Any]:
    values = {_words(each.pointer): _value(each) for each in call.values if not each.is_equal}
    told = {"call": _words(call.names), "choice": call.choice, "sentence": call.sentence}
    return without_empty(
        {**told, "values": values, "diff": _diff(call.part.runs) if call.part else ""}
    )


def _value(value: ComparedValue) -> Any:
    return (
        _diff(value.runs)
        if value.runs
        else [_words(value.before) or NOT_SENT, _words(value.after) or NOT_SENT]
    )


def _diff(runs: Iterable[ChoiceDiffRun]) -> str:
    """Return a text like ``Parcel [-today-]{+tomorrow+}``, without the middle of what stands in
    both.
    """
    return "".join(map(_run, runs))


def _run(run: ChoiceDiffRun) -> str:
    text = _words(run.text) + _words(run.end)
    if run.kind:
        opening, closing = MARKS[run.kind]
        return f"{opening}{text}{closing}"
    return text if len(text) <= 2 * KEPT else f"{text[:KEPT]} … {text[-KEPT:]}"


def _words(segments: Iterable[TextSegment]) -> str:
    return "".join(segment.text for segment in segments)


TOOL = Tool(
    name="compare_captures",
    title="Compare two captures",
    description=(
        "What differs between two captures, their choices or analyses: answers word by word"
        " ([-only in A-], {+only in B+}), tool calls value by value, prompts, usage, times,"
        " findings and other fields. Values stand as [A, B]."
    ),
    arguments=CompareArguments,
    run=compare,
)
