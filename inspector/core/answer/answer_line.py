"""One line that tells an answer from others in a list, and one for the prompt it answers."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.completion import Block, BlockKind, Choice, Result, known
from inspector.core.findings import json_text
from inspector.core.formats.provider_error import error_message
from inspector.core.json import Json

LINE_CHARACTERS = 200
"""The width of the columns of the list."""
BLANK_CHARACTERS = 30
"""Shows white space as JSON spells it, and the beginning of much of it."""
# As in "Hello," and "world": found one by one, for the text may be long and the line is short.
_WORD = re.compile(r"\S+")
_SHOWN_PARTS = (BlockKind.IMAGE, BlockKind.AUDIO, BlockKind.HOSTED, BlockKind.UNKNOWN)


class AnswerLineKind(StrEnum):
    """The kind of an answer's line. The first that the answer has is used, in this order."""

    TEXT = "text"
    CALL = "call"
    """Name and arguments of the calls, as they were sent."""
    REFUSAL = "refusal"
    PART = "part"
    """The types of parts that have no text, such as images."""
    ERROR = "error"
    """The message of the provider, or why the exchange failed."""
    REASONING = "reasoning"
    NOTHING = "nothing"
    """Why there is nothing else."""


class AnswerLine(msgspec.Struct, frozen=True):
    """A line of at most ``LINE_CHARACTERS`` with its white space collapsed.

    ``blank`` is the content of an answer that says nothing, as JSON: ``""``, ``null`` or
    ``"\\n\\n"``; null if there is text, or no content was sent.
    """

    kind: AnswerLineKind
    text: str
    blank: str | None = None


def answer_line(analysis: Analysis) -> AnswerLine:
    """Return the line of the first choice that says something. Never raises."""
    for choice in analysis.choices:
        if (found := _line_of(choice)) is not None:
            return found
    blank = next((_blank(choice) for choice in analysis.choices), None)
    if analysis.result is Result.ERROR:
        return AnswerLine(AnswerLineKind.ERROR, one_line(_error_of(analysis)), blank)
    for choice in analysis.choices:
        if reasoning := _reasoning(choice):
            return AnswerLine(AnswerLineKind.REASONING, reasoning, _blank(choice))
    why = analysis.result_reason or analysis.verdict_reason
    return AnswerLine(AnswerLineKind.NOTHING, one_line(why), blank)


def prompt_line(prompt: Mapping[str, Json]) -> str | None:
    """Return the last text that a user wrote in a normalised prompt, on one line; None if there is
    none.

    ``prompt`` is what ``normalised_prompt`` returns.
    """
    messages = prompt.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            line = one_line(" ".join(_texts(message.get("parts"))))
            if line:
                return line
    return one_line(" ".join(_texts(prompt.get("prompt")))) or None


def one_line(text: str) -> str:
    """Return the beginning of a text, white space collapsed; linear in what is read of it."""
    words: list[str] = []
    length = 0
    for word in _WORD.finditer(text):
        room = LINE_CHARACTERS - length
        words.append(text[word.start() : min(word.end(), word.start() + room + 1)])
        length += len(words[-1]) + 1
        if length > LINE_CHARACTERS:
            break
    line = " ".join(words)
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"


def _line_of(choice: Choice) -> AnswerLine | None:
    kinds: tuple[tuple[AnswerLineKind, Callable[[Choice], str]], ...] = (
        (AnswerLineKind.TEXT, _text),
        (AnswerLineKind.CALL, _calls),
        (AnswerLineKind.REFUSAL, _refusal),
        (AnswerLineKind.PART, _parts),
    )
    for kind, read in kinds:
        if line := read(choice):
            blank = None if kind is AnswerLineKind.TEXT else _blank(choice)
            return AnswerLine(kind, line, blank)
    return None


def _text(choice: Choice) -> str:
    content = _content(choice)
    if not isinstance(content, str):
        return ""
    inline = choice.inline_reasoning
    if inline is not None:
        rest = "" if inline.end is None else content[inline.end :]
        content = content[: inline.start] + rest
    return one_line(content)


def _content(choice: Choice) -> Json:
    return choice.text if known(choice.text) else choice.content


def _calls(choice: Choice) -> str:
    calls = [*choice.tool_calls]
    called = choice.function_call
    sent = [(call.name, call.arguments_text) for call in calls]
    if called is not None and not called.is_empty:
        sent.append((called.name, called.arguments_text))
    return one_line(" · ".join(_call(name, text) for name, text in sent[:LINE_CHARACTERS]))


def _call(name: Json, arguments: str) -> str:
    # Cut before they are joined: the arguments of each may have millions of characters.
    shown = one_line(name) if isinstance(name, str) and name else "(no name)"
    return f"{shown} {one_line(arguments)}".rstrip()


def _refusal(choice: Choice) -> str:
    return one_line(choice.refusal) if isinstance(choice.refusal, str) else ""


def _parts(choice: Choice) -> str:
    audio = choice.extras.get("/message/audio")
    if isinstance(audio, dict) and any(audio.values()):
        spoken = audio.get("transcript")
        return one_line(spoken) if isinstance(spoken, str) and spoken.strip() else "audio"
    types = dict.fromkeys(_type(block) for block in choice.blocks if block.kind in _SHOWN_PARTS)
    return one_line(", ".join(types))


def _type(block: Block) -> str:
    return block.type if isinstance(block.type, str) and block.type else str(block.kind)


def _reasoning(choice: Choice) -> str:
    if isinstance(choice.reasoning, str) and (line := one_line(choice.reasoning)):
        return line
    inline, content = choice.inline_reasoning, _content(choice)
    if inline is None or not isinstance(content, str):
        return ""
    return one_line(content[inline.start : inline.end])


def _blank(choice: Choice) -> str | None:
    content = _content(choice)
    if content is None:
        return "null"
    if not isinstance(content, str) or _text(choice):
        return None
    return _quoted_blank(content) if not content.strip() else None


def _quoted_blank(content: str) -> str:
    quoted = json_text(content[:BLANK_CHARACTERS])
    return quoted if len(quoted) <= BLANK_CHARACTERS else quoted[: BLANK_CHARACTERS - 1] + "…"


def _error_of(analysis: Analysis) -> str:
    sent = analysis.completion
    if isinstance(sent, list) and sent:
        sent = sent[0]
    if isinstance(sent, dict):
        error = sent.get("error") or (sent if analysis.object == "error" else None)
        if isinstance(error, str) and error.strip():
            return error
        if isinstance(error, dict):
            message = error.get("message")
            return message if isinstance(message, str) and message else error_message(error)
    return analysis.result_reason or analysis.verdict_reason


def _texts(value: Json) -> Iterator[str]:
    """Yield the texts among the parts of a normalised message, cut to what a line can hold."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            # White space in front could fill any piece that is cut off before it is collapsed.
            yield one_line(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield one_line(part["text"])
