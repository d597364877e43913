"""Reads the messages of a request: parts in their order, and what stands beside them."""

from collections.abc import Iterator, Mapping

from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.media.part_media import PartMedia, media_of
from inspector.core.request.prompt.parts import (
    MAX_PARTS,
    NAME_CHARACTERS,
    members_beside,
    prompt_media,
    read_document,
    read_part,
    read_parts,
    text_of,
)
from inspector.core.request.prompt.prompt import PromptMessage, PromptPart, PromptPartKind
from inspector.core.request.prompt.request_fields import (
    HOLD_TEXTS,
    PLAIN,
    Path,
    PlacedMessage,
    is_given,
    is_message,
    messages_in,
)

Kind = PromptPartKind

_REASONING = ("reasoning_content", "reasoning", "thinking", "tool_plan")
_CALLS = ("tool_calls", "function_call")
_OF_RESULTS = ("tool_call_id", "tool_name")
_RESULT_ROLES = ("tool", "function")
_TOLD = ("role", "type", "name", "images", "refusal", "audio")


def placed_messages(body: Mapping[str, Json]) -> Iterator[PlacedMessage]:
    """Yield instructions and messages, with texts to complete in their place."""
    messages = messages_in(body)
    pending = next(messages, None)
    while pending is not None and pending.is_instruction:
        yield pending
        pending = next(messages, None)
    for name in PLAIN:
        if is_given(body.get(name)) and not (name == "images" and "prompt" in body):
            yield from _plain(name, body[name])
    while pending is not None:
        yield pending
        pending = next(messages, None)


def _plain(name: str, value: Json) -> Iterator[PlacedMessage]:
    """Several prompts of a legacy completion are several messages; a prompt of tokens is one."""
    if name in ("prompt", "inputs") and isinstance(value, list) and _are_prompts(value):
        for at, each in enumerate(value):
            yield PlacedMessage(each, (name, at), is_instruction=True)
    else:
        yield PlacedMessage(value, (name,), is_instruction=True)


def _are_prompts(value: list[Json]) -> bool:
    return isinstance(value[0], str | list)


def read_message(number: int, placed: PlacedMessage, body: Mapping[str, Json]) -> PromptMessage:
    value, path = placed.value, placed.path
    field = str(path[0])
    if placed.is_instruction or not isinstance(value, dict):
        return PromptMessage(
            number=number,
            field=field,
            pointer=pointer_to(path),
            parts=_of_field(field, value, path, body),
            parts_left_out=_left_out(value),
        )
    if not is_message(value):
        return PromptMessage(
            number=number,
            role=_word(value, "role"),
            field=field,
            type=_word(value, "type"),
            pointer=pointer_to(path),
            parts=(read_part(value, path),),
        )
    return _message(number, value, path)


def _of_field(
    field: str, value: Json, path: Path, body: Mapping[str, Json]
) -> tuple[PromptPart, ...]:
    if field == "images":
        return _images(value, path)
    if field == "documents" and isinstance(value, list):
        documents = enumerate(value[:MAX_PARTS])
        return tuple(read_document(each, (*path, at)) for at, each in documents)
    if isinstance(value, list) and value and all(isinstance(each, int) for each in value):
        return (PromptPart(kind=Kind.UNKNOWN, pointer=pointer_to(path), text=text_of(value)),)
    parts = read_parts(value, path)
    return (*parts, *_images(body.get("images"), ("images",))) if field == "prompt" else parts


def _message(number: int, value: Mapping[str, Json], path: Path) -> PromptMessage:
    holder = next((name for name in HOLD_TEXTS if name in value), "")
    reasoning = next((name for name in _REASONING if isinstance(value.get(name), str)), "")
    of_result = _OF_RESULTS if value.get("role") in _RESULT_ROLES else ()
    told = (*_TOLD, holder, reasoning, *_CALLS, *of_result)
    if not isinstance(value.get("role", ""), str):
        told = tuple(name for name in told if name != "role")
    return PromptMessage(
        number=number,
        role=_word(value, "role"),
        field=str(path[0]),
        type="",
        name=_word(value, "name"),
        pointer=pointer_to(path),
        parts=tuple(_parts(value, path, holder, reasoning)),
        parts_left_out=_left_out(value.get(holder)),
        extras=members_beside(value, *told),
    )


def _parts(
    value: Mapping[str, Json], path: Path, holder: str, reasoning: str
) -> Iterator[PromptPart]:
    if reasoning and value[reasoning]:
        yield PromptPart(
            kind=Kind.REASONING, type=reasoning, pointer=pointer_to((*path, reasoning)),
            text=text_of(value[reasoning]),
        )  # fmt: skip
    parts = read_parts(value.get(holder), (*path, holder)) if holder else ()
    is_result = value.get("role") in _RESULT_ROLES
    if is_result and not any(part.kind is Kind.TOOL_RESULT for part in parts):
        yield PromptPart(
            kind=Kind.TOOL_RESULT, pointer=pointer_to((*path, holder)), parts=parts,
            name=_word(value, "tool_name") or _word(value, "name"),
            id=_word(value, "tool_call_id"),
        )  # fmt: skip
    else:
        yield from parts
    if isinstance(value.get("refusal"), str):
        at = pointer_to((*path, "refusal"))
        yield PromptPart(kind=Kind.REFUSAL, pointer=at, text=text_of(value["refusal"]))
    if isinstance(value.get("audio"), dict):
        yield _spoken(value["audio"], (*path, "audio"))
    yield from _images(value.get("images"), (*path, "images"))
    for name in _CALLS:
        if is_given(value.get(name)):
            yield from _calls(value[name], (*path, name))


def _calls(value: Json, path: Path) -> tuple[PromptPart, ...]:
    """Call of a list; the deprecated ``function_call`` is one without an object around it."""
    if not isinstance(value, dict):
        return read_parts(value, path)
    part = read_part({"type": "function_call", **value}, path)
    return (part,)


def _spoken(value: Mapping[str, Json], path: Path) -> PromptPart:
    """Return an earlier answer that was spoken: its id, or its data."""
    return PromptPart(
        kind=Kind.AUDIO, pointer=pointer_to(path), id=_word(value, "id"),
        media=prompt_media(media_of(value), Kind.AUDIO),
    )  # fmt: skip


def _images(value: Json, path: Path) -> tuple[PromptPart, ...]:
    """Ollama's images: base64 alone."""
    sent = value if isinstance(value, list) else []
    return tuple(
        PromptPart(
            kind=Kind.IMAGE, pointer=pointer_to((*path, at)),
            media=prompt_media(PartMedia("", data=each), Kind.IMAGE),
        )
        for at, each in enumerate(sent[:MAX_PARTS])
        if isinstance(each, str)
    )  # fmt: skip


def _left_out(value: Json) -> int:
    is_tokens = isinstance(value, list) and value and isinstance(value[0], int)
    return max(len(value) - MAX_PARTS, 0) if isinstance(value, list) and not is_tokens else 0


def _word(value: Mapping[str, Json], name: str) -> str:
    found = value.get(name)
    return found[:NAME_CHARACTERS] if isinstance(found, str) else ""
