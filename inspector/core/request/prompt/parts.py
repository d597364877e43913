"""Reads the parts of a message by their own signs: of which format the request is does not matter,
and a request that mixes formats is read all the same.

Sources: content parts of OpenAI's chat completions and Responses, content blocks of Anthropic and
Bedrock, parts of Gemini, messages of Ollama and Cohere.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.media.audio import BASE64, HEAD_CHARACTERS, decode_audio
from inspector.core.media.image_size import HEAD_BYTES, image_size
from inspector.core.media.part_media import (
    ADDRESS_NAMES,
    DATA_NAMES,
    TYPE_NAMES,
    PartMedia,
    decoded_length,
    media_of,
    signed_type,
)
from inspector.core.request.prompt.prompt import (
    PromptMedia,
    PromptMember,
    PromptPart,
    PromptPartKind,
    PromptText,
    as_text,
)
from inspector.core.request.prompt.request_fields import Path

MAX_PARTS = 200
"""Parts of one message, and inside one part."""
MAX_DEPTH = 4
"""Parts inside parts."""
TEXT_CHARACTERS = 20_000
"""Characters of one text; `length` tells how long it is."""
MEMBER_CHARACTERS = 2_000
"""Members beside the text are shown in a line each; they stand whole in the request."""
MAX_MEMBERS = 40
"""Further ones stand in the request itself."""
NAME_CHARACTERS = 200
"""Characters of a name of a tool, a call or a file: a longer one is a text."""

Kind = PromptPartKind
Members = Mapping[str, Json]

_TEXT_NAMES = ("text", "refusal", "thinking", "content", "summary", "data")
_NAMES = ("name", "tool_name", "toolName", "server_label", "filename", "document_name", "title")
_IDS = (
    "id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "tool_plan_id", "file_id",
)  # fmt: skip
_FILE_IDS = ("file_id", "id")
_ARGUMENTS = ("arguments", "input", "args", "parameters", "action", "code", "queries")
_RESULTS = ("content", "output", "response", "result", "outputs")
_TYPES: Mapping[str, Kind] = {
    "text": Kind.TEXT,
    "input_text": Kind.TEXT,
    "output_text": Kind.TEXT,
    "refusal": Kind.REFUSAL,
    "thinking": Kind.REASONING,
    "redacted_thinking": Kind.REASONING,
    "reasoning": Kind.REASONING,
    "reasoning_text": Kind.REASONING,
    "summary_text": Kind.REASONING,
    "image": Kind.IMAGE,
    "image_url": Kind.IMAGE,
    "input_image": Kind.IMAGE,
    "computer_screenshot": Kind.IMAGE,
    "audio": Kind.AUDIO,
    "input_audio": Kind.AUDIO,
    "audio_url": Kind.AUDIO,
    "video": Kind.VIDEO,
    "video_url": Kind.VIDEO,
    "input_video": Kind.VIDEO,
    "file": Kind.FILE,
    "input_file": Kind.FILE,
    "document": Kind.FILE,
    "document_url": Kind.FILE,
    "search_result": Kind.FILE,
    "container_upload": Kind.FILE,
    "tool_use": Kind.TOOL_CALL,
    "server_tool_use": Kind.TOOL_CALL,
    "mcp_tool_use": Kind.TOOL_CALL,
    "function": Kind.TOOL_CALL,
    "custom": Kind.TOOL_CALL,
    "tool_result": Kind.TOOL_RESULT,
}
_INSIDE: Mapping[str, Kind] = {
    "function": Kind.TOOL_CALL,
    "custom": Kind.TOOL_CALL,
    "toolUse": Kind.TOOL_CALL,
    "functionCall": Kind.TOOL_CALL,
    "function_call": Kind.TOOL_CALL,
    "executableCode": Kind.TOOL_CALL,
    "executable_code": Kind.TOOL_CALL,
    "toolResult": Kind.TOOL_RESULT,
    "functionResponse": Kind.TOOL_RESULT,
    "function_response": Kind.TOOL_RESULT,
    "codeExecutionResult": Kind.TOOL_RESULT,
    "code_execution_result": Kind.TOOL_RESULT,
    "reasoningContent": Kind.REASONING,
    "image": Kind.IMAGE,
    "audio": Kind.AUDIO,
    "video": Kind.VIDEO,
    "document": Kind.FILE,
    "inlineData": Kind.FILE,
    "inline_data": Kind.FILE,
    "fileData": Kind.FILE,
    "file_data": Kind.FILE,
    "guardContent": Kind.TEXT,
}
"""Members that hold the part, by which a part without a type shows its kind."""
_MEDIA = (Kind.IMAGE, Kind.AUDIO, Kind.VIDEO, Kind.FILE)
_HOLDERS = (
    "image_url", "input_audio", "source", "inlineData", "inline_data", "fileData", "file_data",
    "file", "image", "audio", "video", "document", "video_url", "audio_url", "s3Location",
)  # fmt: skip
"""Members that may hold data or the address of media."""


def read_parts(value: Json, path: Path, depth: int = 0) -> tuple[PromptPart, ...]:
    """Return the parts: a text is a list of one; null is none."""
    if value is None:
        return ()
    if not isinstance(value, list):
        return (read_part(value, path, depth),)
    return tuple(read_part(each, (*path, at), depth) for at, each in enumerate(value[:MAX_PARTS]))


def read_part(value: Json, path: Path, depth: int = 0) -> PromptPart:
    """Never raises; what shows no kind is ``UNKNOWN``, with its JSON."""
    pointer = pointer_to(path)
    if isinstance(value, str):
        return PromptPart(kind=Kind.TEXT, pointer=pointer, text=text_of(value))
    if not isinstance(value, dict):
        return PromptPart(kind=Kind.UNKNOWN, pointer=pointer, text=text_of(value))
    kind = kind_of(value)
    return _READERS.get(kind, _unknown)(value, path, depth)


def read_document(value: Json, path: Path) -> PromptPart:
    """Return a document of Cohere's list, which has no type: a text, or an object with ``data``."""
    if not isinstance(value, dict) or "data" not in value:
        return read_part(value, path)
    return msgspec.structs.replace(_media({**value, "type": "document"}, path, 0), type="")


