"""The outline of a prompt: each tool, instruction and message as a digest and a size, in the order
in which providers put a prompt together. Two prompts are compared by their outlines, without either
text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from zlib import crc32

import msgspec

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.request.prompt.parts import kind_of
from inspector.core.request.prompt.prompt import PromptPartKind
from inspector.core.request.prompt.request_fields import (
    CONTINUED,
    HOLD_TEXTS,
    INSTRUCTIONS,
    MESSAGES,
    PLAIN,
    TOOLS,
    PlacedMessage,
    messages_in,
)
from inspector.core.request.prompt_digest import normalised_message, prompt_body
from inspector.core.tool_calls.tool_definitions import offered_tools
from inspector.core.wire.exchange import Request

DIGEST_BYTES = 8
"""Bytes of SHA-256. Two prompts are equal by chance from some billions of a team on."""
MAX_ITEMS = 4_096
"""Further ones are one item."""
BLOCK_BYTES = 1_024
"""A long item is compared block by block, to tell where in it a prompt departs."""
BLOCK_WIDTH = 4
"""Bytes of the checksum of a block."""
MAX_BLOCKS = 1_024
"""So the first mebibyte of an item; behind it the place of a change is not told."""
MAX_LARGEST = 10
"""Parts that the page names as the prompt's largest."""
MAX_RESULTS = 2_000
"""The last ones: a session asks which earlier calls a request answers."""
NAME_CHARACTERS = 200
"""Names come from the sender: tools, roles, parameters."""
VALUE_CHARACTERS = 40
"""Characters of a value; of a longer one a digest is kept: it tells that it changed, not how."""

Kind = PromptPartKind

_SYSTEM_ROLES = ("system", "developer")
_ANSWER_ROLES = ("assistant", "model", "chatbot")
_RESULT_ROLES = ("tool", "function")
_RESULT_IDS = ("tool_call_id", "tool_use_id", "call_id", "toolUseId", "id")
_MEDIA = (Kind.IMAGE, Kind.AUDIO, Kind.VIDEO, Kind.FILE)
_MARKS = ("cache_control", "cachePoint", "prompt_cache_breakpoint")
_HOUR = "1h"
_NO_PARAMETERS = {
    *INSTRUCTIONS, *PLAIN, *CONTINUED, *MESSAGES, *TOOLS, "toolConfig", "metadata", "user",
}  # fmt: skip


class Section(StrEnum):
    """Sections of a prompt. Providers read tools first, then the system prompt, then the rest."""

    TOOLS = "tools"
    SYSTEM = "system"
    HISTORY = "history"
    RESULTS = "results"
    """Results of tools."""
    MEDIA = "media"


class Size(msgspec.Struct, frozen=True, array_like=True):
    """``bytes`` of JSON in UTF-8, without spaces; ``characters`` of the texts in it."""

    bytes: int = 0
    characters: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.bytes + other.bytes, self.characters + other.characters)


class OutlineItem(msgspec.Struct, frozen=True, array_like=True):
    """One tool, instruction or message. ``pointer`` leads to it in the body of the request."""

    section: Section
    """That of most of it."""
    role: str
    kind: str
    """A code of ``PromptPartKind``; of a tool empty."""
    name: str
    """Name of a tool, a call of one or its result."""
    size: Size
    pointer: str
    blocks: bytes = b""
    """CRC-32 of each whole block of a long item."""

    @property
    def is_answer(self) -> bool:
        """A model wrote it."""
        return self.role in _ANSWER_ROLES


class LargePart(msgspec.Struct, frozen=True, array_like=True):
    """A part that takes much of a prompt; ``id`` is that of the call whose result it is."""

    section: Section
    kind: str
    name: str
    id: str
    size: Size
    pointer: str


class CacheMarks(msgspec.Struct, frozen=True, array_like=True):
    """Statements of a request on caching. ``lasts_an_hour``: a mark asks for that; ``key`` (a
    digest of it) and ``retention`` are OpenAI's parameters, empty where they are not sent.
    """

    marks: int = 0
    lasts_an_hour: bool = False
    key: str = ""
    retention: str = ""


