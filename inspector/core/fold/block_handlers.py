"""Handlers for the parts of messages, which become blocks."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import commonprefix
from typing import Any

from msgspec import UNSET

from inspector.core.completion import BlockKind, Json, is_index, list_or_empty
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.blocks import LANES, BlockFold
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_context import FoldContext, GrowingText
from inspector.core.formats.grammar import (
    BlockArguments,
    BlockField,
    BlockItem,
    BlockList,
    BlockName,
    BlockObject,
    BlockPart,
    CallId,
    CitationList,
    FieldBlock,
    MediaBlock,
    MessageCitations,
    PartText,
    TextLogprobs,
    TokenLogprobs,
)
from inspector.core.json.pointer import pointer_to
from inspector.core.tape import Lane, LaneKind


def _take_list(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    place = cursor.place_of(path)
    if not cursor.is_whole:
        cursor.answer.top.setdefault(str(place[0]), None)
    cursor.choice.blocks.is_used = True
    if isinstance(value, list):
        cursor.open_list(path)
        descend(cursor, node, value, path)
        return
    if value is not None:
        cursor.note_type(value, "a list", path, str(place[-1]))
    cursor.keep(path, value)


def _take_item(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    effect, place = node.effect, cursor.place_of(path)
    if not isinstance(value, dict):
        subject = f"An item of {place[-2]}" if len(place) > 1 else "An item"
        cursor.note_type(value, "an object", path, subject)
        cursor.keep(path, value)
        return
    name = _type_of_part(effect, value)
    if not effect.label and not value:
        # It does not say yet what it is: its first piece does.
        return
    kind = _kind_of_item(effect, name, value)
    if kind is None or cursor.block is not None:
        # It holds parts, or it is itself inside a part.
        _take_inside(cursor, node, value, path, cursor.block)
        return
    block = cursor.choice.blocks.at(place)
    if block is None or not cursor.is_repeat:
        if block is not None:
            cursor.note(Anomaly.BLOCK_REPEATED, path, str(place[-1]))
            _put_aside(cursor, block)
        block = open_block(cursor, place, kind, name, path, effect)
    if block is not None and (cursor.is_whole or cursor.is_repeat):
        block.sent = value
    _take_inside(cursor, node, value, path, block)


def _type_of_part(effect: BlockItem, value: Mapping[str, Json]) -> str:
    if not effect.label:
        return next((name for name in effect.kinds if name in value), "")
    named = value.get(effect.label)
    return named if isinstance(named, str) else ""


def _kind_of_item(effect: BlockItem, name: str, value: Mapping[str, Json]) -> BlockKind | None:
    inside = value.get(name) if effect.hosted else None
    if isinstance(inside, dict) and inside.get("type") == effect.hosted:
        return BlockKind.HOSTED
    member, marked = effect.client.get(name, ("", ""))
    if marked and value.get(member) == marked:
        return BlockKind.TOOL_CALL
    return effect.kinds.get(name, effect.other if name else BlockKind.UNKNOWN)


def _put_aside(cursor: FoldContext, block: BlockFold) -> None:
    """Keep a block as it is; another begins at its place."""
    document = cursor.answer.document
    if document is not None and not cursor.is_whole:
        block.settle(document)
        document.replace(block.place, {})


def open_block(
    cursor: FoldContext,
    place: Path,
    kind: BlockKind,
    type_: str,
    path: Path,
    effect: BlockItem | None = None,
) -> BlockFold | None:
    """Open a block at a place of the answer; None if there are too many."""
    choice = cursor.choice
    block = choice.blocks.open(cursor, BlockFold(place, kind, type_, cursor.where(path)))
    names_tool = effect is None or type_ not in effect.unnamed
    if block is not None and kind is BlockKind.TOOL_CALL and names_tool:
        block.call = choice.calls.open_next(cursor)
        if block.call is not None:
            block.call_position = len(choice.calls.calls) - 1
            block.call.began = block.began
            block.call.pointer = pointer_to(place)
            if effect is not None and type_ in effect.custom:
                block.call.fields["type"] = "custom"
    return block


def _take_inside(
    cursor: FoldContext, node: Node, value: dict[str, Json], path: Path, block: BlockFold | None
) -> None:
    outer, cursor.block = cursor.block, block
    cursor.keep(path, {})
    descend(cursor, node, value, path)
    cursor.block = outer


def _take_part(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a part that is told by its members, and that no event names by position."""
    if not isinstance(value, dict):
        cursor.note_type(value, "an object", path, "A part")
        return
    block = _block_of_part(cursor, node.effect, value, path)
    if block is None:
        return
    outer, cursor.mapping = cursor.mapping, (block.place, len(path))
    if cursor.is_whole:
        block.sent = value
    _take_inside(cursor, node, value, path, block)
    cursor.mapping = outer


