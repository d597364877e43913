"""An analysis in the terminal: verdict, choices, usage, times and findings as tables."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.core.analysis import Analysis, Timeline, Verdict
from inspector.core.completion import Choice, known
from inspector.core.findings import Finding, Severity, Where

STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
SHAPES = {Severity.ERROR: "■", Severity.WARNING: "▲", Severity.INFO: "●"}
GOOD = frozenset({Verdict.COMPLETE})
PARTIAL = frozenset({Verdict.ELIDED, Verdict.MISSING_FINISH, Verdict.MISSING_TERMINATOR})
TEXT_CHARACTERS = 400
COUNTS = (
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
    "total_tokens",
)


def show(console: Console, path: str, analysis: Analysis) -> None:
    console.print(Text(visible(path), style="bold"))
    console.print(_verdict(analysis), Text(_kind(analysis), style="dim"), sep="\n")
    for table in (_choices(analysis), _usage(analysis), _times(analysis), _findings(analysis)):
        if table.row_count:
            console.print(table)
    console.print()


def _verdict(analysis: Analysis) -> Text:
    verdict = analysis.verdict
    style = "green" if verdict in GOOD else "yellow" if verdict in PARTIAL else "red"
    return Text.assemble((f"{verdict}. ", f"bold {style}"), visible(analysis.verdict_reason))


def _kind(analysis: Analysis) -> str:
    form = "streamed" if analysis.streamed else "whole"
    parts = [analysis.dialect or "unknown format", form, analysis.model or "no model named"]
    return ", ".join(visible(part) for part in parts)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _choices(analysis: Analysis) -> Table:
    table = _table("choice", "finish", "part", "text")
    for choice in analysis.choices:
        head = (str(choice.index), shown(choice.finish_reason))
        for number, (part, text) in enumerate(_parts(choice)):
            table.add_row(*(head if number == 0 else ("", "")), part, text)
    return table


def _parts(choice: Choice) -> list[tuple[str, str]]:
    names = ("reasoning", "content", "text", "refusal")
    parts = [(name, getattr(choice, name)) for name in names]
    rows = [(name, shown(value)) for name, value in parts if value is not UNSET]
    for call in choice.tool_calls:
        arguments = f"{shown(call.arguments_text)} ({call.arguments_state})"
        rows.append((f"call {shown(call.name)}", arguments))
    for name in ("feedback_token", "cost_usd", "duration_seconds"):
        if known(getattr(choice, name)):
            rows.append((name, shown(getattr(choice, name))))
    return rows or [("", "nothing was sent")]


def _usage(analysis: Analysis) -> Table:
    table = _table("usage", "count")
    if analysis.usage.reported:
        for name in COUNTS:
            value = getattr(analysis.usage, name)
            if value is not UNSET:
                table.add_row(name, "null" if value is None else f"{value:,}")
    return table


def _times(analysis: Analysis) -> Table:
    timeline: Timeline = analysis.timeline
    table = _table("timeline", "seconds")
    names = ("first_byte_us", "first_reasoning_us", "first_content_us", "duration_us")
    for name in names:
        value = getattr(timeline, name)
        if value is not None:
            table.add_row(name.removesuffix("_us").replace("_", " "), f"{value / 1e6:.3f}")
    for stall in timeline.stalls:
        table.add_row("stall", f"{(stall.end_us - stall.start_us) / 1e6:.3f}")
    return table


def _findings(analysis: Analysis) -> Table:
    table = _table("finding", "code", "", "where")
    for column in table.columns[:2]:
        column.no_wrap = True
    for finding in analysis.findings:
        severity = Text(f"{SHAPES[finding.severity]} {finding.severity}", STYLES[finding.severity])
        table.add_row(severity, finding.code, visible(finding.message), _place(finding))
    return table


def _place(finding: Finding) -> str:
    where: Where = finding.where
    parts = [visible(where.pointer or "")]
    if where.event is not None:
        parts.append(f"event {where.event}")
    if where.byte_start is not None:
        parts.append(f"byte {where.byte_start:,}")
    return " ".join(part for part in parts if part)


def shown(value: Any) -> str:
    """A value from the wire: what was not sent, null and empty text are three things."""
    if value is UNSET:
        return "not sent"
    if value is None:
        return "null"
    if value == "":
        return "empty text"
    text = value if isinstance(value, str) else str(value)
    more = len(text) - TEXT_CHARACTERS
    return visible(text[:TEXT_CHARACTERS]) + (f" … {more:,} more characters" if more > 0 else "")


def visible(text: str) -> str:
    """Model output must not steer the terminal: control characters become escapes."""
    return "".join(
        character if character == "\n" or character.isprintable() else repr(character)[1:-1]
        for character in text
    )
