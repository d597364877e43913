"""Folds the deltas of one choice into the choice and its message object.

A whole body uses the same fold: its ``message`` is one delta with everything in it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from inspector.core.completion import Block, BlockKind, Choice
from inspector.core.fields.citations import source_annotations
from inspector.core.fields.finish_reasons import is_length_limit
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.blocks import BlocksFold, BlockValues
from inspector.core.fold.chat_blocks import in_order, part_blocks, text_block
from inspector.core.fold.content_parts import PlacedPart, interleave_parts, reasoning_member
from inspector.core.fold.document import AnswerDocument
from inspector.core.fold.engine import Path
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.growing_text import GrowingText
from inspector.core.fold.inline_reasoning import inline_reasoning
from inspector.core.fold.merge_unknown import (
    LABELS,
    growing_entry,
    merge_field,
    merge_values,
    merged_fields,
    merged_value,
)
from inspector.core.fold.tool_calls import ToolCallFold, ToolCallsFold, is_odd_text, text_or_null
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.tape import Lane, LaneKind, MarkKind

REASONING_NAMES = ("reasoning_content", "reasoning")
GROWING_TEXTS = ("content", *REASONING_NAMES, "refusal")
DECIMALS = ("cost_usd", "duration_seconds")
NO_REASONS = ("", "null")
"""Texts that some send in place of null, while a choice has no finish reason."""


class ChoiceFold:
    """Collects everything that was sent for one choice index."""

    def __init__(self, index: int, position: int) -> None:
        self.index = index
        self.position = position
        """Position in the list in which the choice first appeared."""
        self.fields: dict[str, Json] = {}
        """Fields of the choice except its index and message."""
        self.message: dict[str, Json] = {}
        """Fields of the message in order of appearance; texts that grow stand in ``texts``."""
        self.texts: dict[str, GrowingText] = {}
        self.text: GrowingText | None = None
        """``text`` of a legacy completion, a field of the choice."""
        self.has_begun = False
        """A chunk had this choice."""
        self.has_pieces = False
        """A delta of this choice said something."""
        self.is_pending = False
        """The last state that was stated says that the answer is not there yet."""
        self.is_snapshot = False
        """Each piece of content is the whole text so far, so the last one is the content."""
        self.calls = ToolCallsFold(index)
        self.blocks = BlocksFold()
        self.joined: dict[tuple[str, str], dict[str, Json]] = {}
        """The items of lists that come in parts, by field and member, each once."""
        self._function_call: ToolCallFold | None = None
        self.content_parts: list[PlacedPart] = []
        self._joined_parts: tuple[tuple[int, int], list[Json]] = (0, 0), []
        """How many pieces and parts of content had come, and what they are together."""
        self._reasoning_name: str | None = None
        self._blank_pieces = 0
        """Number of content pieces known to be white space, from the first on."""
        self.finish_name: Json = UNSET
        """The finish reason, by its name if it was sent as a number."""
        self.finished_at: int | None = None
        """Number of the event with the last finish reason."""
        self._decimals: dict[str, str] = {}

    @staticmethod
    def _note_part(context: FoldContext, part: Json, path: Path) -> None:
        if isinstance(part, dict):
            text = part.get(reasoning_member(part) or "text")
            context.note_type(text, "a text", path, "The text of a part of content")
        else:
            context.note_type(part, "an object", path, "A part of content")

    # -- what events give -------------------------------------------------------------------------

    def take_legacy_text(self, context: FoldContext, value: Json, path: Path) -> None:
        """Take the text of a legacy completion, whole or a piece of it."""
        self.text = self.text or GrowingText("text")
        if isinstance(value, str):
            context.grow(self.text, Lane(self.index, LaneKind.TEXT), value, path)
            if value and self.finished_at is not None:
                self.came_after_finish(context, path)
        elif value is not None:
            context.note_type(value, "a text", path, "text")

    def take_finish(self, context: FoldContext, value: Json, path: Path) -> None:
        if value is None or value in NO_REASONS:
            if value is not None:
                context.note_once(Anomaly.FINISH_EMPTY, path, value)
            if self.finished_at is None and (value or "finish_reason" not in self.fields):
                self.fields["finish_reason"] = value
            return
        if context.is_repeat and value == self.finish_name:
            return
        if self.finished_at is not None:
            context.note(Anomaly.FINISH_REPEATED, path, str(self.index))
        self.fields["finish_reason"] = self.finish_name = value
        self.finished_at = context.event
        context.mark(MarkKind.FINISH, self.index, self._lane_to_mark())

    def take_field(self, key: str, value: Json) -> None:
        """Take any other field of the choice. The last value is kept."""
        self.fields[key] = merge_values(self.fields.get(key, UNSET), value)

    def take_growing_field(self, context: FoldContext, key: str, value: Json) -> None:
        merge_field(self.fields, key, value)
        context.is_steady = context.is_steady and not value

    def take_decimal(self, context: FoldContext, key: str, value: Json, path: Path) -> None:
        self.take_field(key, value)
        if value.__class__ in (int, float):
            # As spelt: a float would turn 0.1 + 0.2 into another amount of money.
            raw = context.spelt_at(path)
            self._decimals[key] = raw.decode() if raw else str(value)

    def take_text(
        self, context: FoldContext, key: str, kind: LaneKind, value: str, paths: tuple[Path, ...]
    ) -> None:
        text = self.texts.get(key)
        if context.is_repeat and self._compare_text(context, key, kind, value, paths):
            return
        if text is None:
            text = self.texts[key] = GrowingText(key)
        if kind is LaneKind.REASONING:
            if value and self._reasoning_name is None:
                self._reasoning_name = key
            if key != self._reasoning_name:
                if value:
                    context.note(Anomaly.REASONING_TWICE, paths[0], str(self.index))
                # Some vendors send the same reasoning under both names: keep both, draw one.
                context.grow(text, None, value)
                return
        lane = Lane(self.index, kind) if text.lane is None else None
        context.grow(text, lane, value, *paths)

    def _compare_text(
        self, context: FoldContext, key: str, kind: LaneKind, value: str, paths: tuple[Path, ...]
    ) -> bool:
        """Compare a text that is sent whole once more with its pieces; False if there are none."""
        if kind is LaneKind.REASONING and key not in self.texts:
            key = self._reasoning_name or key
        text = self.texts.get(key)
        if text is None or not text.is_begun:
            return False
        if value and not text.says(value):
            context.note_difference(value, text.said(), paths[0])
        return True

    def take_message_field(self, context: FoldContext, key: str, value: Json) -> None:
        if context.is_repeat and (kept := merged_value(self.message.get(key))):
            # What came in pieces holds, unless the whole has more of it.
            is_list = isinstance(kept, list) and isinstance(value, list)
            if is_list and len(value) > len(kept):
                self.message[key] = list(value)
            return
        is_label_again = key in LABELS and self.message.get(key) == value
        merge_field(self.message, key, value)
        if not value or is_label_again:
            return
        entry = growing_entry(self.message[key], value) if context.entry is None else None
        context.is_steady = context.is_steady and entry is not None
        context.entry = entry

    def take_odd_value(
        self, context: FoldContext, key: str, value: Json, path: Path, wanted: str
    ) -> None:
        """Keep a null, or a value whose type no document allows for this field."""
        self.message.setdefault(key, value)
        if value is not None:
            self.message[key] = value
            context.note_type(value, wanted, path, key)

    def take_role(self, context: FoldContext, value: Json, path: Path) -> None:
        kept = self.message.get("role")
        if value == "":
            context.note_once(Anomaly.ROLE_EMPTY, path, str(self.index))
        if not kept:
            self.message["role"] = value
            if value:
                context.mark(MarkKind.ROLE, self.index, self._lane_to_mark())
        elif value and value != kept:
            detail = f"{shorten(kept)} became {shorten(value)}"
            context.note(Anomaly.ROLE_CHANGED, path, str(self.index), detail)
        elif value and not context.is_repeat:
            context.note_once(Anomaly.ROLE_REPEATED, path, str(self.index))

    def take_content_part(self, context: FoldContext, part: Json, path: Path) -> None:
        """Take a part of content sent as a list: text grows the content, thinking the reasoning."""
        start = self._content_pieces()
        name, text, paths = part_text(part, path)
        if text is None:
            self._note_part(context, part, path[:-1])
        else:
            kind = LaneKind.CONTENT if name == "content" else LaneKind.REASONING
            self.take_text(context, name, kind, text, paths)
        if context.allowance.admits(LimitedItem.CONTENT_PARTS):
            self.content_parts.append(PlacedPart(start, self._content_pieces(), part))

    def function_call(self) -> ToolCallFold:
        """Return the deprecated function call, opened by the first piece of it."""
        lane = Lane(self.index, LaneKind.FUNCTION_CALL)
        self._function_call = self._function_call or ToolCallFold(0, lane)
        return self._function_call

    def has_said(self, delta: Mapping[str, Json]) -> bool:
        """Return True for a delta whose texts are those that came, each whole."""
        sent = [(self.texts.get(name), delta[name]) for name in GROWING_TEXTS if delta.get(name)]
        are_equal = (text is not None and value == text.said() for text, value in sent)
        return bool(sent) and all(are_equal)

    def has_content(self) -> bool:
        """Return True if content came beyond the white space with which some models begin."""
        pieces = self.texts["content"].parts if "content" in self.texts else []
        while self._blank_pieces < len(pieces):
            if pieces[self._blank_pieces].strip():
                return True
            self._blank_pieces += 1
        return False

    def _content_pieces(self) -> int:
        return len(self.texts["content"].parts) if "content" in self.texts else 0

    def came_after_finish(self, context: FoldContext, path: Path) -> None:
        # Text and finish reason may come in one event, with their keys in either order.
        if self.finished_at != context.event:
            context.note(Anomaly.CONTENT_AFTER_FINISH, path, str(self.index))

    def _lane_to_mark(self) -> int | None:
        """Return the lane on which a mark of this choice is drawn, None if it has none yet."""
        # The newest lane is the one that the reader looks at when the mark comes.
        if self.text is not None and self.text.lane is not None:
            return self.text.lane
        if self.calls.last_lane is not None:
            return self.calls.last_lane
        for text in reversed(self.texts.values()):
            if text.lane is not None:
                return text.lane
        return None

    # -- what came out ----------------------------------------------------------------------------

    def choice_object(self) -> dict[str, Json]:
        """Return the choice as a whole completion would contain it."""
        choice: dict[str, Json] = {"index": self.index}
        if self.text is not None:
            choice["text"] = self.text.said()
        if self.message or self.text is None:
            choice["message"] = self._message_object()
        return choice | merged_fields(self.fields)

    def _message_object(self) -> dict[str, Json]:
        message = merged_fields(self.message)
        message |= {name: self._text_of(name) for name in self.texts if name in message}
        if self.content_parts:
            message["content"] = self._parts()
        if self.calls.calls:
            message["tool_calls"] = [call.entry() for call in self.calls.calls]
        if self._function_call:
            message["function_call"] = self._function_call.function_entry()
        return message

    def value(
        self,
        known_choice: frozenset[str],
        known_message: frozenset[str],
        allowance: Allowance,
        document: AnswerDocument | None = None,
    ) -> Choice:
        """Return the choice. ``document`` is the answer that its blocks are parts of."""
        if self.blocks.is_used:
            of_blocks = self._value_of_blocks(document, allowance)
            extras = self._extras(known_choice, known_message, allowance)
            return msgspec.structs.replace(of_blocks, extras=extras)
        texts = {
            "content": self._text_of("content"),
            "text": self.text.said() if self.text is not None else UNSET,
            "reasoning": self._reasoning(),
            "refusal": self._text_of("refusal"),
        }
        legacy = self._function_call
        at_limit = self.fields.get("finish_reason") == "length"
        return Choice(
            index=self.index,
            role=text_or_null(self.message.get("role", UNSET)),
            **texts,
            finish_reason=self.fields.get("finish_reason", UNSET),
            blocks=in_order(self._blocks(texts)),
            tool_calls=self.calls.values(allowance, at_limit=at_limit),
            function_call=legacy.function_call(at_limit=at_limit) if legacy else None,
            logprobs=merged_value(self.fields.get("logprobs", UNSET)),
            annotations=_list_or_null(merged_value(self.message.get("annotations", UNSET))),
            inline_reasoning=inline_reasoning(texts["content"]),
            feedback_token=merged_value(self.fields.get("feedback_token", UNSET)),
            cost_usd=self._decimal("cost_usd"),
            duration_seconds=self._decimal("duration_seconds"),
            extras=self._extras(known_choice, known_message, allowance),
        )

    def _value_of_blocks(self, document: AnswerDocument | None, allowance: Allowance) -> Choice:
        document = document or AnswerDocument({})
        self.blocks.share_citations(document)
        found = BlockValues(self.blocks, document)
        content = found.text(BlockKind.TEXT)
        # The length limit has a name of its own in every format.
        at_limit = is_length_limit(self.finish_name)
        return Choice(
            index=self.index,
            role=text_or_null(self.message.get("role", UNSET)),
            content=content,
            reasoning=found.text(BlockKind.REASONING),
            refusal=found.text(BlockKind.REFUSAL),
            finish_reason=self.fields.get("finish_reason", UNSET),
            blocks=found.blocks if self.blocks.has_order else found.in_reading_order(),
            tool_calls=self.calls.values(allowance, at_limit=at_limit),
            logprobs=merged_value(self.fields.get("logprobs", UNSET)),
            annotations=source_annotations(self.fields, content) or UNSET,
            inline_reasoning=inline_reasoning(content),
        )

    def _blocks(self, texts: Mapping[str, Any]) -> Iterator[Block | None]:
        name = self._reasoning_name
        thought = self.texts.get(name) if name else None
        content = self.texts.get("content")
        reasoning = text_block(BlockKind.REASONING, name or "", thought, texts["reasoning"])
        if self.content_parts:
            parts = list(part_blocks(self._parts(), content, self.texts.get("reasoning_content")))
            if reasoning and all(part.kind is not BlockKind.REASONING for part in parts):
                # Parts have no place, and what has one comes behind them.
                yield msgspec.structs.replace(reasoning, places=())
            yield from parts
        else:
            yield reasoning
            yield text_block(BlockKind.TEXT, "content", content, texts["content"])
        yield text_block(BlockKind.TEXT, "text", self.text, texts["text"])
        refusal = self.texts.get("refusal")
        yield text_block(BlockKind.REFUSAL, "refusal", refusal, texts["refusal"])
        audio = merged_value(self.message.get("audio"))
        if isinstance(audio, dict) and any(audio.values()):
            yield Block(kind=BlockKind.AUDIO, type="audio", value=audio)
        yield from (call.block(position) for position, call in enumerate(self.calls.calls))
        if self._function_call and not self._function_call.is_empty:
            yield self._function_call.block(None)

    def _parts(self) -> list[Json]:
        """Return content that came as a list of parts."""
        texts = self.texts["content"].parts if "content" in self.texts else []
        came = len(texts), len(self.content_parts)
        # Kept, because blocks and completion show the same.
        if came != self._joined_parts[0]:
            self._joined_parts = came, interleave_parts(texts, self.content_parts)
        return self._joined_parts[1]

    def _reasoning(self) -> Any:
        sent = (name for name in REASONING_NAMES if name in self.message)
        name = self._reasoning_name or next(sent, None)
        return self._text_of(name) if name else UNSET

    def _text_of(self, name: str) -> Any:
        if name in self.texts:
            text = self.texts[name]
            return text.last() if self.is_snapshot and name == "content" else text.said()
        return None if self.message.get(name, UNSET) is None else UNSET

    def _decimal(self, name: str) -> Any:
        if name in self._decimals:
            return self._decimals[name]
        return None if self.fields.get(name, UNSET) is None else UNSET

    def _is_odd(self, name: str, value: Json) -> bool:
        """Return True for what is no number in a decimal field; it goes to the extras."""
        return name not in self._decimals and value is not None

    def _extras(
        self, known_choice: frozenset[str], known_message: frozenset[str], allowance: Allowance
    ) -> dict[str, Json]:
        extras = {
            f"/{escape_step(key)}": value
            for key, value in self.fields.items()
            if key not in known_choice or (key in DECIMALS and self._is_odd(key, value))
        }
        for key, value in self.message.items():
            if key not in known_message or (key == "role" and is_odd_text(value)):
                extras[f"/message/{escape_step(key)}"] = value
        return merged_fields(allowance.first(LimitedItem.UNKNOWN_FIELDS, extras))


def part_text(part: Json, path: Path) -> tuple[str, str | None, tuple[Path, ...]]:
    """Return the field that a part adds to, the text, and its place; None if it has none."""
    if not isinstance(part, dict):
        return "content", None, (path,)
    member = reasoning_member(part)
    if member is not None:
        return "reasoning_content", *_join_texts(part.get(member, ""), (*path, member))
    return "content", *_join_texts(part.get("text", ""), (*path, "text"))


def _join_texts(value: Json, path: Path) -> tuple[str | None, tuple[Path, ...]]:
    if isinstance(value, str):
        return value, (path,)
    if not isinstance(value, list):
        return None, (path,)
    parts = [part_text(part, (*path, position)) for position, part in enumerate(value)]
    places = tuple(place for _, text, places in parts if text for place in places)
    return "".join(text or "" for _, text, _ in parts), places


def _list_or_null(value: Json) -> Any:
    return value if value is UNSET or value is None or isinstance(value, list) else UNSET
