"""Lines for a terminal of any width, words for values from the wire, and arrival times as bars."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from inspector.formatting.humanize import plural
from inspector.formatting.wire_values import json_text
from inspector.operations.reports.terminal_escape import escape_for_terminal

LINE_CHARACTERS = 240
"""Three lines of a terminal of 80."""
MAX_LINES = 6
"""A text of ten thousand would push the verdict out of the window."""
MAX_CHARACTERS = 2_000
"""Limit per text, since names, messages and pointers may be of any length."""
NARROWEST = 20
"""In a narrower window lines run over the edge, sooner than one letter below the other."""

TerminalLine = tuple[Text, int]
"""Text and indentation."""


def put(console: Console, text: Text, indent: int = 0) -> None:
    """Print a wrapped text, indenting every line and padding none."""
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].append(" …")
    for line in text.wrap(console, max(console.width - indent, NARROWEST)):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line), soft_wrap=True)


def more(number: int, noun: str, indent: int) -> Iterator[TerminalLine]:
    if number > 0:
        yield Text(f"and {plural(number, f'more {noun}')}; --json has them all"), indent


def wire_value_text(value: Any) -> str:
    """Format a value; not sent, null and empty text are distinct."""
    if value is UNSET:
        return "not sent"
    if value is None:
        return "null"
    if value == "":
        return "empty text"
    return first_line(value if isinstance(value, str) else json_text(value))


def first_line(text: str) -> str:
    """First line that is not blank, with ``…`` if more follow."""
    begun = text.lstrip("\r\n\t ")
    line = (begun or text)[:LINE_CHARACTERS]
    if begun:
        line = line.partition("\n")[0].removesuffix("\r")
    return escape_for_terminal(line) + (" …" if len(line.rstrip()) < len(begun.rstrip()) else "")


def first_lines(text: str) -> list[str]:
    """First lines that are not blank, with ``…`` if more follow."""
    filled_lines = (line for line in text[:MAX_CHARACTERS].split("\n") if line.strip())
    lines = [first_line(line) for line in islice(filled_lines, MAX_LINES)]
    if not lines:
        return [first_line(text)]
    is_cut = len(text) > MAX_CHARACTERS or next(filled_lines, None) is not None
    return [*lines, "…"] if is_cut and not lines[-1].endswith(" …") else lines


BARS = "▁▂▃▄▅▆▇█"
SILENCE = "·"


def sparkline(at_us: Sequence[int], start_us: int, width: int) -> str:
    """Arrivals in ``width`` equal intervals since the start; empty if all are at one time."""
    span_us = max(at_us, default=start_us) - start_us
    if span_us <= 0:
        return ""
    counts = [0] * width
    for moment in at_us:
        counts[min(max(moment - start_us, 0) * width // span_us, width - 1)] += 1
    highest = max(counts)
    return "".join(_bar(count, highest) for count in counts)


def _bar(count: int, highest: int) -> str:
    return BARS[-(-count * len(BARS) // highest) - 1] if count else SILENCE