def _block_of_part(
    cursor: FoldContext, effect: BlockPart, value: dict[str, Json], path: Path
) -> BlockFold | None:
    """The last block if the part goes on with it, else another; None if the part holds nothing."""
    blocks = cursor.choice.blocks
    name = next((name for name in effect.kinds if name in value), "")
    kind, last = _kind_of_part(effect, name, value), blocks.last
    if last is not None:
        is_text = last.kind is kind and last.is_text and last.call is None
        if is_text or _continues_call(last, value.get(name)):
            return last
    if kind in LANES and not value.get(name) and len(value) == 1:
        # An empty text beside the finish reason opens nothing.
        blocks.is_used = True
        cursor.is_steady = False
        return None
    place = (*cursor.place_of(path[:-1]), len(blocks))
    return open_block(cursor, place, kind, name, path)


def _continues_call(block: BlockFold, sent: Json) -> bool:
    """True for what follows of a call whose arguments have not ended: it has no name."""
    partial = block.call.partial if block.call is not None else None
    is_open = partial is not None and not partial.is_ended
    return is_open and isinstance(sent, dict) and not sent.get("name")


def _kind_of_part(effect: BlockPart, name: str, value: Mapping[str, Json]) -> BlockKind:
    kind = effect.kinds.get(name, BlockKind.UNKNOWN)
    if kind is BlockKind.TEXT and effect.thought and value.get(effect.thought) is True:
        return BlockKind.REASONING
    if name == effect.media and name:
        held = value.get(name)
        mime = held.get("mimeType") if isinstance(held, dict) else None
        return BlockKind.AUDIO if str(mime).startswith("audio/") else BlockKind.IMAGE
    return kind


