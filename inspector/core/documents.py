"""The reference documents of the formats, by the numbers that rules name them with."""

from __future__ import annotations

import re

DOCUMENTS = {
    "000": "WorkflowAI's responses",
    "001": "chat completions and their chunks",
    "002": "chat completions with reasoning and tools",
    "003": "FlowAPI's responses",
    "004": "OpenAI's legacy completions",
}

_NUMBER = re.compile(r"\b00[0-4]\b")


def named_in(*texts: str) -> tuple[tuple[str, str], ...]:
    """Number and name of every document that one of the texts names, by number."""
    numbers = {number for text in texts for number in _NUMBER.findall(text)}
    return tuple((number, name) for number, name in DOCUMENTS.items() if number in numbers)