class PromptOutline(msgspec.Struct, frozen=True, array_like=True):
    """``digests`` are those of the items, 8 bytes each, in order: tools, then the rest as sent."""

    items: tuple[OutlineItem, ...]
    digests: bytes
    sizes: Mapping[Section, Size]
    largest: tuple[LargePart, ...] = ()
    results: tuple[str, ...] = ()
    """Ids of the calls whose results stand behind the last answer."""
    parameters: Mapping[str, str] = {}
    """Names and short values; longer ones as a digest."""
    marks: CacheMarks = CacheMarks()
    previous_response: str = ""
    """The response that this request goes on with, where it names one."""

    @property
    def byte_length(self) -> int:
        return sum(size.bytes for size in self.sizes.values())

    @property
    def head(self) -> int:
        """How many items stand before the first message that is no instruction."""
        before = (Section.TOOLS, Section.SYSTEM)
        found = (at for at, each in enumerate(self.items) if each.section not in before)
        return next(found, len(self.items))

    @property
    def conversation(self) -> bytes:
        """The digests of the messages, without tools and instructions before them."""
        return self.digests[self.head * DIGEST_BYTES :]


def outline_of(request: Request | None) -> PromptOutline | None:
    """None where there is no prompt to read, as with ``prompt_digest.prompt_sha256``. Never
    raises. Linear in the length of the body.
    """
    body = prompt_body(request)
    if body is None:
        return None
    found = _Outliner()
    found.add_all(body)
    return found.outline(body) if found.has_prompt else None


def chain_of(conversation: bytes) -> int | None:
    """Return a number that equal conversations share as far as they go; None of none."""
    if not conversation:
        return None
    return int.from_bytes(sha256(conversation).digest()[:DIGEST_BYTES], signed=True)


def before_the_answer(outline: PromptOutline) -> bytes:
    """Return the conversation up to the model's last answer; empty where it has not answered."""
    items = outline.items[outline.head :]
    end = len(items)
    while end and not items[end - 1].is_answer:
        end -= 1
    while end and items[end - 1].is_answer:
        end -= 1
    return outline.conversation[: end * DIGEST_BYTES]


