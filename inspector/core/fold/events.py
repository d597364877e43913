"""Handlers for events of a typed format, which put, grow, complete and close parts of the answer.

A whole body and the answer that events have built are read by the same lines of the table, so a
format is described once, and the answer of a cut stream is there as far as it came. A message is a
list of blocks, each with a lane of its own: text, call, text are three texts in time. A part that
is sent whole once more is compared with its pieces, never added; where both differ, the pieces are
the content, because a reader saw them, and ``completion`` has the provider's last word.

Turning each format into chat chunks would give pointers and bytes of things that exist nowhere.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import BlockKind
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.block_handlers import (
    grow_arguments,
    grow_hosted,
    grow_text,
    open_block,
    position_of,
)
from inspector.core.fold.blocks import BlockFold
from inspector.core.fold.chunk_fast_path import varying_fields
from inspector.core.fold.document import AnswerDocument
from inspector.core.fold.engine import ANY_EVENT, Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.growing_text import GrowingText
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.formats import grammar as effects
from inspector.core.json import Json
from inspector.core.tape import EventKind


def _take_event(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    name = _type_of(context, node, value)
    if not name and not node.effect.member and not context.is_whole:
        name, value, path = _event_inside(context, node, value, path)
    event = None if context.is_whole else node.events.get(name)
    if event is None and name and not context.is_whole and name not in node.effect.answers:
        event = node.events.get(ANY_EVENT)
    context.answer.take_type_label(name)
    if name and name != context.event_type and not context.is_whole:
        context.note(Anomaly.EVENT_MISNAMED, (), context.event_type and name)
    if event is None:
        if _is_answer_again(context, value):
            context.is_repeat = True
            _take_answer(context, node, value, path)
            context.is_repeat = False
            context.answer.complete(context.choice, (), node, value, path)
        else:
            _take_answer(context, node, value, path)
        return
    context.event_object, context.event_node = value, event
    context.varying = varying_fields(event)
    answer = context.answer
    was_closed = answer.is_closed
    event.take(context, event, value, path, around)
    if was_closed and answer.is_closed and name not in node.effect.idle:
        context.note(Anomaly.EVENT_AFTER_END_MARK, path)
    answer.is_closed = answer.is_closed or name in node.effect.closing
    if name in node.effect.idle and any(one.finish_name for one in answer.choices.values()):
        # It brings nothing of the answer: only the connection is kept open.
        context.tape.kind[context.event] = EventKind.IGNORED
        context.is_steady = False


def _is_answer_again(context: FoldState, value: Mapping[str, Json]) -> bool:
    """Return True for the whole answer behind the events that built it."""
    id_ = value.get("id")
    is_same = id_ in (None, context.answer.top.get("id"))
    return context.answer.is_built and not context.is_whole and is_same


def _type_of(context: FoldState, node: Node, value: Mapping[str, Json]) -> str:
    """Return the type that the event states, or else the one that the framing gives it."""
    member, framed = node.effect.member, context.event_type
    named = value.get(member) if member else None
    if isinstance(named, str):
        return named
    return framed if not member or framed in node.events else ""


def _event_inside(
    context: FoldState, node: Node, value: dict[str, Json], path: Path
) -> tuple[str, dict[str, Json], Path]:
    """Return the event in the member that its type names; the object itself if there is none."""
    known = (name for name in value if name in node.events and isinstance(value[name], dict))
    found = next(known, None)
    if found is None:
        return "", value, path
    for name, item in value.items():
        if name != found:
            context.answer.keep_event_field((*path, name), item)
    return found, value[found], (*path, found)


def _take_answer(context: FoldState, node: Node, value: Json, path: Path) -> None:
    outer, context.mapping = context.mapping, ((), len(path))
    context.answer.meet_fields(value)
    context.choice = context.answer.only_choice()
    descend(context, node, value, path)
    context.mapping = outer


def _take_partial(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    """Take an object of the answer's own shape: fields that repeat are passed over."""
    answer = context.answer
    if not isinstance(value, dict):
        answer.merge_field(path[-1], value)
        return
    outer = context.mapping
    if not context.is_whole:
        # What wraps the parts of an answer is no part of it.
        context.mapping = ((), len(path))
    answer.meet_fields(name for name in value if not _wraps(node.members.get(name)))
    if node.effect.is_choice:
        context.choice = answer.only_choice()
    context.has_news = _take_news(context, node, value, path)
    context.mapping = outer


