"""Finds reasoning inside the content: a passage in tags at its start, or what ends with a closing
tag whose opening one stood in the prompt. The content keeps it.
"""

import re
from typing import Any

from inspector.core.completion import InlineReasoning

# Of DeepSeek and Qwen, Mistral, Claude, Gemma, Seed and Cohere.
_TAGS = {
    "<think>": "</think>",
    "[THINK]": "[/THINK]",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<|channel>thought": "<channel|>",
    "<seed:think>": "</seed:think>",
    "<|START_THINKING|>": "<|END_THINKING|>",
}
_ALONE = frozenset({"<think>", "[THINK]"})
"""Counted without their closing tag, too; the others are also words of answers."""
# Templates write the opening tag into the prompt. The closing one stands where a line begins or
# ends, or right behind a sentence; an answer about it has words around it.
_CLOSING = re.compile(
    r"(?:(?:\A|\n)[ \t]*+|(?<=[.!?。！？]))</think>(?![ \t]+\w)|</think>[ \t]*+\n"  # noqa: RUF001
)


def inline_reasoning(content: Any) -> InlineReasoning | None:
    if not isinstance(content, str):
        return None
    # Models put line ends before the tag; only the start counts, for ``<think>`` may be quoted.
    start = len(content) - len(content.lstrip())
    opening = opening_tag(content, start)
    if not opening:
        return _unopened(content)
    end = content.find(_TAGS[opening], start)
    if end < 0:
        return InlineReasoning(start, None) if opening in _ALONE else None
    return InlineReasoning(start, end + len(_TAGS[opening]))


def opening_tag(content: str, start: int) -> str:
    """Return the tag that begins reasoning at a character, "" without one."""
    return next((tag for tag in _TAGS if content.startswith(tag, start)), "")


def _unopened(content: str) -> InlineReasoning | None:
    at = content.find("</think>")
    if at < 0 or "<think>" in content[:at] or "`" in content[:at]:
        return None
    end = at + len("</think>")
    found = _CLOSING.search(content)
    return (
        InlineReasoning(0, end) if found is not None and found.start() <= at < found.end() else None
    )
