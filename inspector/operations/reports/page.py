"""Lines for a terminal of any width, and what came over the wire as words in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import json_text
from inspector.operations.reports.visible import visible

LINE_CHARACTERS = 240
MOST_LINES = 6
MOST_CHARACTERS = 2_000
"""Of one text, however long the name, the message or the pointer that somebody sent."""
NARROWEST = 20

Line = tuple[Text, int]
"""What is written, and how far it is indented."""


def put(console: Console, text: Text, indent: int = 0) -> None:
    """Folded where it is too long, every line indented, none padded."""
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS].append(" …")
    for line in text.wrap(console, max(console.width - indent, NARROWEST)):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line), soft_wrap=True)


def more(number: int, noun: str, indent: int) -> Iterator[Line]:
    if number > 0:
        yield Text(f"and {plural(number, f'more {noun}')}; --json has them all"), indent


def shown(value: Any) -> str:
    """A value from the wire: what was not sent, null and empty text are three things."""
    if value is UNSET:
        return "not sent"
    if value is None:
        return "null"
    if value == "":
        return "empty text"
    return first_line(value if isinstance(value, str) else json_text(value))


def first_line(text: str) -> str:
    """The first line that is not blank; ``…`` where there is more."""
    begun = text.lstrip("\r\n\t ")
    line = (begun or text)[:LINE_CHARACTERS]
    if begun:
        line = line.partition("\n")[0].removesuffix("\r")
    return visible(line) + (" …" if len(line.rstrip()) < len(begun.rstrip()) else "")


def first_lines(text: str) -> list[str]:
    """The first lines that are not blank; ``…`` where there is more."""
    told = (line for line in text[:MOST_CHARACTERS].split("\n") if line.strip())
    lines = [first_line(line) for line in islice(told, MOST_LINES)]
    if not lines:
        return [first_line(text)]
    is_cut = len(text) > MOST_CHARACTERS or next(told, None) is not None
    return [*lines, "…"] if is_cut and not lines[-1].endswith(" …") else lines
