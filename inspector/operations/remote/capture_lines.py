"""Rows of the capture list as lines for a terminal. What an answer says is text: nothing in it
controls the terminal.
"""

import shutil
from collections.abc import Mapping
from typing import Any

from inspector.formatting.humanize import short_time
from inspector.operations.reports.terminal_escape import escape_for_terminal

UNKNOWN = "–"
ID_CHARACTERS = 18
"""Characters of a UUIDv7's beginning, which find it. The first eight are those of a whole minute.
"""
NARROWEST = 130
"""A line of a narrower terminal is wrapped: what identifies a capture is not cut off."""
LINE_CHARACTERS = 240
"""Where there is no terminal to fit."""

Row = Mapping[str, Any]


def capture_line(row: Row, width: int | None = None) -> str:
    """Moment, id, verdict and result, model, tokens, first token, and how the answer begins."""
    moment = str(row["called_at"])[:19].replace("T", " ")
    parts = [
        moment,
        str(row["id"])[:ID_CHARACTERS],
        f"{outcome_words(row):<22}",
        f"{shown(row['model'])[:24]:<24}",
        f"{tokens(row):>12}",
        f"{seconds(row['first_token_us']):>8}",
    ]
    line = "  ".join([*parts, shown(row["answer_line"])])
    width = max(width or LINE_CHARACTERS, NARROWEST)
    return line if len(line) <= width else f"{line[: width - 1]}…"


def terminal_width() -> int:
    return shutil.get_terminal_size((LINE_CHARACTERS, 24)).columns


def outcome_words(row: Row) -> str:
    """Such as ``complete, empty``; the state where there is no verdict yet."""
    verdict, result = row["verdict"], row["result"]
    if verdict is None:
        return str(row["state"])
    return str(verdict) if result in (None, "unknown") else f"{verdict}, {result}"


def tokens(row: Row) -> str:
    """Tokens in and out; absent and 0 differ."""
    return f"{_count(row['prompt_tokens'])} → {_count(row['completion_tokens'])}"


def seconds(us: int | None) -> str:
    return UNKNOWN if us is None else short_time(us)


def shown(value: Any) -> str:
    return UNKNOWN if value is None else escape_for_terminal(str(value))


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)
