"""Handlers for the parts of messages, which become blocks."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import BlockKind, is_index, list_or_empty
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.blocks import LANES, BlockFold
from inspector.core.fold.document import built_value
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.growing_text import GrowingText, join_pieces
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.formats import grammar as effects
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.tape import Lane, LaneKind


def _take_list(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    place = context.place_of(path)
    if not context.is_whole:
        context.answer.top.setdefault(str(place[0]), None)
    context.choice.blocks.is_used = True
    if isinstance(value, list):
        context.open_list(path)
        if context.is_repeat:
            _take_list_again(context, node, value, place, path)
        else:
            descend(context, node, value, path)
        return
    if value is not None:
        context.note_type(value, "a list", path, str(place[-1]))
    if context.is_whole and context.block is None and isinstance(value, str):
        _take_in_place_of_list(context, value, path)
    context.keep(path, value)


def _take_in_place_of_list(context: FoldState, value: str, path: Path) -> None:
    """Take a text that stands where a message has its parts: it is all that the message says."""
    place = (*context.place_of(path), len(context.choice.blocks))
    block = open_block(context, place, BlockKind.TEXT, str(path[-1]), path)
    if block is not None:
        block.is_field = True
        grow_text(context, block, value, path)


def _take_list_again(
    context: FoldState, node: Node, value: list[Json], place: Path, path: Path
) -> None:
    """Take the items of a list, each as the one that it repeats."""
    answer, each, outer = context.answer, node.item, context.mapping
    held = UNSET if context.document is None else context.document.at(place)
    if each is None:
        return
    for number, position in enumerate(answer.comparisons.positions(held, value)):
        context.mapping = ((*place, position), len(path) + 1)
        each.take(context, each, value[number], (*path, number), value)
    context.mapping = outer


def _take_item(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    effect, place = node.effect, context.place_of(path)
    if not isinstance(value, dict):
        subject = f"An item of {place[-2]}" if len(place) > 1 else "An item"
        context.note_type(value, "an object", path, subject)
        context.keep(path, value)
        return
    name = _type_of_part(effect, value)
    if not effect.label and not value:
        # It does not say yet what it is: its first piece does.
        return
    kind = _kind_of_item(effect, name, value)
    if kind is None or context.block is not None:
        # It holds parts, or it is itself inside a part.
        _take_inside(context, node, value, path, context.block)
        return
    block = context.choice.blocks.at(place)
    if block is None or not context.is_repeat:
        if block is not None:
            context.note(Anomaly.BLOCK_REPEATED, path, str(place[-1]))
            _put_aside(context, block)
        block = open_block(context, place, kind, name, path, effect)
    if block is not None and (context.is_whole or context.is_repeat):
        block.sent = value
    _take_inside(context, node, value, path, block)


def _type_of_part(effect: effects.BlockItem, value: Mapping[str, Json]) -> str:
    if not effect.label:
        return next((name for name in effect.kinds if name in value), "")
    named = value.get(effect.label)
    return named if isinstance(named, str) else ""


def _kind_of_item(
    effect: effects.BlockItem, name: str, value: Mapping[str, Json]
) -> BlockKind | None:
    inside = value.get(name) if effect.hosted else None
    if isinstance(inside, dict) and inside.get("type") == effect.hosted:
        return BlockKind.HOSTED
    member, marked = effect.client.get(name, ("", ""))
    if marked and value.get(member) == marked:
        return BlockKind.TOOL_CALL
    return effect.kinds.get(name, effect.other if name else BlockKind.UNKNOWN)


def _put_aside(context: FoldState, block: BlockFold) -> None:
    """Keep a block as it is; another begins at its place."""
    document = context.document
    if document is not None and not context.is_whole:
        block.settle(document)
        document.replace(block.place, {})


def open_block(
    context: FoldState,
    place: Path,
    kind: BlockKind,
    type_: str,
    path: Path,
    effect: effects.BlockItem | None = None,
) -> BlockFold | None:
    """Open a block at a place of the answer; None if there are too many."""
    choice = context.choice
    block = choice.blocks.open(context, BlockFold(place, kind, type_, context.where(path)))
    names_tool = effect is None or type_ not in effect.unnamed
    if block is not None and kind is BlockKind.TOOL_CALL and names_tool:
        block.call = choice.calls.open_next(context)
        if block.call is not None:
            block.call_position = len(choice.calls.calls) - 1
            block.call.began = block.began
            block.call.pointer = pointer_to(place)
            if effect is not None and type_ in effect.custom:
                block.call.fields["type"] = "custom"
    return block


def _take_inside(
    context: FoldState, node: Node, value: dict[str, Json], path: Path, block: BlockFold | None
) -> None:
    outer, context.block = context.block, block
    context.keep(path, {})
    descend(context, node, value, path)
    context.block = outer


def _take_part(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a part that is told by its members, and that no event names by position."""
    if not isinstance(value, dict):
        context.note_type(value, "an object", path, "A part")
        return
    if _is_part_again(context, node.effect, value, path):
        return
    block = _block_of_part(context, node.effect, value, path)
    if block is None:
        return
    outer, context.mapping = context.mapping, (block.place, len(path))
    if context.is_whole:
        block.sent = value
    _take_inside(context, node, value, path, block)
    context.mapping = outer


