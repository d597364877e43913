"""Folds the objects of all events into one answer: top-level fields, choices, usage, clocks.

Of ``id``, ``created``, ``model`` and ``system_fingerprint`` the first value that is neither null,
"" nor 0 is kept, of usage the last one, of ``service_tier`` the last one that names a tier. Unknown
fields stay at their level. Nothing is allocated by an index from outside, and no numbers are added
up.
"""

from __future__ import annotations

from msgspec import UNSET

from inspector.core import service_tier
from inspector.core.analysis import CreatedTimes
from inspector.core.completion import Json, is_index
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.chunk_fast_path import PADDING, ChunkShape
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.merge_unknown import merge_values, merged_value
from inspector.core.fold.message import ChoiceFold
from inspector.core.formats.dialect import FieldsSeen
from inspector.core.formats.provider_error import error_message
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue
from inspector.core.limits import MAX_CHOICES, LimitedItem
from inspector.core.service_tier import ServiceTierFold
from inspector.core.tape import EventKind, MarkKind
from inspector.core.timing.provider_clocks import FIELDS_OUTSIDE_USAGE
from inspector.core.tokens.usage import MAX_COUNT, is_grown

IDENTITY = frozenset({"id", "created", "model", "system_fingerprint", service_tier.NAME})
IN_EVERY_CHUNK = ("id", "object", "created", "model", "system_fingerprint")
"""Fields that stand in every chunk if they stand in one (001)."""
MAX_TYPES_SEEN = 64


