"""Handlers for effects on the answer and its choices."""

from collections.abc import Mapping
from typing import Any

from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.formats import grammar as effects
from inspector.core.formats.provider_error import is_blank, stated_error
from inspector.core.json import Json
from inspector.core.limits import MAX_CHOICES, LimitedItem

WHOLE_OBJECT, CHUNK_OBJECT = "chat.completion", "chat.completion.chunk"
"""Names that answers and their chunks give themselves."""
CONTAINERS = (dict, list)


def _take_chunk(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take the fields that differ from the last chunk's, then the choices. Usage comes later."""
    answer, members, other = context.answer, node.members, node.other
    last, has_news = answer.last, False
    for key, item in value.items():
        # Most fields repeat in every chunk; only a changed value is worth the work.
        if key in last and last[key] == item:
            continue
        inner = members.get(key, other)
        if inner is None:
            continue
        effect = inner.effect.__class__
        if effect is effects.ChoiceList or effect is effects.UsageCounts:
            answer.top.setdefault(key, None)
            continue
        inner.take(context, inner, item, (*path, key), value)
        last[key] = item
        has_news = has_news or effect is not effects.Padding
    choices = members["choices"]
    assert choices is not None
    choices.take(context, choices, value.get("choices"), (*path, "choices"), value)
    context.has_news = has_news


def _take_field(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    context.answer.merge_field(context.name_at(path), value)
    if node.members and value.__class__ in CONTAINERS:
        descend(context, node, value, path)


def _take_identity(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    context.answer.take_identity(context.name_at(path), value, path)
    if node.effect.means and value:
        context.answer.identity_inside.setdefault(node.effect.means, value)
    if node.members and value.__class__ in CONTAINERS:
        descend(context, node, value, path)


def _take_padding(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    # Events that build the answer have fields of their own, which are none of the answer's.
    if context.document is None:
        _take_field(context, node, value, path, _)


def _take_object_label(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(context, node, value, path, _)
    context.answer.take_object_label(value)


def _take_type_label(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(context, node, value, path, _)
    context.answer.take_type_label(value)


def _take_outcome(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    answer, effect = context.answer, node.effect
    answer.outcomes += 1
    answer.take_type_label(value)
    if value != effect.answered:
        answer.leave_choice(context.choice)
    if isinstance(value, str) and value in effect.unsaid:
        answer.take_error(value, path)


def _take_provider_time(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(context, node, value, path, _)
    if value is not None:
        context.answer.clocks[context.name_at(path)] = context.found(value, path)


def _take_error(context: FoldState, node: Node, value: Json, path: Path, around: Any) -> None:
    within = node.effect.within
    if not within and not node.effect.is_event:
        _take_field(context, node, value, path, around)
    held = value.get("error") if node.effect.is_event and isinstance(value, dict) else None
    if isinstance(held, dict):
        value, path = held, (*path, "error")
    if value and not is_blank(value) and (not within or path[-2].startswith(within)):
        # A text, number or true has its reason beside it: {"error": "Not Found", "message": …}.
        is_bare = isinstance(value, str | int) and len(path) == 1
        context.answer.take_error(around if is_bare else value, path)


def _take_usage_elsewhere(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict) and node.effect.sign in value:
        context.answer.take_usage_elsewhere(value, path)


def _take_usage(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    answer = context.answer
    answer.take_usage(value, path)
    if context.document is not None:
        answer.top[context.name_at(path)] = value
        if node.members:
            descend(context, node, value, path)
        answer.take_inner_tier(value)


def _take_choices(
    context: FoldState, node: Node, choices: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if isinstance(choices, list):
        item = node.item
        assert item is not None
        context.is_steady = len(choices) == 1
        for position, choice in enumerate(choices[:MAX_CHOICES]):
            item.take(context, item, choice, (*path, position), choices)
        if len(choices) > MAX_CHOICES:
            context.allowance.leave_out(LimitedItem.CHOICES, len(choices) - MAX_CHOICES)
    elif choices is not None:
        context.note(Anomaly.BAD_CHOICE, path, "choices")
    if not context.is_whole:
        # Nearly every chunk has all of them.
        if not all(map(around.get, node.effect.beside)):
            _note_lacking_fields(context, node, choices, around)
        if not choices:
            _note_no_choice(context, choices, path, around)


def _note_lacking_fields(
    context: FoldState, node: Node, choices: Json, around: Mapping[str, Json]
) -> None:
    if isinstance(choices, list) and not around.get("error"):
        for name in node.effect.beside:
            if not around.get(name):
                context.answer.lacking.setdefault(name, context.event)


def _note_no_choice(
    context: FoldState, choices: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if around.get("error"):
        return
    if choices is None:
        if stated_error(around) is None:
            context.note(Anomaly.CHOICES_MISSING, path)
    elif choices == [] and not around.get("usage"):
        context.note(Anomaly.EMPTY_CHOICES, path)


def _take_choice(context: FoldState, node: Node, choice: Json, path: Path, _: Any) -> None:
    answer = context.answer
    fold = answer.choice_fold(choice, node.effect.index, path)
    if fold is None:
        return
    if fold.index != answer.at_choice:
        answer.turn_to(fold.index)
    context.choice = fold
    if not context.is_whole:
        if "finish_reason" not in choice or "delta" not in choice:
            _note_missing_fields(context, choice, path)
        context.is_repeat = fold.has_pieces and _is_said_again(context, choice)
    descend(context, node, choice, path)
    context.is_repeat = False


def _is_said_again(context: FoldState, choice: Mapping[str, Json]) -> bool:
    """Return True for a choice that is sent whole behind its deltas."""
    if "message" in choice and not choice.get("delta"):
        return isinstance(choice["message"], dict)
    answer = context.answer
    if answer.last.get("object") != WHOLE_OBJECT or CHUNK_OBJECT not in answer.objects:
        return False
    delta = choice.get("delta")
    return isinstance(delta, dict) and context.choice.has_said(delta)


def _note_missing_fields(context: FoldState, choice: dict[str, Json], path: Path) -> None:
    if "finish_reason" not in choice:
        context.note_once(Anomaly.FINISH_KEY_MISSING, (*path, "finish_reason"))
    if choice.keys().isdisjoint(("delta", "message", "text")):
        context.note(Anomaly.DELTA_MISSING, (*path, "delta"))


def _take_choice_usage(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict):
        context.note(Anomaly.USAGE_ON_CHOICE, path)
        context.answer.take_usage(value, path)
    context.choice.take_field("usage", value)


def _take_choice_error(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if value and not is_blank(value):
        context.answer.take_error(value, path)
    context.choice.take_field("error", value)


HANDLERS: Handlers = {
    effects.AnswerField: _take_field,
    effects.ChoiceError: _take_choice_error,
    effects.ChoiceItem: _take_choice,
    effects.ChoiceList: _take_choices,
    effects.ChoiceUsage: _take_choice_usage,
    effects.Chunk: _take_chunk,
    effects.ErrorObject: _take_error,
    effects.IdentityField: _take_identity,
    effects.ObjectLabel: _take_object_label,
    effects.OutcomeLabel: _take_outcome,
    effects.Padding: _take_padding,
    effects.ProviderTime: _take_provider_time,
    effects.TypeLabel: _take_type_label,
    effects.UsageCounts: _take_usage,
    effects.UsageElsewhere: _take_usage_elsewhere,
}
