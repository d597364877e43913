"""Folds the objects of all events into one answer: top-level fields, choices, usage, clocks.

Of ``id``, ``created``, ``model`` and ``system_fingerprint`` the first value that is neither null,
"" nor 0 is kept, of usage the last one, of ``service_tier`` the last one that names a tier. Unknown
fields stay at their level. Nothing is allocated by an index from outside, and no numbers are added
up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core import service_tier
from inspector.core.analysis import CreatedTimes
from inspector.core.completion import Json, is_index
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.chunk_fast_path import ChunkShape, varying_fields
from inspector.core.fold.engine import Handlers, Node, Path, descend, node_at
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.merge_unknown import merge_values, merged_value
from inspector.core.fold.message import ChoiceFold
from inspector.core.formats.dialect import FieldsSeen
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
    Padding,
    ProviderTime,
    TypeLabel,
    UsageCounts,
    UsageElsewhere,
)
from inspector.core.formats.provider_error import error_message
from inspector.core.json.raw_values import RawValue
from inspector.core.limits import MAX_CHOICES, LimitedItem
from inspector.core.service_tier import ServiceTierFold
from inspector.core.tape import EventKind, MarkKind
from inspector.core.tokens.usage import MAX_COUNT, is_grown

MAX_TYPES_SEEN = 64


class AnswerFold:
    """Takes the object of every event; the context holds the number of that event."""

    def __init__(self, cursor: FoldContext, root: Node) -> None:
        self._cursor = cursor
        cursor.answer = self
        self.read_by(root)
        self.top: dict[str, Json] = {}
        self.choices: dict[int, ChoiceFold] = {}
        self._highest_choice = -1
        self.usage = RawValue()
        self._usage_elsewhere = RawValue()
        self.clocks: dict[str, RawValue] = {}
        """Last place of each top-level field with the provider's own times, by name."""
        self.created: CreatedTimes | None = None
        self.tier = ServiceTierFold()
        self.at_choice: int | None = None
        """Index of the choice in the last chunk."""
        self.last: dict[str, Json] = {}
        """Last value sent for each top-level field."""
        self.objects: dict[str, int] = {}
        """First event of each value of ``object``."""
        self._types: dict[str, int] = {}
        self.lacking: dict[str, int] = {}
        """First chunk without it, for each field that stands in every chunk. No anomaly: most
        streams lack one of them, and a chunk with an anomaly is no model for the fast path.
        """

    def read_by(self, root: Node) -> None:
        """Set the table by which objects are read. Nothing may have been taken yet."""
        self._root = root
        self._cursor.varying = varying_fields(root)

    def take(self, value: dict[str, Json]) -> None:
        """Take an object, except its usage."""
        self._root.take(self._cursor, self._root, value, (), None)

    def take_alike(self, template: ChunkShape, text: str, others: dict[str, Json]) -> None:
        """Take a chunk that has a known shape: its text, and those other fields that differ."""
        # The fast path skips the choice's own fields, not the order of choices.
        if template.choice != self.at_choice:
            self.turn_to(template.choice)
        template.text.grow_alike(self._cursor, text, template.place)
        for name, value in others.items():
            if name == "usage":
                self.take_usage(value, ("usage",))
            else:
                self.top[name] = self.last[name] = value

    # -- fields beside the choices ----------------------------------------------------------------

    def merge_field(self, key: str, value: Json) -> None:
        self.top[key] = merge_values(self.top.get(key, UNSET), value)

    def take_identity(self, key: str, value: Json, path: Path) -> None:
        kept, last = self.top.get(key), self.last.get(key)
        if key == "created":
            self._take_created(value)
        # Empty values never replace one: many gateways send ``""`` or 0 in the first or last chunk.
        if not kept:
            self.top[key] = value if value or key not in self.top else kept
        elif value and value != (last or kept):
            detail = f"{shorten(last or kept)} became {shorten(value)}"
            self._cursor.note(Anomaly.FIELD_CHANGED, path, key, detail)
            if key == service_tier.NAME and service_tier.is_named(value):
                self.top[key] = value

    def _take_created(self, value: Json) -> None:
        """Called only for values that differ from the one before."""
        if value.__class__ is not int or not 0 < value <= MAX_COUNT:
            return
        if self.created is None:
            self.created = CreatedTimes(first=value, last=value, changes=0)
        elif value != self.created.last:
            changes = self.created.changes + 1
            self.created = CreatedTimes(first=self.created.first, last=value, changes=changes)

    def take_object_label(self, value: Json) -> None:
        if isinstance(value, str) and len(self.objects) < MAX_TYPES_SEEN:
            self.objects.setdefault(value, self._cursor.event)

    def take_type_label(self, value: Json) -> None:
        if isinstance(value, str) and len(self._types) < MAX_TYPES_SEEN:
            self._types.setdefault(value, self._cursor.event)

    def take_usage_of(self, value: dict[str, Json]) -> None:
        """Take usage and service tier of an object. Must come after ``take``."""
        usage = value.get("usage")
        if "usage" in value:
            self.take_usage(usage, ("usage",))
        inside = usage.get(service_tier.NAME) if isinstance(usage, dict) else None
        beside = value.get(service_tier.NAME)
        # Most chunks state none.
        if beside is not None or inside is not None:
            self.tier.take(beside, inside)

    def take_message_alone(self, value: dict[str, Json]) -> None:
        """Take a body that is one message, as the only choice."""
        fold = self.choice_fold({"index": 0}, "index", ("choices", 0))
        if fold is not None:
            self._cursor.choice = fold
            node = node_at(self._root, ("choices", "*", "message"))
            node.take(self._cursor, node, value, (), {})

    def take_usage_alone(self, value: dict[str, Json]) -> None:
        """Take a body that is one usage object, perhaps under its name."""
        if value.keys() == {"usage"}:
            self.take_usage(value["usage"], ("usage",))
        else:
            self.take_usage(value, ())

    def take_usage(self, value: Json, path: Path) -> None:
        if value is None:
            self.usage = RawValue(None) if self.usage.value is UNSET else self.usage
            return
        # Some vendors repeat the same usage in every chunk: only another value is worth a note.
        if self.usage.at is not None and value != self.usage.value:
            has_grown = is_grown(self.usage.value, value)
            oddity = Anomaly.USAGE_GROWN if has_grown else Anomaly.USAGE_REPEATED
            self._cursor.note(oddity, path)
        self.usage = self._cursor.found(value, path)
        self._cursor.mark(MarkKind.USAGE)

    def take_usage_elsewhere(self, value: Json, path: Path) -> None:
        self._usage_elsewhere = self._cursor.found(value, path)
        if self.usage.at is None:
            self._cursor.mark(MarkKind.USAGE)

    def take_error_event(self, value: dict[str, Json]) -> None:
        """Take the data of an event named ``error``."""
        for key, field in value.items():
            node = self._root.members.get(key) or self._root.other
            if node is not None:
                node.take(self._cursor, node, field, (key,), value)
        self.take_error(value, ())

    def take_error(self, value: Json, path: Path) -> None:
        event = self._cursor.event
        if self._cursor.tape.kind[event] is EventKind.CHUNK and not self._cursor.is_whole:
            self._cursor.tape.kind[event] = EventKind.ERROR
        self._cursor.note(Anomaly.PROVIDER_ERROR, path, "error", error_message(value))

    # -- choices ----------------------------------------------------------------------------------

    def turn_to(self, index: int) -> None:
        """Note that chunks change from one choice to another."""
        # The first chunk of each choice is no return to it.
        if self.at_choice is not None and self.choices[index].has_begun:
            self._cursor.note_once(Anomaly.CHOICES_INTERLEAVED, ("choices",))
        self.choices[index].has_begun = True
        self.at_choice = index

    def choice_fold(self, choice: Json, name: str, path: Path) -> ChoiceFold | None:
        """Find or open the choice; None if it is not an object or there are too many choices."""
        position = path[-1]
        if not isinstance(choice, dict):
            self._cursor.note(Anomaly.BAD_CHOICE, path, "choice")
            return None
        index, is_whole = choice.get(name, UNSET), self._cursor.is_whole
        if not is_index(index):
            oddity = Anomaly.CHOICE_INDEX_MISSING if index in (UNSET, None) else Anomaly.BAD_INDEX
            self._cursor.note(oddity, path, "choice")
            # A whole answer lists its choices in order; a stream without indexes has one choice.
            index = position if is_whole else 0
        elif is_whole and index in self.choices:
            self._cursor.note(Anomaly.REPEATED_INDEX, (*path, name))
        elif is_whole and index != position:
            self._cursor.note(Anomaly.INDEX_NOT_POSITION, (*path, name))
        if is_whole and index in self.choices:
            # A repeated index in a whole body is another choice: merging would mix their texts.
            index = self._highest_choice + 1
        if index not in self.choices:
            # A stream may name as many indexes as it has chunks; each would cost a fold of its own.
            if not self._cursor.allowance.admits(LimitedItem.CHOICES):
                return None
            self.choices[index] = ChoiceFold(index, position)
            self._highest_choice = max(self._highest_choice, index)
        return self.choices[index]

    # -- what came out ----------------------------------------------------------------------------

    @property
    def found_usage(self) -> RawValue:
        """The last usage at a usual place; if there is none, the last that stood elsewhere."""
        is_usual = self.usage.at is not None or self._usage_elsewhere.at is None
        return self.usage if is_usual else self._usage_elsewhere

    def ordered_choices(self) -> list[ChoiceFold]:
        return [self.choices[index] for index in sorted(self.choices)]

    def signs(self) -> FieldsSeen:
        choices = self.choices.values()
        legacy = {"text"} if any(choice.text is not None for choice in choices) else set()
        messages: set[str] = set().union(*(choice.message for choice in choices))
        return FieldsSeen(
            top=frozenset(self.top),
            choice=frozenset(legacy.union(*(choice.fields for choice in choices))),
            message=frozenset(messages),
            objects=frozenset(self.objects),
            types=frozenset(self._types),
        )

    def completion(self, object_name: str) -> dict[str, Json]:
        """This stream as the one object that the provider would have sent without streaming."""
        top = {name: merged_value(it) for name, it in self.top.items() if not self._pads(name, it)}
        completion = top | {"object": object_name}
        if "choices" in completion:
            completion["choices"] = [choice.choice_object() for choice in self.ordered_choices()]
        if self.found_usage.value is not UNSET:
            completion["usage"] = self.found_usage.value
        return completion

    def _pads(self, name: str, value: Json) -> bool:
        """True for text that only hides the length of a chunk. It stays in extras."""
        node = self._root.members.get(name)
        return node is not None and isinstance(node.effect, Padding) and isinstance(value, str)