def _take_field_block(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a text in a field of its own: pieces of the same field go on until another comes."""
    choice, kind = cursor.choice, node.effect.kind
    choice.blocks.is_used = True
    choice.blocks.has_order = not cursor.is_whole
    place = cursor.place_of(path)
    if not isinstance(value, str):
        if value is not None:
            cursor.note_type(value, "a text", path, str(place[-1]))
        cursor.keep(path, value)
        return
    document = cursor.answer.document
    field = None
    if document is not None and not cursor.is_whole:
        field = document.grow(place, str(place[-1]))
    last = choice.blocks.last
    if not value:
        return
    if last is None or last.kind is not kind or last.pointer_path != place:
        last = open_block(cursor, (*place, len(choice.blocks)), kind, str(place[-1]), path)
    if last is not None:
        last.is_field = True
        grow_text(cursor, last, value, path, field)


def _take_media(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take an image or audio; each is a part of its own."""
    blocks = cursor.choice.blocks
    place = cursor.place_of(path)
    if not isinstance(value, str) or not value:
        cursor.keep(path, value)
        return
    name = next(step for step in reversed(path) if isinstance(step, str))
    if isinstance(path[-1], int):
        # Lists of several chunks follow each other.
        cursor.add_items(path[:-1], [value])
        place = (*place[:-1], len(blocks))
    else:
        cursor.keep(path, value)
    block = open_block(cursor, place, node.effect.kind, name, path)
    if block is not None:
        block.sent = value


def grow_text(
    cursor: FoldContext,
    block: BlockFold,
    value: str,
    path: Path,
    echo: GrowingText | None = None,
) -> None:
    """Add a piece to the text of a block, or compare the whole text with its pieces. ``echo`` is
    the text at its place of the answer, if that is only a part of the block's.
    """
    if block.text is None:
        block.text = GrowingText("text")
    sent = block.text if echo is None else echo
    if cursor.is_repeat and sent.parts:
        if not sent.says(value):
            detail = _difference(value, sent.text())
            cursor.note(Anomaly.DONE_DIFFERS, path, str(path[-1]), detail)
        return
    block.text.echo = echo
    if block.is_closed and value:
        cursor.note(Anomaly.BLOCK_AFTER_STOP, path, block.type or str(block.kind))
    lane = LANES.get(block.kind)
    choice = cursor.choice
    block.text.grow(cursor, Lane(choice.index, lane) if lane else None, value, path)
    if value and choice.finished_at is not None:
        choice.came_after_finish(cursor, path)


def grow_hosted(
    cursor: FoldContext, block: BlockFold, value: str, path: Path, field: GrowingText
) -> None:
    """Add a piece to what the provider is to run. ``field`` is the text at its place of the answer;
    a block with several has them in one lane.
    """
    if block.text is None:
        block.text = GrowingText("text")
    block.text.echo = field
    block.text.grow(cursor, Lane(cursor.choice.index, LaneKind.HOSTED), value, path)


def _take_text(cursor: FoldContext, _node: Node, value: Json, path: Path, around: Any) -> None:
    block = cursor.block
    if block is None or not block.is_text or not isinstance(value, str):
        if block is not None and block.is_text and value is not None:
            cursor.note_type(value, "a text", path, str(path[-1]))
        cursor.keep(path, value)
        return
    place = cursor.place_of(path)
    if place[:-1] != block.place and cursor.builds:
        assert cursor.answer.document is not None
        grow_text(cursor, block, value, path, cursor.answer.document.grow(place, str(place[-1])))
        return
    grow_text(cursor, block, value, path)
    if block.text is not None:
        cursor.hold(path, block.text)


def _take_field(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    document = cursor.answer.document
    kept = UNSET if document is None else document.at(cursor.place_of(path))
    if kept.__class__ is value.__class__ and kept == value:
        # Chunks repeat such fields; that keeps none of them from the fast path.
        return
    cursor.keep(path, value)
    cursor.is_steady = False


def _take_citations(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.keep(path, value)
    cursor.is_steady = False
    if cursor.block is not None:
        cursor.block.citations = cursor.place_of(path)


def _take_object(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict):
        cursor.keep(path, {})
        descend(cursor, node, value, path)
    else:
        if value is not None:
            cursor.note_type(value, "an object", path, str(path[-1]))
        cursor.keep(path, value)


def _take_logprobs(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a list of tokens with their log probabilities."""
    if not isinstance(value, list):
        cursor.keep(path, value)
        return
    cursor.add_items(path, value)
    if value:
        cursor.is_steady = False
        fields = cursor.choice.fields
        tokens = fields.setdefault("logprobs", {"content": []})["content"]
        # What is sent whole once more was sent in pieces before.
        if not (cursor.is_repeat and tokens):
            tokens.extend(value)


def _take_message_citations(
    cursor: FoldContext, node: Node, value: Json, path: Path, _: Any
) -> None:
    cursor.keep(path, value)
    cursor.is_steady = False
    sent = UNSET if cursor.builds else value
    cursor.choice.blocks.citations = node.effect, cursor.place_of(path), sent


def _take_text_logprobs(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take texts with the log probabilities of their tokens. Of several tokens of one text, the
    first has it.
    """
    cursor.is_steady = False
    effect, fields = node.effect, cursor.choice.fields
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if cursor.builds:
            assert cursor.answer.document is not None
            cursor.answer.document.add((str(path[-1]),), text)
        if not isinstance(text, dict):
            continue
        tokens = fields.setdefault("logprobs", {"content": []})["content"]
        named = {"token": text[effect.text]} if effect.text in text else {}
        for number, logprob in enumerate(list_or_empty(text.get(effect.values))):
            tokens.append({**({"token": ""} if number else named), "logprob": logprob})


def _take_call_id(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.keep(path, value)
    call = cursor.block.call if cursor.block is not None else None
    if call is not None:
        call.take_field(cursor, "id", value, path)


def _take_name(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.keep(path, value)
    call = cursor.block.call if cursor.block is not None else None
    if call is None:
        return
    body = call.custom if call.fields.get("type") == "custom" else call.function
    # The whole part names a call of which the beginning was lost.
    if not cursor.is_repeat or not body.get("name"):
        call.take_name(cursor, body, value, path)


def _take_arguments(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take arguments as a value, or as the text that spells it."""
    block = cursor.block
    call = block.call if block is not None else None
    if call is None or block is None:
        cursor.keep(path, value)
        return
    if isinstance(value, str):
        grow_arguments(cursor, block, value, path)
        cursor.hold(path, call.arguments)
    elif value == {} and not cursor.is_whole:
        # In a stream this only says that the pieces will spell an object.
        call.take_unspelt("{}")
        cursor.keep(path, value)
    else:
        if not call.arguments.is_begun and value is not None:
            call.take_value(cursor, value, path)
        cursor.keep(path, value)


def grow_arguments(cursor: FoldContext, block: BlockFold, value: str, path: Path) -> None:
    """Add a piece to the text of a call, or compare the whole text with its pieces."""
    call = block.call
    assert call is not None
    if cursor.is_repeat and call.arguments.is_begun:
        if not call.arguments.says(value):
            detail = _difference(value, call.arguments.text())
            cursor.note(Anomaly.DONE_DIFFERS, path, str(path[-1]), detail)
        return
    if block.is_closed and value:
        cursor.note(Anomaly.BLOCK_AFTER_STOP, path, block.type or str(block.kind))
    call.take_piece(cursor, value, path)
    cursor.choice.calls.came(call)


def _difference(whole: str, pieces: str) -> str:
    """Sizes of a text sent whole and of its pieces, and where they begin to differ."""
    same = len(commonprefix((whole, pieces)))
    sizes = f"{len(whole):,} characters instead of {len(pieces):,}"
    return f"{sizes}, different from character {same:,} on"


def position_of(value: Mapping[str, Json], name: str) -> int | None:
    """The position that an event states; None if it states none."""
    position = value.get(name)
    return position if is_index(position) else None


HANDLERS: Handlers = {
    BlockArguments: _take_arguments,
    BlockObject: _take_object,
    BlockField: _take_field,
    BlockItem: _take_item,
    BlockList: _take_list,
    BlockName: _take_name,
    BlockPart: _take_part,
    PartText: _take_text,
    CallId: _take_call_id,
    CitationList: _take_citations,
    MessageCitations: _take_message_citations,
    FieldBlock: _take_field_block,
    MediaBlock: _take_media,
    TextLogprobs: _take_text_logprobs,
    TokenLogprobs: _take_logprobs,
}
