"""A part of a message that is more than a text: what the provider ran, and parts not known."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import Block, BlockKind, known
from inspector.core.json import Json
from inspector.core.media.part_media import signed_type
from inspector.dashboard.text.folded_text import HEAD_CHARACTERS, FoldedText, TextFolder
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import (
    TextSegment,
    exact_segments,
    spell_out_invisible,
)
from inspector.formatting.lanes import type_words
from inspector.formatting.wire_values import json_text, wire_word

SHORT = 80
"""A value of no more characters stands beside the name of the part."""
MAX_INDENTED = 200_000
"""Characters of JSON that are spread over lines; more stay on one, which takes far less time."""
LONGEST_NAME = 200
"""A heading of one line; names of tools and servers come from the wire."""
OPAQUE = re.compile(r"[A-Za-z0-9+/=_-]{100,}")
"""A signature, or something encrypted: nobody reads more of it than its first characters."""
OPAQUE_HEAD = 40
STATUS_NAMES = ("status", "outcome")
FAILURES = ("failed", "error", "incomplete", "cancelled", "canceled")
SENT_OR_GIVEN = frozenset({
    "input", "arguments", "code", "query", "queries", "action", "operation", "args",
    "output", "outputs", "result", "results", "content", "error", "stdout", "stderr", "response",
})  # fmt: skip
"""Members that are what a call was given or gave: each stands in a line of its own."""
KIND_WORDS = {
    BlockKind.HOSTED: "run by the provider",
    BlockKind.TOOL_CALL: "for the client to run",
    BlockKind.UNKNOWN: "unknown part",
}


@dataclass(frozen=True, slots=True)
class PartMember:
    """A member of the part under its own name; the name is empty for a part that is no object."""

    name: tuple[TextSegment, ...]
    value: FoldedText


@dataclass(frozen=True, slots=True)
class PartDisplay:
    title: tuple[TextSegment, ...]
    """Name of the tool, or the type in words."""
    type_words: str
    """Type in words if the title is a name; empty otherwise."""
    kind_words: str
    status: str
    is_failed: bool
    facts: tuple[PartMember, ...]
    """Short values."""
    members: tuple[PartMember, ...]


def part_display(block: Block, folder: TextFolder) -> PartDisplay:
    fields = fields_of(block)
    name = fields.get("name")
    title = name if isinstance(name, str) and name else type_words(block)
    status = next((wire_word(fields[each]) for each in STATUS_NAMES if each in fields), "")
    members = list(members_of(block, fields))
    return PartDisplay(
        title=exact_segments(title[:LONGEST_NAME]),
        type_words=named_type(block) if title is name else "",
        kind_words=KIND_WORDS.get(block.kind, ""),
        status=spell_out_invisible(status[:LONGEST_NAME]),
        is_failed=is_failed(fields),
        facts=tuple(
            part_member(name, value, folder) for name, value in members if is_fact(name, value)
        ),
        members=tuple(
            part_member(name, value, folder) for name, value in members if not is_fact(name, value)
        ),
    )


def named_type(block: Block) -> str:
    return spell_out_invisible(type_words(block)[:LONGEST_NAME])


def fields_of(block: Block) -> dict[str, Json]:
    """Members of the part; those of the object that it names by its type come first."""
    value = block.value if isinstance(block.value, dict) else {}
    inside = value.get(block.type) if isinstance(block.type, str) else None
    if not isinstance(inside, dict):
        return value
    return {**inside, **{name: each for name, each in value.items() if name != block.type}}


def members_of(block: Block, fields: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield the members that title and status do not show."""
    if not isinstance(block.value, dict):
        if known(block.value) or block.value is None:
            yield "", block.value
        return
    named = isinstance(fields.get("name"), str) and bool(fields["name"])
    for name, value in fields.items():
        is_told = (name == "name" and named) or (name == "type" and value == block.type)
        if not is_told and name not in STATUS_NAMES:
            yield from opened(name, value)


def opened(name: str, value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the members of a long input or output, which read better one by one; else the value."""
    is_long = isinstance(value, dict) and len(json_text(value)) > SHORT
    if not is_long or name not in SENT_OR_GIVEN:
        yield name, value
        return
    for inner, member in value.items():
        yield f"{name}.{inner}", member


def members_beside_text(block: Block) -> dict[str, Json]:
    """Return the members of a text part beside its text and citations; empty ones are left out."""
    told = (block.text, block.type, list(block.citations))
    return {name: value for name, value in fields_of(block).items() if value and value not in told}


def is_fact(name: str, value: Json) -> bool:
    if isinstance(value, dict | list) or name == "":
        return False
    if name.rpartition(".")[2] in SENT_OR_GIVEN and value is not None:
        return False
    return len(wire_word(value)) <= SHORT and "\n" not in wire_word(value)


def is_failed(fields: dict[str, Json]) -> bool:
    """Return True if the part says that the call failed."""
    content = fields.get("content")
    kind = content.get("type") if isinstance(content, dict) else None
    outcome = fields.get("outcome")
    return (
        fields.get("status") in FAILURES
        or fields.get("is_error") is True
        or fields.get("error") is not None
        or (isinstance(kind, str) and kind.endswith("_error"))
        or (isinstance(outcome, str) and outcome != "OUTCOME_OK")
    )


def part_member(name: str, value: Json, folder: TextFolder) -> PartMember:
    text = member_text(value)
    head = OPAQUE_HEAD if OPAQUE.fullmatch(text) else HEAD_CHARACTERS
    return PartMember(exact_segments(name[:LONGEST_NAME]), folder.fold(text, head))


def member_text(value: Json) -> str:
    """Return a text as it is, an image by its type and length, other values as JSON."""
    if isinstance(value, str) and value:
        kind = signed_type(value)
        return f"{kind}, {plural(len(value), 'character')} of base64" if kind else value
    if not isinstance(value, dict | list):
        return wire_word(value)
    in_line = json_text(value)
    if not SHORT < len(in_line) <= MAX_INDENTED:
        return in_line
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        return in_line