# -- handlers -------------------------------------------------------------------------------------


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


def _take_object_label(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    cursor.answer.take_object_label(value)


def _take_type_label(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    cursor.answer.take_type_label(value)


def _take_provider_time(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    _take_field(cursor, node, value, path, _)
    if value is not None:
        cursor.answer.clocks[path[-1]] = cursor.found(value, path)


def _take_error(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    within = node.effect.within
    if not within:
        _take_field(cursor, node, value, path, _)
    if value and (not within or path[-2].startswith(within)):
        cursor.answer.take_error(value, path)


def _take_usage_elsewhere(cursor: FoldContext, node: Node, value: Json, path: Path, _: Any) -> None:
    if isinstance(value, dict) and node.effect.sign in value:
        cursor.answer.take_usage_elsewhere(value, path)


def _take_usage(cursor: FoldContext, _node: Node, value: Json, path: Path, _: Any) -> None:
    cursor.answer.take_usage(value, path)


def _take_choices(
    cursor: FoldContext, node: Node, choices: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if isinstance(choices, list):
        item = node.item
        assert item is not None
        cursor.is_steady = len(choices) == 1
        for position, choice in enumerate(choices[:MAX_CHOICES]):
            item.take(cursor, item, choice, (*path, position), choices)
        beyond = max(len(choices) - MAX_CHOICES, 0)
        cursor.allowance.leave_out(LimitedItem.CHOICES, beyond)
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
    Padding: _take_field,
    ProviderTime: _take_provider_time,
    TypeLabel: _take_type_label,
    UsageCounts: _take_usage,
    UsageElsewhere: _take_usage_elsewhere,
}