def kind_of(value: Members) -> Kind:
    """Return the kind of a part, by its type, else by the member that it has."""
    sent = value.get("type")
    if isinstance(sent, str):
        if sent in _TYPES:
            return _TYPES[sent]
        if sent.endswith(("_call_output", "_tool_result", "_call_result")):
            return Kind.TOOL_RESULT
        return Kind.TOOL_CALL if sent.endswith("_call") else Kind.UNKNOWN
    inside = next((kind for name, kind in _INSIDE.items() if name in value), None)
    if inside is not None:
        return _kind_of_data(value) if inside is Kind.FILE else inside
    if isinstance(value.get("text"), str):
        return Kind.REASONING if value.get("thought") is True else Kind.TEXT
    return Kind.UNKNOWN


def text_of(value: Json, limit: int = TEXT_CHARACTERS) -> PromptText:
    text = as_text(value)
    return PromptText(text[:limit], len(text), not isinstance(value, str))


def members_beside(value: Members, *told: str) -> tuple[PromptMember, ...]:
    """Return the members that the part does not tell otherwise."""
    names = [name for name in value if name not in told]
    return tuple(
        PromptMember(name[:NAME_CHARACTERS], text_of(value[name], MEMBER_CHARACTERS))
        for name in names[:MAX_MEMBERS]
    )


def _kind_of_data(value: Members) -> Kind:
    """Return the kind of Gemini's data, by its media type."""
    if "document" in value:
        return Kind.FILE
    stated = media_of(value).stated_type.partition("/")[0]
    return {"image": Kind.IMAGE, "audio": Kind.AUDIO, "video": Kind.VIDEO}.get(stated, Kind.FILE)