def _block_of_part(
    context: FoldState, effect: effects.BlockPart, value: dict[str, Json], path: Path
) -> BlockFold | None:
    """Return the last block if the part goes on with it, else another; None for an empty part."""
    blocks = context.choice.blocks
    name = _name_of_part(effect, value)
    kind, last = _kind_of_part(effect, name, value), blocks.last
    if last is not None:
        is_text = last.kind is kind and last.is_text and last.call is None
        if is_text or _continues_call(last, value.get(name)):
            return last
    if kind in LANES and not value.get(name) and len(value) == 1:
        # An empty text beside the finish reason opens nothing.
        blocks.is_used = True
        context.is_steady = False
        return None
    place = (*context.place_of(path[:-1]), len(blocks))
    return open_block(context, place, kind, name, path)


def _name_of_part(effect: effects.BlockPart, value: Mapping[str, Json]) -> str:
    """Return the member that tells what a part is; clients write those that it has not as null."""
    named = [name for name in effect.kinds if name in value]
    return next((name for name in named if value[name] is not None), named[0] if named else "")


def _is_part_again(
    context: FoldState, effect: effects.BlockPart, value: dict[str, Json], path: Path
) -> bool:
    """Return True for a part of a stream that says all texts of its kind again, or is a call once
    more that has an id.
    """
    if context.is_whole:
        return False
    name = _name_of_part(effect, value)
    kind, sent = _kind_of_part(effect, name, value), value.get(name)
    if kind is BlockKind.TOOL_CALL and isinstance(sent, dict):
        return _is_call_again(context, sent, sent.get("id") or value.get("id"), path)
    last = context.choice.blocks.last
    goes_on = last is not None and last.kind is kind
    if not isinstance(sent, str) or kind not in LANES or goes_on:
        return False
    return _is_said(context, kind, sent, (*path, name))


def _is_call_again(context: FoldState, sent: dict[str, Json], id_: Json, path: Path) -> bool:
    """Return True, and noted, for a call that came before with the same id, name and arguments."""
    same = context.choice.blocks.of_call(id_)
    if same is None or same.call is None or not same.call.is_value(sent):
        return False
    context.note(Anomaly.CALL_FIELD_AGAIN, path, "arguments")
    return True


def _is_said(context: FoldState, kind: BlockKind, text: str, path: Path) -> bool:
    """Return True, and noted, for a text that is all that its kind said so far, in other blocks."""
    has_said = not context.is_whole and context.choice.blocks.have_said(kind, text)
    if has_said:
        context.note(Anomaly.TEXT_SAID_AGAIN, path, str(LANES[kind]), shorten(text))
    return has_said


def _continues_call(block: BlockFold, sent: Json) -> bool:
    """Return True for what follows of a call whose arguments have not ended: it has no name."""
    partial = block.call.partial if block.call is not None else None
    is_open = partial is not None and not partial.is_ended
    return is_open and isinstance(sent, dict) and not sent.get("name")


def _kind_of_part(effect: effects.BlockPart, name: str, value: Mapping[str, Json]) -> BlockKind:
    kind = effect.kinds.get(name, BlockKind.UNKNOWN)
    if kind is BlockKind.TEXT and effect.thought and value.get(effect.thought) is True:
        return BlockKind.REASONING
    if name in effect.media:
        held = value.get(name)
        mime = held.get("mimeType", held.get("mime_type")) if isinstance(held, dict) else None
        return BlockKind.AUDIO if str(mime).startswith("audio/") else BlockKind.IMAGE
    return kind