class AnswerFold:
    """Takes the object of every event; the context holds the number of that event."""

    def __init__(self, cursor: FoldContext) -> None:
        self._cursor = cursor
        self.top: dict[str, Json] = {}
        self.choices: dict[int, ChoiceFold] = {}
        self._highest_choice = -1
        self.usage = RawValue()
        self._usage_beside = RawValue()
        self.clocks: dict[str, RawValue] = {}
        """Last place of each top-level field with the provider's own times, by name."""
        self.created: CreatedTimes | None = None
        self.tier = ServiceTierFold()
        self._at_choice: int | None = None
        """Index of the choice in the last chunk."""
        self._last: dict[str, Json] = {}
        """Last value sent for each top-level field."""
        self.objects: dict[str, int] = {}
        """First event of each value of ``object``."""
        self._types: dict[str, int] = {}
        self.lacking: dict[str, int] = {}
        """First chunk without it, for each field of ``IN_EVERY_CHUNK``. No anomaly: most streams
        lack one of them, and a chunk with an anomaly is no model for the fast path.
        """

    def take(self, value: dict[str, Json]) -> bool:
        """Take an object, except its usage. Return True if a top-level field differs from the last
        object.
        """
        last, has_news = self._last, False
        for key, item in value.items():
            if key in ("choices", "usage"):
                self.top.setdefault(key, None)
            # Most fields repeat in every chunk; only a changed value is worth the work.
            elif key not in last or last[key] != item:
                self._take_top(key, item)
                last[key] = item
                has_news = has_news or key not in PADDING
        choices = value.get("choices")
        if isinstance(choices, list):
            self._take_choices(choices)
        elif choices is not None:
            self._cursor.note(Anomaly.BAD_CHOICE, "/choices", "choices")
        if not self._cursor.is_whole:
            self._take_chunk_fields(value, choices)
        return has_news

    def _take_chunk_fields(self, value: dict[str, Json], choices: Json) -> None:
        if isinstance(choices, list) and not value.get("error"):
            for name in IN_EVERY_CHUNK:
                if not value.get(name):
                    self.lacking.setdefault(name, self._cursor.event)
        if not choices:
            self._take_no_choice(value, choices)

    def take_alike(self, template: ChunkShape, text: str, others: dict[str, Json]) -> None:
        """Take a chunk that has a known shape: its text, and those other fields that differ."""
        # The fast path skips the choice's own fields, not the order of choices.
        if template.choice != self._at_choice:
            self._turn_to(template.choice)
        template.text.grow(self._cursor, None, text)
        for name, value in others.items():
            if name == "usage":
                self._take_usage(value, "usage")
            else:
                self.top[name] = self._last[name] = value

    def _take_no_choice(self, value: dict[str, Json], choices: Json) -> None:
        if value.get("error"):
            return
        if choices is None:
            self._cursor.note(Anomaly.CHOICES_MISSING, "/choices")
        elif choices == [] and not value.get("usage"):
            self._cursor.note(Anomaly.EMPTY_CHOICES, "/choices")

    def _take_top(self, key: str, value: Json) -> None:
        if key in IDENTITY:
            self._take_identity(key, value)
        else:
            self.top[key] = merge_values(self.top.get(key, UNSET), value)
        if value.__class__ is dict:
            self._take_beside(key, value)
        if value is not None:
            self._take_sign(key, value)
            if key in FIELDS_OUTSIDE_USAGE:
                self.clocks[key] = self._cursor.found(value, (key,))

    def _take_sign(self, key: str, value: Json) -> None:
        """Record what identifies the dialect or an error object."""
        if key == "error" and value:
            self._take_error(value, "/error")
        elif key in ("object", "type") and isinstance(value, str):
            signs = self.objects if key == "object" else self._types
            if len(signs) < MAX_TYPES_SEEN:
                signs.setdefault(value, self._cursor.event)

    def _take_identity(self, key: str, value: Json) -> None:
        kept, last = self.top.get(key), self._last.get(key)
        if key == "created":
            self._take_created(value)
        # Empty values never replace one: many gateways send ``""`` or 0 in the first or last chunk.
        if not kept:
            self.top[key] = value if value or key not in self.top else kept
        elif value and value != (last or kept):
            detail = f"{shorten(last or kept)} became {shorten(value)}"
            self._cursor.note(Anomaly.FIELD_CHANGED, f"/{key}", key, detail)
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

    def take_usage_of(self, value: dict[str, Json]) -> None:
        """Take usage and service tier of an object. Must come after ``take``."""
        usage = value.get("usage")
        if "usage" in value:
            self._take_usage(usage, "usage")
        self.tier.take(
            value.get(service_tier.NAME),
            usage.get(service_tier.NAME) if isinstance(usage, dict) else None,
        )

    def take_message_alone(self, value: dict[str, Json]) -> None:
        """Take a body that is one message, as the only choice."""
        fold = self._choice_fold(0, {"index": 0})
        if fold is not None:
            fold.take_message(self._cursor, value, "")

    def take_usage_alone(self, value: dict[str, Json]) -> None:
        """Take a body that is one usage object, perhaps under its name."""
        if value.keys() == {"usage"}:
            self._take_usage(value["usage"], "usage")
        else:
            self._take_usage(value)

    def _take_usage(self, value: Json, *path: str | int) -> None:
        if value is None:
            self.usage = RawValue(None) if self.usage.value is UNSET else self.usage
            return
        # Some vendors repeat the same usage in every chunk: only another value is worth a note.
        if self.usage.at is not None and value != self.usage.value:
            has_grown = is_grown(self.usage.value, value)
            oddity = Anomaly.USAGE_GROWN if has_grown else Anomaly.USAGE_REPEATED
            self._cursor.note(oddity, pointer_to(path))
        self.usage = self._cursor.found(value, path)
        self._cursor.mark(MarkKind.USAGE)

    def _take_beside(self, key: str, value: dict[str, Json]) -> None:
        """Take an error and usage inside a vendor's own object (Groq's ``x_groq``). That usage
        counts only if there is none elsewhere.
        """
        if key.startswith("x_") and value.get("error"):
            self._take_error(value["error"], pointer_to((key, "error")))
        usage = value.get("usage")
        if isinstance(usage, dict) and "prompt_tokens" in usage:
            self._usage_beside = self._cursor.found(usage, (key, "usage"))
            if self.usage.at is None:
                self._cursor.mark(MarkKind.USAGE)

    def take_error(self, value: dict[str, Json]) -> None:
        """Take the data of an event named ``error``."""
        for key, field in value.items():
            self._take_top(key, field)
        self._take_error(value, "")

    def _take_error(self, value: Json, pointer: str) -> None:
        event = self._cursor.event
        if self._cursor.tape.kind[event] is EventKind.CHUNK and not self._cursor.is_whole:
            self._cursor.tape.kind[event] = EventKind.ERROR
        self._cursor.note(Anomaly.PROVIDER_ERROR, pointer, "error", error_message(value))

    # -- choices ----------------------------------------------------------------------------------

    def _take_choices(self, choices: list[Json]) -> None:
        for position, choice in enumerate(choices[:MAX_CHOICES]):
            self._take_choice(position, choice)
        beyond = max(len(choices) - MAX_CHOICES, 0)
        self._cursor.allowance.leave_out(LimitedItem.CHOICES, beyond)

    def _take_choice(self, position: int, choice: Json) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}"
        fold = self._choice_fold(position, choice)
        if fold is None:
            return
        if fold.index != self._at_choice:
            self._turn_to(fold.index)
        if not cursor.is_whole:
            _note_missing_fields(cursor, choice, pointer)
        for key, value in choice.items():
            if key == "delta":
                self._take_delta(fold, choice, f"{pointer}/delta")
            elif key == "finish_reason":
                fold.take_finish(cursor, value, f"{pointer}/finish_reason")
            elif key != "index":
                self._take_choice_field(fold, key, value, position, choice)

    def _take_delta(self, fold: ChoiceFold, choice: dict[str, Json], pointer: str) -> None:
        if self._cursor.is_whole:
            if choice["delta"]:
                self._cursor.note(Anomaly.DELTA_IN_WHOLE, pointer)
            if "message" in choice:
                # Folding both would join the text to itself.
                return
        fold.take_message(self._cursor, choice["delta"], pointer)

    def _take_choice_field(
        self, fold: ChoiceFold, key: str, value: Json, position: int, choice: dict[str, Json]
    ) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}/{key}"
        if key == "message":
            delta = choice.get("delta")
            # A message beside a delta repeats the text so far: taking both would double it.
            if isinstance(delta, dict) and delta and not cursor.is_whole:
                cursor.note(Anomaly.MESSAGE_BESIDE_DELTA, pointer)
                return
            if not cursor.is_whole:
                cursor.note(Anomaly.FOREIGN_CHUNK, pointer)
            fold.take_message(cursor, value, pointer)
            return
        if key == "text" and "delta" not in choice and "message" not in choice:
            fold.take_legacy_text(cursor, value, pointer)
            return
        if key == "usage" and isinstance(value, dict):
            cursor.note(Anomaly.USAGE_ON_CHOICE, pointer)
            self._take_usage(value, "choices", position, "usage")
        elif key == "error" and value:
            self._take_error(value, pointer)
        fold.take_field(cursor, key, value, position)

    def _turn_to(self, index: int) -> None:
        """Note that chunks change from one choice to another."""
        # The first chunk of each choice is no return to it.
        if self._at_choice is not None and self.choices[index].has_begun:
            self._cursor.note_once(Anomaly.CHOICES_INTERLEAVED, "/choices")
        self.choices[index].has_begun = True
        self._at_choice = index

    def _choice_fold(self, position: int, choice: Json) -> ChoiceFold | None:
        """Find or open the choice; None if it is not an object or there are too many choices."""
        if not isinstance(choice, dict):
            self._cursor.note(Anomaly.BAD_CHOICE, f"/choices/{position}", "choice")
            return None
        index, is_whole = choice.get("index", UNSET), self._cursor.is_whole
        if not is_index(index):
            oddity = Anomaly.CHOICE_INDEX_MISSING if index in (UNSET, None) else Anomaly.BAD_INDEX
            self._cursor.note(oddity, f"/choices/{position}", "choice")
            # A whole answer lists its choices in order; a stream without indexes has one choice.
            index = position if is_whole else 0
        elif is_whole and index in self.choices:
            self._cursor.note(Anomaly.REPEATED_INDEX, f"/choices/{position}/index")
        elif is_whole and index != position:
            self._cursor.note(Anomaly.INDEX_NOT_POSITION, f"/choices/{position}/index")
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
        is_usual = self.usage.at is not None or self._usage_beside.at is None
        return self.usage if is_usual else self._usage_beside

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
        top = {name: merged_value(it) for name, it in self.top.items() if not _is_padding(name, it)}
        completion = top | {"object": object_name}
        if "choices" in completion:
            completion["choices"] = [choice.choice_object() for choice in self.ordered_choices()]
        if self.found_usage.value is not UNSET:
            completion["usage"] = self.found_usage.value
        return completion


def _note_missing_fields(cursor: FoldContext, choice: dict[str, Json], pointer: str) -> None:
    if "finish_reason" not in choice:
        cursor.note_once(Anomaly.FINISH_KEY_MISSING, f"{pointer}/finish_reason")
    if "delta" not in choice and "message" not in choice and "text" not in choice:
        cursor.note(Anomaly.DELTA_MISSING, f"{pointer}/delta")


def _is_padding(name: str, value: Json) -> bool:
    """True for text that only hides the length of a chunk. Whole answers do not have it; it stays
    in extras.
    """
    return name in PADDING and isinstance(value, str)