def _word(value: Members, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the first of these members that is a text, with its name; both empty if none is."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found:
            return name, found[:NAME_CHARACTERS]
    return "", ""


def _type(value: Members) -> str:
    sent = value.get("type")
    return sent[:NAME_CHARACTERS] if isinstance(sent, str) else ""


def _unknown(value: Members, path: Path, depth: int) -> PromptPart:
    """JSON, of Bedrock's result the one inside ``json``."""
    if value.keys() == {"json"}:
        return PromptPart(
            kind=Kind.UNKNOWN, pointer=pointer_to((*path, "json")), text=text_of(value["json"])
        )
    return PromptPart(
        kind=Kind.UNKNOWN, type=_type(value), pointer=pointer_to(path), text=text_of(value)
    )


def _text(value: Members, path: Path, depth: int) -> PromptPart:
    """Return a text, or Bedrock's text inside ``guardContent``."""
    guarded = value.get("guardContent")
    inside = guarded.get("text") if isinstance(guarded, dict) else None
    if isinstance(inside, dict):
        return _text({**inside, "type": "guardContent"}, path, depth)
    return _written(value, path, Kind.TEXT)


def _refusal(value: Members, path: Path, depth: int) -> PromptPart:
    return _written(value, path, Kind.REFUSAL)


def _reasoning(value: Members, path: Path, depth: int) -> PromptPart:
    """Thinking of Anthropic and Gemini, Bedrock's ``reasoningContent``, items of Responses."""
    inside = value.get("reasoningContent")
    if isinstance(inside, dict):
        text = inside.get("reasoningText")
        return _reasoning(
            text if isinstance(text, dict) else inside, (*path, "reasoningContent"), 1
        )
    for name in ("content", "summary", "thinking"):
        if isinstance(value.get(name), list) and value[name]:
            parts = read_parts(value[name], (*path, name), depth + 1)
            extras = members_beside(value, "type", name, "id")
            return PromptPart(
                kind=Kind.REASONING, type=_type(value), pointer=pointer_to(path), parts=parts,
                id=_word(value, ("id",))[1], extras=extras,
            )  # fmt: skip
    return _written(value, path, Kind.REASONING)


def _written(value: Members, path: Path, kind: Kind) -> PromptPart:
    name, _ = _word(value, _TEXT_NAMES)
    name = name or next((each for each in _TEXT_NAMES if value.get(each) == ""), "")
    return PromptPart(
        kind=kind,
        type=_type(value),
        pointer=pointer_to(path),
        text=text_of(value[name]) if name else None,
        extras=members_beside(value, "type", name),
    )


def _media(value: Members, path: Path, depth: int) -> PromptPart:
    kind = kind_of(value)
    held = tuple(_held(value))
    texts = _texts_of_document(value, path, depth) if kind is Kind.FILE else ()
    return PromptPart(
        kind=kind,
        type=_type(value),
        pointer=pointer_to(path),
        name=next((_word(each, _NAMES)[1] for each in held if _word(each, _NAMES)[1]), ""),
        id=next((_word(each, _FILE_IDS)[1] for each in held if _word(each, _FILE_IDS)[1]), ""),
        media=None if texts else prompt_media(media_of(value), kind),
        parts=texts,
        extras=tuple(member for each in held for member in _beside_media(each, bool(texts))),
    )


def _held(value: Members) -> Iterator[Members]:
    """Yield the part, and the objects in it that hold its data."""
    yield value
    for name in _HOLDERS:
        if isinstance(value.get(name), dict):
            yield from _held(value[name])


def _beside_media(value: Members, has_texts: bool) -> tuple[PromptMember, ...]:
    told = {"type", *_NAMES, *_FILE_IDS, *TYPE_NAMES, *DATA_NAMES, *ADDRESS_NAMES}
    told |= {name for name in _HOLDERS if isinstance(value.get(name), dict)}
    return members_beside(value, *told, *(("content", "text") if has_texts else ()))


def _texts_of_document(value: Members, path: Path, depth: int) -> tuple[PromptPart, ...]:
    """Return the texts of a document that is no file (Anthropic's, Bedrock's and Cohere's)."""
    for at in (("source",), ("document", "source"), ("document",), ()):
        held, name = _at(value, at), ""
        if not isinstance(held, dict):
            continue
        if at and held.get("type") == "text" and isinstance(held.get("data"), str):
            name = "data"
        elif isinstance(held.get("text"), str):
            name = "text"
        elif isinstance(held.get("content"), str | list):
            name = "content"
        elif isinstance(held.get("data"), dict) or (
            at == ("document",) and isinstance(held.get("data"), str)
        ):
            name = "data"
        if name and depth < MAX_DEPTH:
            return read_parts(held[name], (*path, *at, name), depth + 1)
    return ()


def prompt_media(media: PartMedia, kind: Kind) -> PromptMedia:
    is_base64 = BASE64.fullmatch(media.data[:HEAD_CHARACTERS]) is not None
    length = decoded_length(media.data, len(media.data)) if media.data and is_base64 else None
    stated = media.stated_type[:NAME_CHARACTERS]
    return PromptMedia(
        media_type=stated or (signed_type(media.data) if kind is Kind.IMAGE else ""),
        byte_length=length,
        pixels=_pixels(media.data) if kind is Kind.IMAGE and is_base64 else None,
        address=media.address[:MEMBER_CHARACTERS],
    )


def _pixels(data: str) -> tuple[int, int] | None:
    head = decode_audio(data[: HEAD_BYTES * 4 // 3])
    return image_size(head) if head else None


def _call(value: Members, path: Path, depth: int) -> PromptPart:
    holder, inner = _holder(value, Kind.TOOL_CALL)
    called = value[holder] if holder else value
    name = next((each for each in _ARGUMENTS if each in called), "")
    told = {"type", holder, "id", "call_id", "toolUseId"}
    return PromptPart(
        kind=Kind.TOOL_CALL,
        type=_type(value) or inner,
        pointer=pointer_to(path),
        name=_word(called, _NAMES)[1],
        id=_word(value, ("call_id", *_IDS))[1] or _word(called, _IDS)[1],
        text=text_of(called[name]) if name else None,
        extras=(
            *members_beside(value, *told, *(() if holder else ("name", name))),
            *(members_beside(called, "name", name, "id", "toolUseId") if holder else ()),
        ),
    )


def _result(value: Members, path: Path, depth: int) -> PromptPart:
    holder, inner = _holder(value, Kind.TOOL_RESULT)
    found, at = (value[holder], (*path, holder)) if holder else (value, path)
    name = next((each for each in _RESULTS if each in found), "")
    told = ("type", name, "name", "is_error", *_IDS)
    is_error = found.get("is_error") is True or found.get("status") == "error"
    return PromptPart(
        kind=Kind.TOOL_RESULT,
        type=_type(value) or inner,
        pointer=pointer_to(path),
        name=_word(found, ("name", "tool_name"))[1],
        id=_word(found, ("call_id", *(each for each in _IDS if each != "id"), "id"))[1],
        is_error=is_error,
        parts=_results(found[name], (*at, name), depth) if name else (),
        extras=(*members_beside(found, *told), *(members_beside(value, holder) if holder else ())),
    )


def _results(value: Json, path: Path, depth: int) -> tuple[PromptPart, ...]:
    is_parts = (
        isinstance(value, str)
        or (isinstance(value, list) and all(isinstance(each, str | dict) for each in value))
        or (isinstance(value, dict) and kind_of(value) is not Kind.UNKNOWN)
    )
    if is_parts and depth < MAX_DEPTH:
        return read_parts(value, path, depth + 1)
    return (PromptPart(kind=Kind.UNKNOWN, pointer=pointer_to(path), text=text_of(value)),)


def _holder(value: Members, kind: Kind) -> tuple[str, str]:
    """Return the member that holds a call or result, and its type's word; "" for the part."""
    held = (
        name for name, its in _INSIDE.items() if its is kind and isinstance(value.get(name), dict)
    )
    name = next(held, "")
    return name, name


def _at(value: Json, path: tuple[str, ...]) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


_READERS: Mapping[Kind, Callable[[Members, Path, int], PromptPart]] = {
    Kind.TEXT: _text,
    Kind.REASONING: _reasoning,
    Kind.REFUSAL: _refusal,
    Kind.TOOL_CALL: _call,
    Kind.TOOL_RESULT: _result,
    **dict.fromkeys(_MEDIA, _media),
}
