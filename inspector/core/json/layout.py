"""Lays a JSON text out over several lines: its tokens are spelled as they are.

An object or array that fits into a line stays in one.
"""

import re

import msgspec

LINE_CHARACTERS = 72
"""A panel's width in a narrow window."""
MAX_DEPTH = 32
"""Levels over several lines: deeper values stay in one, so that indents do not outgrow the text."""
INDENT = "  "

# As in '"a, b"' as one, else one character.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^"]', re.DOTALL)


def lay_out(text: str) -> str | None:
    """Return the layout of an object or array; None if the text is no whole JSON text of one."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        line = msgspec.json.format(text, indent=0)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return "".join(_laid_out(line))


def lay_out_line(text: str) -> str | None:
    """Return the layout of a text that came in one line and is too long for one; else None."""
    layout = None if "\n" in text else lay_out(text)
    return layout if layout is not None and "\n" in layout else None


def _laid_out(line: str) -> list[str]:
    """Pieces of the layout of a text that stands in one line."""
    ends, pieces = _ends(line), []
    at = depth = column = 0
    while at < len(line):
        token = _token(line, at)
        end = ends.get(at)
        if end is not None and (depth >= MAX_DEPTH or column + end - at <= LINE_CHARACTERS):
            token = line[at:end]
        at += len(token)
        if token in ("{", "[", ","):
            depth += token != ","
            token += "\n" + INDENT * depth
            at += token[0] == ","
        elif token in ("}", "]"):
            depth -= 1
            token = "\n" + INDENT * depth + token
        pieces.append(token)
        column = len(token) - token.rfind("\n") - 1 if "\n" in token else column + len(token)
    return pieces


def _ends(line: str) -> dict[int, int]:
    """Where the object or array ends that begins at an offset."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in _TOKEN.finditer(line):
        if match.group() in ("{", "["):
            opened.append(match.start())
        elif match.group() in ("}", "]"):
            ends[opened.pop()] = match.end()
    return ends


def _token(line: str, at: int) -> str:
    match = _TOKEN.match(line, at)
    return match.group() if match else line[at:]