class _Outliner:
    def __init__(self) -> None:
        self.items: list[OutlineItem] = []
        self.digests: list[bytes] = []
        self.sizes = dict.fromkeys(Section, Size())
        self.parts: list[LargePart] = []
        self.results: list[str] = []
        self.names: dict[str, str] = {}
        """Names of the tools that were called, by the ids of the calls."""
        self.has_prompt = False

    def add_all(self, body: Mapping[str, Json]) -> None:
        for at, tool in enumerate(offered_tools(body)):
            self._add_tool(tool, at)
        for placed in messages_in(body):
            self.has_prompt = True
            self._add_message(placed)
        for name in PLAIN:
            if body.get(name):
                self.has_prompt = True
                self._add_message(PlacedMessage(body[name], (name,)))

    def outline(self, body: Mapping[str, Json]) -> PromptOutline:
        largest = sorted(self.parts, key=lambda each: -each.size.bytes)[:MAX_LARGEST]
        previous = body.get("previous_response_id")
        return PromptOutline(
            items=tuple(self.items),
            digests=b"".join(self.digests),
            sizes={section: size for section, size in self.sizes.items() if size.bytes},
            largest=tuple(largest),
            results=tuple(dict.fromkeys(self.results[-MAX_RESULTS:])),
            parameters=dict(_parameters(body)),
            marks=_cache_marks(body),
            previous_response=storable(previous) if isinstance(previous, str) else "",
        )

    def _add_tool(self, tool: Json, at: int) -> None:
        value = {k: v for k, v in tool.items() if k not in _MARKS} if _is_object(tool) else tool
        if value == {}:
            return
        name = _tool_name(value)
        size = size_of(value)
        self._add(OutlineItem(Section.TOOLS, "", "", name, size, f"/tools/{at}"), value)
        self._count(Section.TOOLS, size, "", name, "", f"/tools/{at}")

    def _add_message(self, placed: PlacedMessage) -> None:
        value = normalised_message(placed)
        pointer, whole = pointer_to(placed.path), size_of(value)
        role = _role(placed)
        if role in _ANSWER_ROLES:
            self.results.clear()
        parts = [self._named(each) for each in _parts(placed, role)]
        section, kind, name = _most(parts, role)
        self._add(OutlineItem(section, role, kind, name, whole, pointer), value)
        inside = Size()
        for each in parts:
            inside += each.size
            self._count(each.section, each.size, each.kind, each.name, each.id, each.pointer)
            if each.section is Section.RESULTS and each.id:
                self.results.append(each.id)
        # What is around the parts: roles, names, brackets.
        self.sizes[section] += Size(max(whole.bytes - inside.bytes, 0))

    def _named(self, part: LargePart) -> LargePart:
        """Give each result the name of the call that it answers."""
        if not part.id:
            return part
        return msgspec.structs.replace(part, name=self.names.setdefault(part.id, part.name))

    def _count(
        self, section: Section, size: Size, kind: str, name: str, call: str, pointer: str
    ) -> None:
        self.sizes[section] += size
        self.parts.append(LargePart(section, kind, name, call, size, pointer))

    def _add(self, item: OutlineItem, value: Json) -> None:
        encoded = encoded_json(value)
        digest = sha256(encoded).digest()[:DIGEST_BYTES]
        if len(self.items) < MAX_ITEMS:
            self.items.append(msgspec.structs.replace(item, blocks=_blocks(encoded)))
            self.digests.append(digest)
            return
        last = self.items[-1]
        self.items[-1] = msgspec.structs.replace(last, size=last.size + item.size, blocks=b"")
        self.digests[-1] = sha256(self.digests[-1] + digest).digest()[:DIGEST_BYTES]


def encoded_json(value: Json) -> bytes:
    try:
        return msgspec.json.encode(value, order="sorted")
    except (UnicodeEncodeError, OverflowError, RecursionError, msgspec.MsgspecError):
        # A lone surrogate, or a number of more than 64 bits.
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def storable(text: str) -> str:
    """Replace what cannot be stored: a lone surrogate has no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def size_of(value: Json) -> Size:
    return Size(len(encoded_json(value)), _characters(value))


def _characters(value: Json) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else 0


def _blocks(encoded: bytes) -> bytes:
    if len(encoded) <= 2 * BLOCK_BYTES:
        return b""
    whole = min(len(encoded) // BLOCK_BYTES, MAX_BLOCKS)
    starts = range(0, whole * BLOCK_BYTES, BLOCK_BYTES)
    return b"".join(crc32(encoded[at : at + BLOCK_BYTES]).to_bytes(BLOCK_WIDTH) for at in starts)


# -- the parts of a message ------------------------------------------------------------------------


def _parts(placed: PlacedMessage, role: str) -> Iterator[LargePart]:
    """Texts, calls, results and media of a message, each with its section."""
    value, path = placed.value, placed.path
    holder = next((name for name in HOLD_TEXTS if _is_object(value) and name in value), None)
    if holder is None:
        held = value if isinstance(value, list) and placed.is_instruction else [value]
        yield from (_part(each, role, pointer_to((*path, at))) for at, each in enumerate(held))
        return
    held = value[holder]
    if role in _RESULT_ROLES and not _has_results(held):
        kind, name, call = Kind.TOOL_RESULT, _word(value, "name", "tool_name"), _call_id(value)
        at = pointer_to((*path, holder))
        yield LargePart(Section.RESULTS, kind, name, call, size_of(held), at)
    elif isinstance(held, list):
        for number, each in enumerate(held):
            yield _part(each, role, pointer_to((*path, holder, number)))
    elif held is not None:
        yield _part(held, role, pointer_to((*path, holder)))
    for number, each in enumerate(list_or_empty(value.get("tool_calls"))):
        yield _part(each, role, pointer_to((*path, "tool_calls", number)), Kind.TOOL_CALL)


def _part(value: Json, role: str, pointer: str, kind: Kind | None = None) -> LargePart:
    if kind is None or not _is_object(value):
        kind = kind_of(value) if _is_object(value) else Kind.TEXT
    name, call = "", ""
    if kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        held = _inside(value)
        name, call = _tool_name(value) or _word(held, "name"), _call_id(held) or _call_id(value)
    return LargePart(_section(kind, role), kind, name, call, size_of(value), pointer)


def _section(kind: Kind, role: str) -> Section:
    if kind is Kind.TOOL_RESULT:
        return Section.RESULTS
    if kind in _MEDIA:
        return Section.MEDIA
    return Section.SYSTEM if role in _SYSTEM_ROLES else Section.HISTORY


def _most(parts: Sequence[LargePart], role: str) -> tuple[Section, str, str]:
    if role in _SYSTEM_ROLES or not parts:
        return (Section.SYSTEM if role in _SYSTEM_ROLES else Section.HISTORY), Kind.TEXT, ""
    most = max(parts, key=lambda each: each.size.bytes)
    return most.section, most.kind, next((each.name for each in parts if each.name), "")


def _role(placed: PlacedMessage) -> str:
    """Return the role of an item that is no message, by what it is: a call is the model's."""
    value = placed.value
    if placed.is_instruction:
        return "system"
    if not _is_object(value):
        return "user"
    role = value.get("role")
    if isinstance(role, str):
        return storable(role.lower()[:NAME_CHARACTERS])
    kind = kind_of(value)
    if kind is Kind.TOOL_RESULT:
        return "tool"
    return "assistant" if kind in (Kind.TOOL_CALL, Kind.REASONING) else "user"