def _take_news(context: FoldState, node: Node, value: dict[str, Json], path: Path) -> bool:
    """Take the members of a part of the answer; True if a field of the answer changed."""
    answer, last = context.answer, context.answer.last
    has_news = False
    for name, item in value.items():
        inner = node.members.get(name, node.other)
        if inner is None:
            continue
        if isinstance(inner.effect, effects.UsageCounts):
            # Every chunk of some formats has its usage; the fast path reads it beside the text.
            answer.late_usage = (inner, item, (*path, name))
            continue
        is_passed_over = isinstance(inner.effect, PASSED_OVER)
        if is_passed_over and name in last and last[name] == item:
            continue
        inner.take(context, inner, item, (*path, name), value)
        if is_passed_over:
            last[name] = item
            has_news = True
        has_news = has_news or (context.has_news and _wraps(inner))
    return has_news


def _wraps(node: Node | None) -> bool:
    return node is not None and isinstance(node.effect, effects.PartialAnswer)


PASSED_OVER = (
    effects.AnswerField,
    effects.IdentityField,
    effects.ObjectLabel,
    effects.ProviderTime,
)
"""Fields that nearly every chunk repeats; only another value is worth the work."""


# -- places of the answer -------------------------------------------------------------------------


def _locate(context: FoldState, node: Node) -> tuple[Node, Path, BlockFold | None]:
    """Return the place that an effect names: its node, its path, and the block around it."""
    target = node.target
    context.choice = context.answer.only_choice()
    context.choice.blocks.is_used = True
    context.answer.is_built = True
    place: Path = ()
    block: BlockFold | None = None
    for step, inner in target:
        if step[:1] == "{":
            begins = node.effect.__class__ is effects.Put and inner is target[-1][1]
            place = (*place, _position(context, step[1:-1], begins=begins))
        else:
            place = (*place, step)
        if inner.effect.__class__ is effects.BlockItem and inner is not target[-1][1]:
            block = context.choice.blocks.at(place) or block
    return target[-1][1] if target else context.answer.root, place, block


def _position(context: FoldState, name: str, *, begins: bool) -> int:
    """Return the position that the event states; where it states none, that of the event before. An
    item that it names by id is where it began.
    """
    position = position_of(context.event_object, name)
    if position is None:
        context.note(Anomaly.BAD_POSITION, (name,), name)
        position = context.positions.get(name, 0)
    context.positions[name] = position
    if name != context.answer.root.effect.numbered:
        return position
    id_, items = _id_of_item(context), context.answer.items
    found = items.begin(position, id_) if begins else items.find(position, id_)
    if not begins and id_ and (began := items.began_as(found, id_)):
        context.note(Anomaly.ITEM_ID_DIFFERS, (), detail=f"{shorten(began)}, then {shorten(id_)}")
    if found != position and (begins or id_):
        anomaly = Anomaly.BLOCK_REPEATED if begins else Anomaly.POSITION_DIFFERS
        detail = f"{name} is {position:,}, but {shorten(id_)} began at {found:,}"
        context.note(anomaly, (name,), str(position) if begins else "", detail)
    return found


def _id_of_item(context: FoldState) -> str:
    effect, event = context.answer.root.effect, context.event_object
    item = event.get(effect.item)
    id_ = item.get("id") if isinstance(item, dict) else event.get(effect.item_id)
    return id_ if isinstance(id_, str) else ""


