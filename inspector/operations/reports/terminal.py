"""One input in the terminal: verdict, choices, timeline, usage and findings."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from inspector.core.analysis import Analysis, Timeline
from inspector.core.completion import Block, BlockKind, Choice, FunctionCall, ToolCall, known
from inspector.core.rules import rules
from inspector.core.tokens.ledger import ledger_of, odd_counts
from inspector.core.wire.exchange import Clock
from inspector.formatting.humanize import milliseconds, plural, rate, seconds
from inspector.formatting.lanes import TEXT_KINDS, type_words
from inspector.formatting.pacing import pacing_display, provider_clock_lines, recording_facts
from inspector.formatting.verdicts import (
    GOOD_RESULTS,
    analysis_label,
    ending_sentence,
    result_severity,
)
from inspector.formatting.wire_values import json_text
from inspector.operations.reports.finding_locations import located_findings
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.operations.reports.marks import STYLES, finding_lines, severities, tone_mark
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.operations.reports.terminal_lines import (
    NARROWEST,
    TerminalLine,
    first_line,
    first_lines,
    more,
    put,
    sparkline,
    wire_value_text,
)
from inspector.operations.reports.usage_ledger import ledger_lines

# What is beyond is counted in a line; ``--json`` has all of it.
MAX_CHOICES = 20
MAX_CALLS = 20
MAX_BLOCKS = 60
MAX_EXTRAS = 20
MAX_STALLS = 5
MAX_LANES = 5
MAX_FINDINGS = 100
MAX_STEPS = 10
SPARKLINE_CHARACTERS = 72


def show_one(console: Console, one: InspectedFile) -> None:
    """Print all sections, wrapped to the console's width."""
    analysis = one.analysis
    put(console, Text(escape_for_terminal(one.name), "bold"))
    put(console, _verdict(analysis))
    put(console, Text(_kind(one), "dim"))
    sections = (
        _choices(analysis),
        _timeline(console, one),
        _usage(analysis),
        _unknown_fields(analysis),
        _findings(one),
        _proposed(analysis),
    )
    for section in map(list, sections):
        if section:
            console.print()
        for text, indent in section:
            put(console, text, indent)


def _verdict(analysis: Analysis) -> Text:
    label = analysis_label(analysis)
    shape, style = tone_mark(label.tone)
    is_plain = not label.result and analysis.result in GOOD_RESULTS
    words = f"{label.text}, {analysis.result}." if is_plain else label.phrase
    title = (f"{shape} {words} ", f"bold {style}")
    reasons = "".join(clause.text for clause in ending_sentence(analysis))
    return Text.assemble(title, escape_for_terminal(reasons))


def _kind(one: InspectedFile) -> str:
    analysis, status = one.analysis, one.recording.exchange.status_code
    parts = [
        analysis.dialect or "unknown format",
        f"vendor {analysis.vendor}" if analysis.vendor else "vendor unknown",
        "streamed" if analysis.streamed else "whole",
        f"model {analysis.model}" if analysis.model else "no model named",
    ]
    return ", ".join(
        escape_for_terminal(part) for part in [*parts, *([f"status {status}"] if status else [])]
    )


# -- choices ---------------------------------------------------------------------------------------


def _choices(analysis: Analysis) -> Iterator[TerminalLine]:
    if not analysis.choices:
        yield Text("no choices were read"), 0
    for choice in analysis.choices[:MAX_CHOICES]:
        yield _choice_head(choice), 0
        yield from _choice_parts(choice)
    yield from more(len(analysis.choices) - MAX_CHOICES, "choice", 0)


def _choice_head(choice: Choice) -> Text:
    name = Text.assemble((f"choice {choice.index}", "bold"))
    if choice.role is not UNSET or not _is_list_of_parts(choice):
        name.append(f"  role {wire_value_text(choice.role)}")
    name.append(f"  finish reason {wire_value_text(choice.finish_reason)}")
    if choice.result not in GOOD_RESULTS:
        name.append(f"  {choice.result}", STYLES[result_severity(choice.result)])
    return name


def _is_list_of_parts(choice: Choice) -> bool:
    return any(known(block.pointer) for block in choice.blocks)


def _choice_parts(choice: Choice) -> Iterator[TerminalLine]:
    yield from _blocks(choice) if _is_list_of_parts(choice) else _message_fields(choice)


def _blocks(choice: Choice) -> Iterator[TerminalLine]:
    for block in choice.blocks[:MAX_BLOCKS]:
        yield from _block(choice, block)
    yield from more(len(choice.blocks) - MAX_BLOCKS, "part", 2)


