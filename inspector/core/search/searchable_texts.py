"""The texts that an exchange is found by: asked, answered, called, errors and names. Bounded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum

import msgspec

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import BlockKind, Choice, known
from inspector.core.json import Json
from inspector.core.request.prompt.request_fields import INSTRUCTIONS, MESSAGES, PLAIN
from inspector.core.request.prompt_digest import MAX_PROMPT_BYTES
from inspector.core.request.request_params import parse_request_body
from inspector.core.wire.exchange import Request

TEXT_CHARACTERS = 65_536
"""Characters of a text; of a longer one the beginning is found."""
KIND_CHARACTERS = 400_000
"""Characters of all texts of one kind together."""
KIND_TEXTS = 1_000
"""A long conversation has some hundred; the first ones are found."""
DEPTH = 32
"""Levels of arguments and other values, whose texts are looked for at each."""

_PROMPT_FIELDS = (
    *INSTRUCTIONS,
    *(name for name in PLAIN if name not in ("images", "context")),
    *MESSAGES,
)
_NO_TEXTS = frozenset({
    "role", "type", "id", "tool_call_id", "tool_use_id", "call_id", "toolUseId", "status", "detail",
    "cache_control", "data", "bytes", "url", "image_url", "file_data", "file_id", "fileData",
    "inlineData", "inline_data", "input_audio", "images", "media_type", "mime_type", "mimeType",
    "format", "signature", "thoughtSignature", "encrypted_content",
})  # fmt: skip
"""Members of messages and parts that hold ids, links and data."""
_TOLD_BY_REASON = (Verdict.UPSTREAM_ERROR, Verdict.NOT_A_RESPONSE)


class TextKind(StrEnum):
    """The part that a text plays in the exchange."""

    ANSWER = "answer"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    TOOL_NAME = "tool-name"
    TOOL_ARGUMENTS = "tool-arguments"
    ERROR = "error"
    PROMPT = "prompt"
    NOTE = "note"
    """Note that a person wrote beside the capture."""
    LABEL = "label"
    """The model, the requested model, the provider's id of the response."""


TextsByKind = Mapping[TextKind, tuple[str, ...]]


def searchable_texts(
    request: Request | None, analysis: Analysis
) -> dict[TextKind, tuple[str, ...]]:
    """Return the texts of each kind that has any, all but notes. Never raises."""
    body = _body(request)
    every = {
        TextKind.ANSWER: _of_choices(analysis.choices, _answers),
        TextKind.REASONING: _of_choices(analysis.choices, lambda choice: (choice.reasoning,)),
        TextKind.REFUSAL: _of_choices(analysis.choices, lambda choice: (choice.refusal,)),
        TextKind.TOOL_NAME: _of_choices(analysis.choices, _tool_names),
        TextKind.TOOL_ARGUMENTS: _of_choices(analysis.choices, _tool_arguments),
        TextKind.ERROR: _errors(analysis),
        TextKind.PROMPT: _prompt(body),
        TextKind.LABEL: _labels(body, analysis),
    }
    found = {kind: bounded(texts) for kind, texts in every.items()}
    return {kind: texts for kind, texts in found.items() if texts}


def bounded(texts: Iterable[Json]) -> tuple[str, ...]:
    """Return the texts among the values, no more and no longer ones than are searched."""
    found, left = [], KIND_CHARACTERS
    for text in texts:
        if not isinstance(text, str) or not text:
            continue
        found.append(_storable(text[: min(left, TEXT_CHARACTERS)]))
        left -= len(found[-1])
        if left <= 0 or len(found) >= KIND_TEXTS:
            break
    return tuple(found)


def _storable(text: str) -> str:
    """Halves of surrogate pairs, which have no UTF-8, become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _of_choices(
    choices: Iterable[Choice], of_one: Callable[[Choice], Iterable[Json]]
) -> Iterator[Json]:
    for choice in choices:
        yield from of_one(choice)


def _answers(choice: Choice) -> Iterator[Json]:
    yield from (text for text in (choice.content, choice.text) if known(text))


def _tool_names(choice: Choice) -> Iterator[Json]:
    yield from (call.name for call in choice.tool_calls)
    if choice.function_call is not None:
        yield choice.function_call.name


def _tool_arguments(choice: Choice) -> Iterator[Json]:
    yield from (call.arguments_text for call in choice.tool_calls)
    if choice.function_call is not None:
        yield choice.function_call.arguments_text
    for block in choice.blocks:
        if block.kind is BlockKind.HOSTED:
            yield from _strings(block.value)


def _errors(analysis: Analysis) -> Iterator[Json]:
    if analysis.verdict in _TOLD_BY_REASON:
        yield analysis.verdict_reason
    if isinstance(analysis.completion, dict):
        is_error = analysis.object == "error"
        yield from _strings(analysis.completion if is_error else analysis.completion.get("error"))


def _labels(body: Mapping[str, Json], analysis: Analysis) -> Iterator[Json]:
    yield from dict.fromkeys(
        each
        for each in (analysis.model, body.get("model"), analysis.identity.id)
        if isinstance(each, str)
    )


def _prompt(body: Mapping[str, Json]) -> Iterator[str]:
    for name in _PROMPT_FIELDS:
        if name in body:
            yield from _strings(body[name])


def _strings(value: Json, depth: int = DEPTH) -> Iterator[str]:
    if isinstance(value, str):
        if not (value.startswith("data:") and ";base64," in value[:200]):
            yield value
    elif depth and isinstance(value, list):
        for item in value:
            yield from _strings(item, depth - 1)
    elif depth and isinstance(value, dict):
        for name, item in value.items():
            if name not in _NO_TEXTS:
                yield from _strings(item, depth - 1)


def _body(request: Request | None) -> Mapping[str, Json]:
    data = (request.body if request else None) or b""
    if len(data) > MAX_PROMPT_BYTES:
        return {}
    try:
        body = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        # It is stricter than providers: halves of surrogate pairs, and numbers of any length.
        body = parse_request_body(request)
    return body if isinstance(body, dict) else {}
