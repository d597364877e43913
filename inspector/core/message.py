"""One choice while it is being put together: deltas in, a choice and its message object out.

A whole body is read by the same fold: its ``message`` is one delta that says everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core import json_text
from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    InlineReasoning,
    Json,
    ToolCall,
)
from inspector.core.tape import Lane, LaneKind, TapeBuilder

TEXT_LANES: Mapping[str, LaneKind] = {
    "content": LaneKind.CONTENT,
    "reasoning_content": LaneKind.REASONING,
    "reasoning": LaneKind.REASONING,
    "refusal": LaneKind.REFUSAL,
}
BREAKS_ARGUMENTS = json_text.FATAL | {json_text.FaultKind.NUMBER_OUT_OF_RANGE}
REASONING_NAMES = ("reasoning_content", "reasoning")


class GrowingText:
    """Text that comes in pieces. ``lane`` is None until it holds a character that is drawn."""

    __slots__ = ("lane", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.lane: int | None = None

    def text(self) -> str:
        """The pieces joined; surrogate halves that two events shared become one character again."""
        joined = "".join(self.parts)
        if joined.isascii():
            return joined
        try:
            joined.encode()
        except UnicodeEncodeError:
            return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return joined

    def last(self) -> str:
        """The last piece that says something: all that holds of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")


class CallFold:
    """One tool call, or the legacy function call, while its arguments grow."""

    def __init__(self, position: int, index: int) -> None:
        self.position = position
        self.index = index
        self.fields: dict[str, Json] = {}
        self.function: dict[str, Json] = {}
        self.arguments = GrowingText()
        self.arguments_object: Json = None

    @property
    def id(self) -> Json:
        return self.fields.get("id")

    def name(self, entry: Mapping[str, Json]) -> None:
        """Keep what an entry says beside its arguments: of id the last, of the rest the first."""
        for key, value in entry.items():
            if key in ("index", "function"):
                continue
            if key == "id":
                if value or key not in self.fields:
                    self.fields[key] = value
            elif not self.fields.get(key):
                self.fields[key] = value

    def entry(self) -> dict[str, Json]:
        """The call as a whole completion would hold it."""
        return {**self.fields, "function": self.function_entry()} if self.function else self.fields

    def function_entry(self) -> dict[str, Json]:
        if self.arguments_object is not None:
            return {**self.function, "arguments": self.arguments_object}
        if self.arguments.parts:
            return {**self.function, "arguments": self.arguments.text()}
        return self.function

    def value(self) -> ToolCall:
        text = self.arguments.text()
        state, invalid_at = arguments_state(text)
        known = {"id", "type"}
        return ToolCall(
            index=self.index,
            id=_text_or_null(self.fields.get("id", UNSET)),
            type=_text_or_null(self.fields.get("type", UNSET)),
            name=_text_or_null(self.function.get("name", UNSET)),
            arguments_text=text,
            arguments_state=state,
            invalid_at=invalid_at,
            extras={f"/{key}": value for key, value in self.fields.items() if key not in known}
            | {
                f"/function/{key}": value
                for key, value in self.function.items()
                if key not in ("name", "arguments")
            },
        )

    def function_call(self) -> FunctionCall:
        text = self.arguments.text()
        state, invalid_at = arguments_state(text)
        name = _text_or_null(self.function.get("name", UNSET))
        return FunctionCall(
            name=name, arguments_text=text, arguments_state=state, invalid_at=invalid_at
        )