def _message_fields(choice: Choice) -> Iterator[TerminalLine]:
    names = ("reasoning", "content", "text", "refusal")
    parts = {name: getattr(choice, name) for name in names}
    sent = {name: value for name, value in parts.items() if value is not UNSET}
    for name, value in sent.items():
        yield from _text_part(name, value)
    for call in choice.tool_calls[:MAX_CALLS]:
        yield from _call(f"tool call {wire_value_text(call.name)}", call)
    yield from more(len(choice.tool_calls) - MAX_CALLS, "tool call", 2)
    if choice.function_call is not None:
        yield from _call(
            f"function call {wire_value_text(choice.function_call.name)}", choice.function_call
        )
    if not sent and not choice.tool_calls and choice.function_call is None:
        yield Text("nothing was sent"), 2
    for name in ("feedback_token", "duration_seconds"):
        if known(getattr(choice, name)):
            yield Text(f"{name} {wire_value_text(getattr(choice, name))}"), 2


def _block(choice: Choice, block: Block) -> Iterator[TerminalLine]:
    """One part of a message, as text, call or value."""
    position = block.tool_call
    if position is not None and position < len(choice.tool_calls):
        call = choice.tool_calls[position]
        yield from _call(f"tool call {wire_value_text(call.name)}", call)
    elif isinstance(block.text, str) and (block.text or not known(block.value)):
        yield from _text_part(str(block.kind), block.text)
    else:
        is_hosted = block.kind is BlockKind.HOSTED
        ran = ", run by the provider" if is_hosted else ""
        without = ", sent without text" if block.kind in TEXT_KINDS else ""
        yield Text(f"{escape_for_terminal(type_words(block))}{ran}{without}"), 2
        if known(block.value):
            yield Text(first_line(json_text(block.value))), 4


def _text_part(name: str, value: Any) -> Iterator[TerminalLine]:
    if not isinstance(value, str) or not value:
        yield Text(f"{name} {wire_value_text(value)}"), 2
        return
    yield Text(f"{name}, {plural(len(value), 'character')}"), 2
    for line in first_lines(value):
        yield Text(line), 4


def _call(name: str, call: ToolCall | FunctionCall) -> Iterator[TerminalLine]:
    length = plural(len(call.arguments_text), "character")
    cause = call.arguments_cause
    state = str(call.arguments_state)
    if cause and cause != state:
        state = f"{state} ({cause})"
    yield Text.assemble(f"{name}, arguments ", (state, "red" if cause else ""), f", {length}"), 2
    if call.arguments_text:
        yield Text(first_line(call.arguments_text)), 4


# -- timeline --------------------------------------------------------------------------------------


def _timeline(console: Console, one: InspectedFile) -> Iterator[TerminalLine]:
    times = one.analysis.timeline
    yield Text("timeline", "bold"), 0
    if times.clock is Clock.NONE or not one.tape.reads.at_us:
        yield Text("no times were recorded"), 2
    else:
        yield from _recorded(console, one)
    for fact in recording_facts(one.analysis):
        yield Text(fact), 2
    for words in provider_clock_lines(times):
        yield Text(f"the provider says {escape_for_terminal(words)}"), 2


def _recorded(console: Console, one: InspectedFile) -> Iterator[TerminalLine]:
    times = one.analysis.timeline
    yield from _sparkline_of_reads(console, one)
    if times.clock is Clock.PARTIAL:
        yield Text("the recording begins with the first read: first-times are unknown"), 2
    yield from _firsts(times)
    if times.gaps_us is not None:
        p50, p95, longest = times.gaps_us.p50, times.gaps_us.p95, times.gaps_us.max
        quantiles = f"p50 {milliseconds(p50)}, p95 {milliseconds(p95)}, max {milliseconds(longest)}"
        yield Text(f"gaps between chunks: {quantiles}"), 2
    yield from _pace(one.analysis)


def _sparkline_of_reads(console: Console, one: InspectedFile) -> Iterator[TerminalLine]:
    """Yield the sparkline of reads, unless the times contradict each other."""
    times, at_us = one.analysis.timeline, one.tape.reads.at_us
    if times.odd_times is not None:
        yield Text(plural(times.counts.reads, "read")), 2
        return
    start_us = at_us[0] if times.clock is Clock.PARTIAL else 0
    width = min(SPARKLINE_CHARACTERS, max(console.width - 2, NARROWEST))
    if line := sparkline(at_us, start_us, width):
        yield Text(line, "cyan"), 2
    yield Text(_arrivals(times, at_us[-1] - start_us)), 2