def _put(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    if node.effect.begins and isinstance(value, dict | str):
        context.answer.begin_answer(path)
        context.is_beginning = True
    _take_at_place(context, node, value, path, around)
    context.is_beginning = False


def _take_at_place(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> Path:
    """Take a part of the answer by the lines of its place there. Return the place."""
    outer = context.mapping, context.block
    inner, place, context.block = _locate(context, node)
    context.mapping = (place, len(path))
    context.is_steady = False
    if place and not context.is_repeat:
        _note_items_not_begun(context, node, place, path)
        context.answer.places.begin(place)
    if inner is not context.answer.root:
        inner.take(context, inner, value, path, around)
    elif isinstance(value, dict):
        descend(context, inner, value, path)
    else:
        context.note(Anomaly.NOT_AN_OBJECT, path)
    context.mapping, context.block = outer
    return place


def _complete(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    """Take a part that is sent whole once more: it is compared with its pieces, and holds."""
    context.is_repeat = True
    place = _take_at_place(context, node, value, path, around)
    context.is_repeat = False
    inner = node.target[-1][1] if node.target else context.answer.root
    context.answer.complete(context.choice, place, inner, value, path)
    if place:
        context.answer.places.end(place)


def _grow(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    inner, place, block = _locate(context, node)
    document = context.document
    assert document is not None
    if not isinstance(value, str):
        if value is not None or not _says_more(around):
            context.note_type(value, "a text", path, str(path[-1]))
        return
    if block is None:
        block = _begin_late(context, node, place, path)
    _note_late(context, block, value, place, path)
    text = _text_of(inner, block, place)
    field = text or document.grow(place, str(place[-1]), is_json=node.effect.is_json)
    if field.start is not None:
        value, path = _new_in(context, field, value, path)
    if block is not None and text is not None and block.call is not None:
        grow_arguments(context, block, value, path)
    elif block is not None and block.is_text and isinstance(inner.effect, effects.PartText):
        grow_text(context, block, value, path, None if text is not None else field)
    else:
        _grow_field(context, block, value, path, field)
    if text is not None:
        _hold(document, place, text, is_json=node.effect.is_json)


def _says_more(piece: Mapping[str, Json]) -> bool:
    """Return True for a piece with a text: its nulls are fields that other pieces have."""
    return any(isinstance(held, str) for name, held in piece.items() if name != "type")


def _note_late(
    context: FoldState, block: BlockFold | None, value: str, place: Path, path: Path
) -> None:
    """Note a piece of what had ended: by an event that says so, or because it was sent whole."""
    if value and context.answer.places.has_ended(place):
        subject = (block.type or str(block.kind)) if block is not None else str(place[-1])
        context.note(Anomaly.BLOCK_AFTER_STOP, path, subject)


def _hold(document: AnswerDocument, place: Path, text: GrowingText, *, is_json: bool) -> None:
    """Let a text stand at its place of the answer, or the value that it spells."""
    if is_json:
        document.spell(place, text)
    elif document.at(place) is not text:
        document.replace(place, text)


def _new_in(context: FoldState, text: GrowingText, value: str, path: Path) -> tuple[str, Path]:
    """Return the addition of a piece to a text that was there when its block began, and where it
    stands: () if that holds more.
    """
    new, context.is_steady = text.new_in(value), False
    if len(new) < len(value):
        detail = f"“{shorten(text.text())}”, then “{shorten(value)}”"
        context.note(Anomaly.START_REPEATED, path, text.name, detail)
    return new, path if new == value else ()


def _grow_field(
    context: FoldState, block: BlockFold | None, value: str, path: Path, field: GrowingText
) -> None:
    """Add a piece to a field that is no text or call; of what the provider runs it is drawn."""
    if block is not None and block.kind is BlockKind.HOSTED:
        grow_hosted(context, block, value, path, field)
    else:
        context.is_steady = False
        field.parts.append(value)


def _begin_late(context: FoldState, node: Node, place: Path, path: Path) -> BlockFold | None:
    """Open a block that no event began; None if the piece tells no kind, or is in no block."""
    end, item = _item_around(node)
    if item is None:
        return None
    effect = node.effect
    if not effect.begins:
        _note_not_begun(context, place[:end], path)
    if effect.kind is None:
        return None
    type_ = effect.type or ("" if item.label else str(place[end]))
    block = open_block(context, place[:end], effect.kind, type_, path, item)
    if block is not None and not effect.begins:
        context.choice.blocks.late.append(block)
    return block


def _item_around(node: Node) -> tuple[int, effects.BlockItem | None]:
    """Return the innermost part around an effect's place, and how many steps lead to it."""
    steps = reversed(tuple(enumerate(node.target, 1)))
    found = ((end, at.effect) for end, (_, at) in steps if isinstance(at.effect, effects.BlockItem))
    return next(found, (0, None))


def _note_items_not_begun(context: FoldState, node: Node, place: Path, path: Path) -> None:
    """Note a part that begins in an item which nothing began."""
    for end, (_, at) in enumerate(node.target[:-1], 1):
        if at.effect.__class__ is effects.BlockItem:
            _note_not_begun(context, place[:end], path)


def _note_not_begun(context: FoldState, place: Path, path: Path) -> None:
    """Note a piece of a part that nothing began. What is kept of a part of which there are too
    many, or of an earlier piece, stands there already.
    """
    document = context.document
    if document is not None and document.at(place) is UNSET:
        context.note(Anomaly.BLOCK_NOT_BEGUN, path, str(place[-1]))


def _text_of(inner: Node, block: BlockFold | None, place: Path) -> GrowingText | None:
    """Return the text or arguments of a block that stand at a place; None for other fields."""
    if block is None:
        return None
    if isinstance(inner.effect, effects.BlockArguments) and block.call is not None:
        return block.call.arguments
    if isinstance(inner.effect, effects.PartText) and block.is_text and place[:-1] == block.place:
        block.text = block.text or GrowingText("text")
        return block.text
    return None


def _add(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    inner, place, block = _locate(context, node)
    context.is_steady = False
    document = context.document
    assert document is not None
    end, item = _item_around(node)
    if item is not None and block is None:
        _note_not_begun(context, place[:end], path)
    document.add(place, value)
    if block is not None:
        block.citations = place
    elif isinstance(inner.effect, effects.MessageCitations):
        context.choice.blocks.citations = inner.effect, place, UNSET


def _extend(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    # Most events add none: they must not keep their texts from the fast path.
    if value == []:
        return
    inner, place, _ = _locate(context, node)
    if isinstance(value, list) and isinstance(inner.effect, effects.BlockField):
        context.is_steady = False
        document = context.document
        assert document is not None
        document.extend(place, value)
    else:
        _take_at_place(context, node, value, path, around)


def _close(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    _, place, _ = _locate(context, node)
    blocks = context.choice.blocks
    block, last = blocks.at(place), blocks.last
    context.is_steady = False
    context.answer.places.end(place)
    if block is None:
        return
    if block.ended is None and last is not None and last is not block:
        detail = f"{last.type or last.kind} began before {block.type or block.kind} ended"
        context.note(Anomaly.BLOCKS_OPEN, path, "", detail)
    block.ended = context.where(())
    if block.call is not None and not block.call.arguments.is_begun:
        _spell_late(context, block.call)


def _spell_late(context: FoldState, call: ToolCallFold) -> None:
    """Take arguments that were whole when their block began, and that no piece spelt again."""
    if call.unspelt != "{}":
        call.take_piece(context, call.unspelt)
        context.choice.calls.came(call)


# -- other fields ---------------------------------------------------------------------------------


def _take_sequence(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    begins = value == 0 and _begins_answer(context)
    context.answer.take_sequence(value, path, begins=begins)


def _begins_answer(context: FoldState) -> bool:
    members = context.event_node.members
    inside = (members.get(name) for name in context.event_object)
    return any(
        node and isinstance(node.effect, effects.Put) and node.effect.begins for node in inside
    )


def _take_event_field(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.answer.keep_event_field(path, value)


def _take_piece_field(
    context: FoldState, _node: Node, value: Json, path: Path, around: Mapping[str, Json]
) -> None:
    piece = context.event_node.members.get(path[0])
    if piece is not None and not any(map(piece.members.get, around)):
        named = around.get("type")
        subject = named if isinstance(named, str) else str(path[-1])
        context.note_once(Anomaly.PIECE_UNKNOWN, path, subject)
    context.answer.keep_event_field(path, value)


def _take_merged_usage(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    context.answer.merge_usage(value, path, node.effect.preliminary)
    merged = context.answer.usage.value
    context.answer.top[context.name_at(path)] = None if merged is UNSET else merged


def _take_usage_member(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    name = context.name_at(path)
    context.answer.merge_field(name, value)
    context.answer.merge_usage({name: value}, path[:-1])


def _take_status(
    context: FoldState, node: Node, value: Json, path: Path, around: Mapping[str, Json]
) -> None:
    effect = node.effect
    context.answer.merge_field(context.name_at(path), value)
    reason: Json = around
    for name in effect.reason:
        reason = reason.get(name) if isinstance(reason, dict) else None
    if reason is not None:
        context.choice.take_finish(context, reason, (*path[:-1], *effect.reason))
    elif isinstance(value, str) and value in effect.pending:
        context.choice.is_pending = True
        return
    elif value is not None:
        context.choice.take_finish(context, value, path)
    context.choice.is_pending = False


def _take_tier(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.keep(path, value)
    context.answer.tier.take(value, UNSET)


def _take_time(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.answer.merge_field(context.name_at(path), value)


HANDLERS: Handlers = {
    effects.Add: _add,
    effects.ChunkTime: _take_time,
    effects.Close: _close,
    effects.Complete: _complete,
    effects.EventField: _take_event_field,
    effects.Extend: _extend,
    effects.FinishStatus: _take_status,
    effects.Grow: _grow,
    effects.MergedUsage: _take_merged_usage,
    effects.PartialAnswer: _take_partial,
    effects.PieceField: _take_piece_field,
    effects.Put: _put,
    effects.SequenceNumber: _take_sequence,
    effects.TierField: _take_tier,
    effects.TypedEvent: _take_event,
    effects.UsageMember: _take_usage_member,
}
