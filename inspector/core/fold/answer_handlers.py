"""Handlers for effects on the answer and its choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.core.completion import Json
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_context import FoldContext
from inspector.core.formats.grammar import (
    AnswerField,
    ChoiceError,
    ChoiceItem,
    ChoiceList,
    ChoiceUsage,
    Chunk,
    ErrorObject,
    IdentityField,
    ObjectLabel,
    OutcomeLabel,
    Padding,
    ProviderTime,
    TypeLabel,
    UsageCounts,
    UsageElsewhere,
)
from inspector.core.limits import MAX_CHOICES, LimitedItem


def _take_chunk(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take the fields that differ from the last chunk's, then the choices. Usage comes later."""
    answer, members, other = cursor.answer, node.members, node.other
    last, has_news = answer.last, False
    for key, item in value.items():
        # Most fields repeat in every chunk; only a changed value is worth the work.
        if key in last and last[key] == item:
            continue
        inner = members.get(key, other)
        if inner is None:
            continue
        effect = inner.effect.__class__
        if effect is ChoiceList or effect is UsageCounts:
            answer.top.setdefault(key, None)
            continue
        inner.take(cursor, inner, item, (*path, key), value)
        last[key] = item
        has_news = has_news or effect is not Padding
    choices = members["choices"]
    assert choices is not None
    choices.take(cursor, choices, value.get("choices"), (*path, "choices"), value)
    cursor.has_news = has_news


def _take_field(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.answer.merge_field(path[-1], value)
    if node.members:
        descend(cursor, node, value, path)


def _take_identity(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.answer.take_identity(path[-1], value, path)
    if node.members:
        descend(cursor, node, value, path)


def _take_padding(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    # Events that build the answer have fields of their own, which are none of the answer's.
    if cursor.answer.document is None:
        _take_field(cursor, node, value, path, _)


def _take_object_label(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    cursor.answer.take_object_label(value)


def _take_type_label(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    cursor.answer.take_type_label(value)


def _take_outcome(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    answer, effect = cursor.answer, node.effect
    answer.outcomes += 1
    answer.take_type_label(value)
    if value != effect.answered:
        answer.leave_choice(cursor.choice)
    if isinstance(value, str) and value in effect.unsaid:
        answer.take_error(value, path)


def _take_provider_time(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    if value is not None:
        cursor.answer.clocks[path[-1]] = cursor.found(value, path)


def _take_error(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    within = node.effect.within
    if not within and not node.effect.is_event:
        _take_field(cursor, node, value, path, _)
    held = value.get("error") if node.effect.is_event and isinstance(value, dict) else None
    if isinstance(held, dict):
        value, path = held, (*path, "error")
    if value and (not within or path[-2].startswith(within)):
        cursor.answer.take_error(value, path)


def _take_usage_elsewhere(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict) and node.effect.sign in value:
        cursor.answer.take_usage_elsewhere(value, path)


def _take_usage(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    answer = cursor.answer
    answer.take_usage(value, path)
    if answer.document is not None:
        answer.top[path[-1]] = value
        if node.members:
            descend(cursor, node, value, path)
        answer.take_inner_tier(value)


def _take_choices(
    cursor: FoldContext, node: Node, choices: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if isinstance(choices, list):
        item = node.item
        assert item is not None
        cursor.is_steady = len(choices) == 1
        for position, choice in enumerate(choices[:MAX_CHOICES]):
            item.take(cursor, item, choice, (*path, position), choices)
        if len(choices) > MAX_CHOICES:
            cursor.allowance.leave_out(LimitedItem.CHOICES, len(choices) - MAX_CHOICES)
    elif choices is not None:
        cursor.note(Anomaly.BAD_CHOICE, path, "choices")
    if not cursor.is_whole:
        _note_lacking_fields(cursor, node, choices, around)
        if not choices:
            _note_no_choice(cursor, choices, path, around)


def _note_lacking_fields(
    cursor: FoldContext, node: Node, choices: Json, around: Mapping[str, Json]
) -> None:
    if isinstance(choices, list) and not around.get("error"):
        for name in node.effect.beside:
            if not around.get(name):
                cursor.answer.lacking.setdefault(name, cursor.event)


def _note_no_choice(
    cursor: FoldContext, choices: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if around.get("error"):
        return
    if choices is None:
        cursor.note(Anomaly.CHOICES_MISSING, path)
    elif choices == [] and not around.get("usage"):
        cursor.note(Anomaly.EMPTY_CHOICES, path)


def _take_choice(cursor: FoldContext, node: Node, choice: Json, path: Path, _: Any) -> None:
    answer = cursor.answer
    fold = answer.choice_fold(choice, node.effect.index, path)
    if fold is None:
        return
    if fold.index != answer.at_choice:
        answer.turn_to(fold.index)
    cursor.choice = fold
    if not cursor.is_whole:
        _note_missing_fields(cursor, choice, path)
    descend(cursor, node, choice, path)


def _note_missing_fields(cursor: FoldContext, choice: dict[str, Json], path: Path) -> None:
    if "finish_reason" not in choice:
        cursor.note_once(Anomaly.FINISH_KEY_MISSING, (*path, "finish_reason"))
    if "delta" not in choice and "message" not in choice and "text" not in choice:
        cursor.note(Anomaly.DELTA_MISSING, (*path, "delta"))


def _take_choice_usage(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict):
        cursor.note(Anomaly.USAGE_ON_CHOICE, path)
        cursor.answer.take_usage(value, path)
    cursor.choice.take_field(cursor, "usage", value)


def _take_choice_error(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    if value:
        cursor.answer.take_error(value, path)
    cursor.choice.take_field(cursor, "error", value)


HANDLERS: Handlers = {
    AnswerField: _take_field,
    ChoiceError: _take_choice_error,
    ChoiceItem: _take_choice,
    ChoiceList: _take_choices,
    ChoiceUsage: _take_choice_usage,
    Chunk: _take_chunk,
    ErrorObject: _take_error,
    IdentityField: _take_identity,
    ObjectLabel: _take_object_label,
    OutcomeLabel: _take_outcome,
    Padding: _take_padding,
    ProviderTime: _take_provider_time,
    TypeLabel: _take_type_label,
    UsageCounts: _take_usage,
    UsageElsewhere: _take_usage_elsewhere,
}
