"""Folds the deltas of one choice into the choice and its message object.

A whole body uses the same fold: its ``message`` is one delta with everything in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import Choice, InlineReasoning, Json
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.content_parts import PlacedPart, interleave_parts
from inspector.core.fold.fold_context import FoldContext, GrowingText
from inspector.core.fold.merge_unknown import merge_field, merge_values, merged_value
from inspector.core.fold.tool_calls import (
    ToolCallFold,
    ToolCallsFold,
    is_odd_text,
    text_or_null,
)
from inspector.core.json.pointer import escape_step
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.tape import Lane, LaneKind, MarkKind

TEXT_LANES: Mapping[str, LaneKind] = {
    "content": LaneKind.CONTENT,
    "reasoning_content": LaneKind.REASONING,
    "reasoning": LaneKind.REASONING,
    "refusal": LaneKind.REFUSAL,
}
REASONING_NAMES = ("reasoning_content", "reasoning")
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
        self.is_snapshot = False
        """Each piece of content is the whole text so far, so the last one is the content."""
        self._calls = ToolCallsFold(index)
        self._function_call: ToolCallFold | None = None
        self._content_parts: list[PlacedPart] = []
        self._reasoning_name: str | None = None
        self._blank_pieces = 0
        """Number of content pieces known to be white space, from the first on."""
        self.finished_at: int | None = None
        """Number of the event with the last finish reason."""
        self._decimals: dict[str, str] = {}

    # -- what events give -------------------------------------------------------------------------

    def take_message(self, cursor: FoldContext, delta: Json, pointer: str) -> None:
        """Take a delta, or the message of a whole answer."""
        if delta.__class__ is not dict:
            cursor.note(Anomaly.BAD_DELTA, pointer, pointer.rpartition("/")[2])
            return
        # Pieces on the tape, not keys: an empty delta after the finish reason is usual.
        before = len(cursor.tape.piece_event)
        if any(map(delta.get, REASONING_NAMES)) and self._has_content():
            cursor.note_once(Anomaly.REASONING_AFTER_CONTENT, pointer, str(self.index))
        for key, value in delta.items():
            if value.__class__ is str and key in TEXT_LANES:
                self.message.setdefault(key, None)
                self._take_text(cursor, key, value, pointer)
            else:
                self._take_message_field(cursor, key, value, f"{pointer}/{key}")
        if self.finished_at is not None and len(cursor.tape.piece_event) > before:
            self._came_after_finish(cursor, pointer)

    def take_legacy_text(self, cursor: FoldContext, value: Json, pointer: str) -> None:
        """Take the text of a legacy completion, whole or a piece of it."""
        self.text = self.text or GrowingText("text")
        if isinstance(value, str):
            self.text.grow(cursor, Lane(self.index, LaneKind.TEXT), value)
            if value and self.finished_at is not None:
                self._came_after_finish(cursor, pointer)
        elif value is not None:
            cursor.note(Anomaly.BAD_CONTENT, pointer, "text")

    def take_finish(self, cursor: FoldContext, value: Json, pointer: str) -> None:
        if value is None or value in NO_REASONS:
            if value is not None:
                cursor.note_once(Anomaly.FINISH_EMPTY, pointer, value)
            if self.finished_at is None and (value or "finish_reason" not in self.fields):
                self.fields["finish_reason"] = value
            return
        if self.finished_at is not None:
            cursor.note(Anomaly.FINISH_REPEATED, pointer, str(self.index))
        self.fields["finish_reason"] = value
        self.finished_at = cursor.event
        cursor.mark(MarkKind.FINISH, self.index, self._lane_to_mark())

    def take_field(self, cursor: FoldContext, key: str, value: Json, position: int) -> None:
        """Take any other field of the choice. ``text`` beside a delta (Together) grows like the
        content.
        """
        if (key == "logprobs" and isinstance(value, dict)) or key == "text":
            merge_field(self.fields, key, value)
        else:
            self.fields[key] = merge_values(self.fields.get(key, UNSET), value)
        if key in DECIMALS and value.__class__ in (int, float):
            # As spelt: a float would turn 0.1 + 0.2 into another amount of money.
            raw = cursor.spelt_at(("choices", position, key))
            self._decimals[key] = raw.decode() if raw else str(value)

    def _take_text(self, cursor: FoldContext, key: str, value: str, pointer: str) -> None:
        text = self.texts.get(key)
        if text is None:
            text = self.texts[key] = GrowingText(key)
        kind = TEXT_LANES[key]
        if kind is LaneKind.REASONING:
            if value and self._reasoning_name is None:
                self._reasoning_name = key
            if key != self._reasoning_name:
                if value:
                    cursor.note(Anomaly.REASONING_TWICE, f"{pointer}/{key}", str(self.index))
                # Some vendors send the same reasoning under both names: keep both, draw one.
                text.grow(cursor, None, value)
                return
        text.grow(cursor, Lane(self.index, kind), value)

    def _take_message_field(self, cursor: FoldContext, key: str, value: Json, pointer: str) -> None:
        if key == "role":
            self._take_role(cursor, value, pointer)
        elif key == "tool_calls" and isinstance(value, list):
            self.message.setdefault(key, None)
            self._calls.take(cursor, value, pointer)
        elif key == "function_call" and isinstance(value, dict):
            self.message.setdefault(key, None)
            lane = Lane(self.index, LaneKind.FUNCTION_CALL)
            self._function_call = self._function_call or ToolCallFold(0, lane)
            self._function_call.take_function(cursor, value, pointer)
        elif key == "content" and isinstance(value, list):
            self._take_content_parts(cursor, value, pointer)
        elif key in TEXT_LANES or key in ("tool_calls", "function_call"):
            self._take_odd_value(cursor, key, value, pointer)
        else:
            if key == "annotations" and value is not None and not isinstance(value, list):
                cursor.note(Anomaly.BAD_CONTENT, pointer, key)
            merge_field(self.message, key, value)

    def _take_odd_value(self, cursor: FoldContext, key: str, value: Json, pointer: str) -> None:
        """Keep a null, or a value whose type no document allows for this field."""
        self.message.setdefault(key, value)
        if value is not None:
            self.message[key] = value
            cursor.note(Anomaly.BAD_CONTENT, pointer, key)

    def _take_role(self, cursor: FoldContext, value: Json, pointer: str) -> None:
        kept = self.message.get("role")
        if not kept:
            self.message["role"] = value
            if value:
                cursor.mark(MarkKind.ROLE, self.index, self._lane_to_mark())
        elif value and value != kept:
            detail = f"{shorten(kept)} became {shorten(value)}"
            cursor.note(Anomaly.ROLE_CHANGED, pointer, str(self.index), detail)
        elif value:
            cursor.note_once(Anomaly.ROLE_REPEATED, pointer, str(self.index))

    def _take_content_parts(self, cursor: FoldContext, parts: list[Json], pointer: str) -> None:
        """Take content sent as a list: text parts grow the content, thinking parts the
        reasoning.
        """
        self.message.setdefault("content", None)
        cursor.note(Anomaly.CONTENT_PARTS, pointer, str(self.index))
        for part in parts:
            start = self._content_pieces()
            name, text = part_text(part)
            if text is None:
                cursor.note(Anomaly.BAD_CONTENT, pointer, "content")
            else:
                self._take_text(cursor, name, text, pointer)
            if cursor.allowance.admits(LimitedItem.CONTENT_PARTS):
                self._content_parts.append(PlacedPart(start, self._content_pieces(), part))

    def _has_content(self) -> bool:
        """True if content came that is more than white space, with which some models begin."""
        pieces = self.texts["content"].parts if "content" in self.texts else []
        while self._blank_pieces < len(pieces):
            if pieces[self._blank_pieces].strip():
                return True
            self._blank_pieces += 1
        return False

    def _content_pieces(self) -> int:
        return len(self.texts["content"].parts) if "content" in self.texts else 0

    def _came_after_finish(self, cursor: FoldContext, pointer: str) -> None:
        # Text and finish reason may come in one event, with their keys in either order.
        if self.finished_at != cursor.event:
            cursor.note(Anomaly.CONTENT_AFTER_FINISH, pointer, str(self.index))

    def _lane_to_mark(self) -> int | None:
        """The lane on which a mark of this choice is drawn, None if it has none yet."""
        # The newest lane is the one that the reader looks at when the mark comes.
        lanes = [text.lane for text in self.texts.values()]
        lanes += [self._calls.last_lane, self.text.lane if self.text else None]
        return next((lane for lane in reversed(lanes) if lane is not None), None)

    # -- what came out ----------------------------------------------------------------------------

    def choice_object(self) -> dict[str, Json]:
        """The choice as a whole completion would contain it."""
        choice: dict[str, Json] = {"index": self.index}
        if self.text is not None:
            choice["text"] = self.text.text()
        if self.message or self.text is None:
            choice["message"] = self._message_object()
        return choice | {name: merged_value(value) for name, value in self.fields.items()}

    def _message_object(self) -> dict[str, Json]:
        message = {name: merged_value(value) for name, value in self.message.items()}
        message |= {name: self._text_of(name) for name in self.texts if name in message}
        if self._content_parts:
            content = self.texts["content"].parts if "content" in self.texts else []
            message["content"] = interleave_parts(content, self._content_parts)
        if self._calls.calls:
            message["tool_calls"] = [call.entry() for call in self._calls.calls]
        if self._function_call:
            message["function_call"] = self._function_call.function_entry()
        return message

    def value(
        self, known_choice: frozenset[str], known_message: frozenset[str], allowance: Allowance
    ) -> Choice:
        content = self._text_of("content")
        legacy = self._function_call
        at_limit = self.fields.get("finish_reason") == "length"
        return Choice(
            index=self.index,
            role=text_or_null(self.message.get("role", UNSET)),
            content=content,
            text=self.text.text() if self.text is not None else UNSET,
            reasoning=self._reasoning(),
            refusal=self._text_of("refusal"),
            finish_reason=self.fields.get("finish_reason", UNSET),
            tool_calls=tuple(
                call.tool_call(allowance, at_limit=at_limit) for call in self._calls.calls
            ),
            function_call=legacy.function_call(at_limit=at_limit) if legacy else None,
            logprobs=merged_value(self.fields.get("logprobs", UNSET)),
            annotations=_list_or_null(merged_value(self.message.get("annotations", UNSET))),
            inline_reasoning=inline_reasoning(content),
            feedback_token=merged_value(self.fields.get("feedback_token", UNSET)),
            cost_usd=self._decimal("cost_usd"),
            duration_seconds=self._decimal("duration_seconds"),
            extras=self._extras(known_choice, known_message, allowance),
        )

    def _reasoning(self) -> Any:
        sent = (name for name in REASONING_NAMES if name in self.message)
        name = self._reasoning_name or next(sent, None)
        return self._text_of(name) if name else UNSET

    def _text_of(self, name: str) -> Any:
        if name in self.texts:
            text = self.texts[name]
            return text.last() if self.is_snapshot and name == "content" else text.text()
        return None if self.message.get(name, UNSET) is None else UNSET

    def _decimal(self, name: str) -> Any:
        if name in self._decimals:
            return self._decimals[name]
        return None if self.fields.get(name, UNSET) is None else UNSET

    def _is_odd(self, name: str, value: Json) -> bool:
        """True for a value in a decimal field that is not a number; it goes to the extras."""
        return name in DECIMALS and name not in self._decimals and value is not None

    def _extras(
        self,
        known_choice: frozenset[str],
        known_message: frozenset[str],
        allowance: Allowance,
    ) -> dict[str, Json]:
        extras = {
            f"/{escape_step(key)}": value
            for key, value in self.fields.items()
            if key not in known_choice or self._is_odd(key, value)
        }
        for key, value in self.message.items():
            if key not in known_message or (key == "role" and is_odd_text(value)):
                extras[f"/message/{escape_step(key)}"] = value
        kept = allowance.first(LimitedItem.UNKNOWN_FIELDS, extras)
        return {pointer: merged_value(value) for pointer, value in kept.items()}


def part_text(part: Json) -> tuple[str, str | None]:
    """Return the message field that a content part adds to, and the text; None if it has none."""
    if not isinstance(part, dict):
        return "content", None
    if part.get("type") == "thinking":
        return "reasoning_content", _join_texts(part.get("thinking"))
    return "content", _join_texts(part.get("text", ""))


def inline_reasoning(content: Any) -> InlineReasoning | None:
    """Find a ``<think>`` passage at the start of the content. The content keeps it."""
    if not isinstance(content, str):
        return None
    # Models put line ends before the tag; only the start counts, for ``<think>`` may be quoted.
    start = len(content) - len(content.lstrip())
    if not content.startswith("<think>", start):
        return None
    end = content.find("</think>", start)
    return InlineReasoning(start, end + len("</think>") if end >= 0 else None)


def _join_texts(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    return "".join(part_text(part)[1] or "" for part in value)


def _list_or_null(value: Json) -> Any:
    return value if value is UNSET or value is None or isinstance(value, list) else UNSET