def _has_results(held: Json) -> bool:
    return any(_is_object(it) and kind_of(it) is Kind.TOOL_RESULT for it in list_or_empty(held))


def _inside(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the member that holds a part, of Bedrock and Gemini."""
    names = ("toolUse", "toolResult", "functionCall", "functionResponse", "function")
    held = next((value[name] for name in names if _is_object(value.get(name))), None)
    return held or value


def _tool_name(value: Json) -> str:
    if not _is_object(value):
        return ""
    inner = value.get("function", value.get("toolSpec"))
    return _word(value, "name") or (_word(inner, "name") if _is_object(inner) else "")


def _call_id(value: Mapping[str, Json]) -> str:
    return _word(value, *_RESULT_IDS)


def _word(value: Mapping[str, Json], *names: str) -> str:
    found = (value.get(name) for name in names)
    word = next((each for each in found if isinstance(each, str) and each), "")
    return storable(word[:NAME_CHARACTERS])


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


# -- what stands beside the prompt -----------------------------------------------------------------


def _parameters(body: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for name in sorted(body.keys() - _NO_PARAMETERS):
        encoded = encoded_json(body[name])
        short = encoded.decode("utf-8", "replace")
        told = short if len(short) <= VALUE_CHARACTERS else _short_digest(encoded)
        yield storable(name[:NAME_CHARACTERS]), told


def _short_digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16] if data else ""


def _cache_marks(body: Mapping[str, Json]) -> CacheMarks:
    marks = list(_marks(body))
    return CacheMarks(
        marks=len(marks),
        lasts_an_hour=any(_is_object(each) and each.get("ttl") == _HOUR for each in marks),
        key=_short_digest(_word(body, "prompt_cache_key").encode()),
        retention=_word(body, "prompt_cache_retention"),
    )


def _marks(value: Json, depth: int = 0) -> Iterator[Json]:
    """Yield the marks up to which a provider caches, wherever they stand."""
    if depth > 8:
        return
    if isinstance(value, list):
        for each in value:
            yield from _marks(each, depth + 1)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in _MARKS and each:
                yield each
            elif isinstance(each, list | dict):
                yield from _marks(each, depth + 1)