def _take_field_block(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a text in a field of its own: pieces of the same field go on until another comes."""
    choice, kind = context.choice, node.effect.kind
    choice.blocks.is_used = True
    choice.blocks.has_order = not context.is_whole
    place = context.place_of(path)
    if not isinstance(value, str):
        if value is not None:
            context.note_type(value, "a text", path, str(place[-1]))
        context.keep(path, value)
        return
    document = context.document
    field = None
    if document is not None and not context.is_whole:
        field = document.grow(place, str(place[-1]))
    last = choice.blocks.last
    if not value:
        return
    if last is None or last.kind is not kind or last.pointer_path != place:
        if _is_said(context, kind, value, path):
            return
        last = open_block(context, (*place, len(choice.blocks)), kind, str(place[-1]), path)
    if last is not None:
        last.is_field = True
        grow_text(context, last, value, path, field)


def _take_media(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    blocks = context.choice.blocks
    place = context.place_of(path)
    if not isinstance(value, str) or not value:
        context.keep(path, value)
        return
    name = next(step for step in reversed(path) if isinstance(step, str))
    if isinstance(path[-1], int):
        # Lists of several chunks follow each other.
        context.add_items(path[:-1], [value])
        place = (*place[:-1], len(blocks))
    else:
        context.keep(path, value)
    block = open_block(context, place, node.effect.kind, name, path)
    if block is not None:
        block.sent = value


def grow_text(
    context: FoldState,
    block: BlockFold,
    value: str,
    path: Path,
    echo: GrowingText | None = None,
) -> None:
    """Add a piece to the text of a block, or compare the whole text with its pieces. ``echo`` is
    the text at its place of the answer, if that is only a part of the block's. ``path`` is () if
    what stands there holds more than the piece.
    """
    if block.text is None:
        block.text = GrowingText("text")
    if context.is_repeat:
        sent = block.text if echo is None else echo
        if sent.parts:
            if not sent.says(value):
                context.note_difference(value, sent.said(), path)
            return
        if _is_said_late(context, block, value):
            return
    block.text.echo = echo
    lane = LANES.get(block.kind)
    choice = context.choice
    own_lane = Lane(choice.index, lane) if lane else None
    context.grow(block.text, own_lane, value, *((path,) if path else ()))
    if value and choice.finished_at is not None:
        choice.came_after_finish(context, path)


def _is_said_late(context: FoldState, block: BlockFold, value: str) -> bool:
    """Return True if a part without pieces says what a part did that nothing began: its pieces."""
    late = (each for each in context.choice.blocks.late if each.kind is block.kind)
    return any(each.text is not None and each.text.says(value) for each in late)


def grow_hosted(
    context: FoldState, block: BlockFold, value: str, path: Path, field: GrowingText
) -> None:
    """Add a piece to what the provider is to run; all texts of a block are in one lane."""
    if block.text is None:
        block.text = GrowingText("text")
    block.text.echo = field
    lane = Lane(context.choice.index, LaneKind.HOSTED)
    context.grow(block.text, lane, value, *((path,) if path else ()))


def _take_text(context: FoldState, _node: Node, value: Json, path: Path, around: Any) -> None:
    block = context.block
    if block is None or not block.is_text or not isinstance(value, str):
        if block is not None and block.is_text and value is not None:
            context.note_type(value, "a text", path, str(path[-1]))
        context.keep(path, value)
        return
    place, document = context.place_of(path), context.document
    is_inside = place[:-1] != block.place
    if is_inside and document is not None and context.is_repeat:
        _compare_inside(context, block, value, built_value(document.at(place)), path)
    elif is_inside and (document := context.built) is not None:
        echo = document.grow(place, str(place[-1]))
        grow_text(context, block, value, path, echo)
        _begin_with(context, echo, value)
    else:
        grow_text(context, block, value, path)
        if block.text is not None:
            context.hold(path, block.text)
            _begin_with(context, block.text, value)


def _compare_inside(
    context: FoldState, block: BlockFold, value: str, held: Json, path: Path
) -> None:
    """Compare one of the texts of a block with what its pieces built at its place."""
    if not isinstance(held, str) or not held:
        # Some senders give the same reasoning as its content and as its summary.
        if block.text is None or not block.text.says(value):
            context.is_repeat = False
            grow_text(context, block, value, path)
            context.is_repeat = True
    elif held != join_pieces([value]):
        context.note_difference(value, held, path)


def _begin_with(context: FoldState, text: GrowingText, value: str) -> None:
    """Remember what stands there when a block begins: its first pieces may say it again."""
    if context.built is not None and context.builds_by_events and len(text.parts) == 1:
        text.begin_with(value)


def _take_field(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    document = context.document
    kept = UNSET if document is None else document.at(context.place_of(path))
    if kept.__class__ is value.__class__ and kept == value:
        # Chunks repeat such fields; that keeps none of them from the fast path.
        return
    context.keep(path, value)
    context.is_steady = False


def _take_citations(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.keep(path, value)
    context.is_steady = False
    if context.block is not None:
        context.block.citations = context.place_of(path)


def _take_object(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict):
        context.keep(path, {})
        descend(context, node, value, path)
    else:
        if value is not None:
            context.note_type(value, "an object", path, str(path[-1]))
        context.keep(path, value)


def _take_logprobs(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if not isinstance(value, list):
        context.keep(path, value)
        return
    context.add_items(path, value)
    if value:
        context.is_steady = False
        fields = context.choice.fields
        tokens = fields.setdefault("logprobs", {"content": []})["content"]
        # What is sent whole once more was sent in pieces before.
        if not (context.is_repeat and tokens):
            tokens.extend(value)


def _take_message_citations(
    context: FoldState, node: Node, value: Json, path: Path, _: Any
) -> None:
    context.keep(path, value)
    context.is_steady = False
    sent = value if context.built is None else UNSET
    context.choice.blocks.citations = node.effect, context.place_of(path), sent


def _take_text_logprobs(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take texts with their tokens' log probabilities; of several tokens the first has the text."""
    context.is_steady = False
    effect, fields = node.effect, context.choice.fields
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if (document := context.built) is not None:
            document.add((str(path[-1]),), text)
        if not isinstance(text, dict):
            continue
        tokens = fields.setdefault("logprobs", {"content": []})["content"]
        named = {"token": text[effect.text]} if effect.text in text else {}
        for number, logprob in enumerate(list_or_empty(text.get(effect.values))):
            tokens.append({**({"token": ""} if number else named), "logprob": logprob})


def _take_call_id(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.keep(path, value)
    call = context.block.call if context.block is not None else None
    if call is not None and context.block is not None:
        call.take_field(context, "id", value, path)
        context.choice.blocks.name_call(value, context.block)


def _take_name(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.keep(path, value)
    call = context.block.call if context.block is not None else None
    if call is None:
        return
    body = call.custom if call.fields.get("type") == "custom" else call.function
    # The whole part names a call of which the beginning was lost.
    if not context.is_repeat or not body.get("name"):
        call.take_name(context, body, value, path)


def _take_arguments(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    block = context.block
    call = block.call if block is not None else None
    if call is None or block is None:
        context.keep(path, value)
        return
    if node.effect.is_object and isinstance(value, str):
        context.note(Anomaly.TEXT_ARGUMENTS, path)
    is_begun = context.built is not None and context.builds_by_events
    if isinstance(value, str) and not (is_begun and value.endswith("}")):
        grow_arguments(context, block, value, path)
        context.hold(path, call.arguments)
        _begin_with(context, call.arguments, value)
    elif is_begun and value and isinstance(value, dict | str):
        # Whole arguments at the beginning: pieces that follow spell them once more.
        spelt = value if isinstance(value, str) else (context.spelt_at(path) or b"").decode()
        call.take_unspelt(spelt)
        context.keep(path, value)
    elif value == {} and not context.is_whole:
        # In a stream this only says that the pieces will spell an object.
        call.take_unspelt("{}")
        context.keep(path, value)
    else:
        if not call.arguments.is_begun and value is not None:
            call.take_value(context, value, path)
        context.keep(path, value)


def grow_arguments(context: FoldState, block: BlockFold, value: str, path: Path) -> None:
    """Add a piece to the text of a call, or compare the whole text with its pieces."""
    call = block.call
    assert call is not None
    if context.is_repeat and call.arguments.is_begun:
        call.compare_arguments(context, value, path)
        return
    if call.unspelt and value and not context.is_repeat:
        _note_begun(context, call, value, path)
    call.take_piece(context, value, *((path,) if path else ()))
    context.choice.calls.came(call)


def _note_begun(context: FoldState, call: ToolCallFold, value: str, path: Path) -> None:
    """Note the first piece of arguments that were there when their block began."""
    if call.unspelt != "{}" and not call.arguments.is_begun:
        detail = f"“{shorten(call.unspelt)}”, then “{shorten(value)}”"
        context.note(Anomaly.START_REPEATED, path, "arguments", detail)


def position_of(value: Mapping[str, Json], name: str) -> int | None:
    """Return the position that an event states; None if it states none."""
    position = value.get(name)
    return position if is_index(position) else None


HANDLERS: Handlers = {
    effects.BlockArguments: _take_arguments,
    effects.BlockObject: _take_object,
    effects.BlockField: _take_field,
    effects.BlockItem: _take_item,
    effects.BlockList: _take_list,
    effects.BlockName: _take_name,
    effects.BlockPart: _take_part,
    effects.PartText: _take_text,
    effects.CallId: _take_call_id,
    effects.CitationList: _take_citations,
    effects.MessageCitations: _take_message_citations,
    effects.FieldBlock: _take_field_block,
    effects.MediaBlock: _take_media,
    effects.TextLogprobs: _take_text_logprobs,
    effects.TokenLogprobs: _take_logprobs,
}