def _pace(analysis: Analysis) -> Iterator[TerminalLine]:
    pace = pacing_display(analysis)
    if pace.word:
        name = f"pacing {pace.word}"
        yield Text.assemble((name, "yellow" if pace.is_rebuffered else ""), f". {pace.reason}"), 2
    for row in pace.stalls[:MAX_STALLS]:
        stall = f"stall of {seconds(row.length_us)} from {seconds(row.stall.start_us)}"
        yield Text(stall, "yellow"), 2
    yield from more(len(pace.stalls) - MAX_STALLS, "stall", 2)
    if pace.stalls:
        yield Text(pace.stall_rule, "dim"), 2
    for lane in pace.lanes[:MAX_LANES]:
        if lane.rate is not None:
            yield (
                Text(f"{escape_for_terminal(lane.name)}, {rate(lane.rate)} characters a second"),
                2,
            )
    for name, value, how in pace.facts:
        yield Text.assemble(f"{name} {value}", (f", {how}", "dim")), 2


def _arrivals(times: Timeline, span_us: int) -> str:
    counts = times.counts
    parts = [plural(counts.reads, "read")]
    if counts.chunks:
        parts.append(plural(counts.chunks, "chunk"))
    return f"{', '.join(parts)} in {seconds(span_us)}"


def _firsts(times: Timeline) -> Iterator[TerminalLine]:
    names = ("first_byte", "first_chunk", "first_reasoning", "first_content", "first_tool_call")
    moments = {name.replace("_", " "): getattr(times, f"{name}_us") for name in names}
    parts = [f"{name} {seconds(at)}" for name, at in moments.items() if at is not None]
    if parts:
        yield Text(", ".join(parts)), 2


# -- usage -----------------------------------------------------------------------------------------


def _usage(analysis: Analysis) -> Iterator[TerminalLine]:
    usage = analysis.usage
    found = f"  event #{usage.found_at:,}" if isinstance(usage.found_at, int) else ""
    yield Text.assemble(("usage", "bold"), found), 0
    if not usage.reported:
        yield Text("not sent"), 2
    yield from ledger_lines(ledger_of(analysis))
    shown_pointers = {pointer for pointer, _ in odd_counts(usage).values()}
    others = {
        key or "usage": value for key, value in usage.extras.items() if key not in shown_pointers
    }
    yield from _fields(others)


def _unknown_fields(analysis: Analysis) -> Iterator[TerminalLine]:
    """Fields the dialect does not define."""
    extras = dict(analysis.extras)
    for choice in analysis.choices[:MAX_CHOICES]:
        extras |= {f"choice {choice.index} {name}": value for name, value in choice.extras.items()}
    if extras:
        yield Text("fields that the format does not know", "bold"), 0
    yield from _fields(extras)


def _fields(fields: dict[str, Any]) -> Iterator[TerminalLine]:
    for pointer, value in list(fields.items())[:MAX_EXTRAS]:
        yield Text(f"{first_line(pointer)} {first_line(json_text(value))}"), 2
    yield from more(len(fields) - MAX_EXTRAS, "field", 2)


# -- findings --------------------------------------------------------------------------------------


def _findings(one: InspectedFile) -> Iterator[TerminalLine]:
    yield Text.assemble(("findings", "bold"), "  ", severities(one)), 0
    if one.ignored:
        yield Text(f"{plural(one.ignored, 'finding')} ignored", "dim"), 2
    elif not one.findings:
        yield Text(f"{len(rules())} rules had nothing to say"), 2
    for finding, place in located_findings(one)[:MAX_FINDINGS]:
        yield from finding_lines(finding, place)
    yield from more(len(one.findings) - MAX_FINDINGS, "finding", 2)


# -- what broken JSON may have been ----------------------------------------------------------------


def _proposed(analysis: Analysis) -> Iterator[TerminalLine]:
    if analysis.repair is None:
        return
    use = "read above" if analysis.repair.is_read else "not counted above"
    heading = Text.assemble(("proposed reading", "bold"), f"  never received, {use}")
    yield heading, 0
    for step in analysis.repair.steps[:MAX_STEPS]:
        yield Text(first_line(step)), 2
    yield from more(len(analysis.repair.steps) - MAX_STEPS, "step", 2)
    yield Text(first_line(json_text(analysis.repair.completion))), 2