class ChoiceFold:
    """Everything that was sent for one choice index."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.fields: dict[str, Json] = {}
        """Choice level, beside index and message."""
        self.message: dict[str, Json] = {}
        """Message level, in order of first appearance; texts stand in ``texts``."""
        self.texts: dict[str, GrowingText] = {}
        self.content_parts: list[Json] | None = None
        self.is_snapshot = False
        """Each piece of content is the whole text so far; the last one holds."""
        self.text: GrowingText | None = None
        """The legacy format's text, which stands beside the index and not in a message."""
        self.calls: list[CallFold] = []
        self.calls_by_index: dict[int, CallFold] = {}
        self.function_call: CallFold | None = None
        self.reasoning_name: str | None = None
        self.finished_at: int | None = None
        self.decimals: dict[str, str] = {}
        """Stated cost and duration, as the wire spelled them."""

    def open_lane(self, kind: LaneKind, tape: TapeBuilder, call: CallFold | None = None) -> int:
        return tape.lane(Lane(self.index, kind, call.position if call else None))

    def any_lane(self) -> int | None:
        """The lane that a mark of this choice is drawn on, None while it has said nothing."""
        texts = [*self.texts.values(), *(call.arguments for call in self.calls)]
        texts += [self.text] if self.text else []
        return next((text.lane for text in reversed(texts) if text.lane is not None), None)

    def reasoning(self) -> str | None | Any:
        name = self.reasoning_name or next((n for n in REASONING_NAMES if n in self.message), None)
        return self.text_of(name) if name else UNSET

    def text_of(self, name: str) -> str | None | Any:
        if name in self.texts:
            text = self.texts[name]
            return text.last() if self.is_snapshot and name == "content" else text.text()
        return None if self.message.get(name, UNSET) is None else UNSET

    def message_object(self) -> dict[str, Json]:
        """The message as a whole completion would hold it."""
        message = {name: settled(value) for name, value in self.message.items()}
        message |= {name: self.text_of(name) for name in self.texts if name in message}
        if self.content_parts is not None:
            message["content"] = self.content_parts
        if self.calls:
            message["tool_calls"] = [call.entry() for call in self.calls]
        if self.function_call:
            message["function_call"] = self.function_call.function_entry()
        return message

    def choice_object(self) -> dict[str, Json]:
        """The choice as a whole completion would hold it."""
        choice: dict[str, Json] = {"index": self.index}
        if self.text is not None:
            choice["text"] = self.text.text()
        if self.message or self.text is None:
            choice["message"] = self.message_object()
        return choice | {name: settled(value) for name, value in self.fields.items()}

    def value(self, known_choice: frozenset[str], known_message: frozenset[str]) -> Choice:
        content = self.text_of("content")
        return Choice(
            index=self.index,
            role=_text_or_null(self.message.get("role", UNSET)),
            content=content,
            text=self.text.text() if self.text is not None else UNSET,
            reasoning=self.reasoning(),
            refusal=self.text_of("refusal"),
            finish_reason=self.fields.get("finish_reason", UNSET),
            tool_calls=tuple(call.value() for call in self.calls),
            function_call=self.function_call.function_call() if self.function_call else None,
            logprobs=settled(self.fields.get("logprobs", UNSET)),
            annotations=_list_or_null(self.message.get("annotations", UNSET)),
            inline_reasoning=inline_reasoning(content),
            feedback_token=self.fields.get("feedback_token", UNSET),
            cost_usd=self._decimal("cost_usd"),
            duration_seconds=self._decimal("duration_seconds"),
            extras=self._extras(known_choice, known_message),
        )

    def _decimal(self, name: str) -> Any:
        if name in self.decimals:
            return self.decimals[name]
        return None if self.fields.get(name, UNSET) is None else UNSET

    def _extras(
        self, known_choice: frozenset[str], known_message: frozenset[str]
    ) -> dict[str, Json]:
        extras = {f"/{key}": value for key, value in self.fields.items() if key not in known_choice}
        for key, value in self.message.items():
            if key not in known_message:
                extras[f"/message/{key}"] = settled(value)
        return extras


class Parts(list[str]):
    """Texts sent under one unknown name: a label where all are equal, else a text that grew."""


def gather(into: dict[str, Json], key: str, value: Json) -> None:
    """Keep a field that no document defines: lists are joined, objects merged, numbers replaced."""
    kept = into.get(key)
    if value is None:
        into.setdefault(key, None)
    elif isinstance(value, str) and isinstance(kept, Parts):
        kept.append(value)
    elif isinstance(value, str):
        into[key] = Parts([value])
    elif isinstance(value, list) and isinstance(kept, list) and not isinstance(kept, Parts):
        kept.extend(value)
    elif isinstance(value, list):
        into[key] = list(value)
    elif isinstance(value, dict):
        merged = into[key] = kept if isinstance(kept, dict) else {}
        for name, item in value.items():
            gather(merged, name, item)
    else:
        into[key] = value


def settled(value: Json) -> Json:
    """What was gathered, as plain JSON."""
    if isinstance(value, Parts):
        return value[0] if len(set(value)) == 1 else "".join(value)
    if isinstance(value, dict):
        return {name: settled(item) for name, item in value.items()}
    return value


def arguments_state(text: str) -> tuple[ArgumentsState, int | None]:
    """What a tool call's argument text is, and its first breaking character."""
    if not text:
        return ArgumentsState.EMPTY, None
    faults = json_text.parse(text.encode(errors="replace")).faults
    fault = next((fault for fault in faults if fault.kind in BREAKS_ARGUMENTS), None)
    if fault is None:
        return ArgumentsState.VALID, None
    cut = fault.kind is json_text.FaultKind.TRUNCATED
    return (ArgumentsState.TRUNCATED if cut else ArgumentsState.INVALID), fault.character


def inline_reasoning(content: Any) -> InlineReasoning | None:
    """Where a ``<think>`` passage stands at the head of content, which keeps it."""
    if not isinstance(content, str):
        return None
    start = len(content) - len(content.lstrip())
    if not content.startswith("<think>", start):
        return None
    end = content.find("</think>", start)
    return InlineReasoning(start, end + len("</think>") if end >= 0 else None)


def _text_or_null(value: Json) -> Any:
    return value if value is UNSET or value is None or isinstance(value, str) else UNSET


def _list_or_null(value: Json) -> Any:
    return value if value is UNSET or value is None or isinstance(value, list) else UNSET
