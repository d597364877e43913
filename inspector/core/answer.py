"""The objects of all events as one answer: fields beside the choices, choices, usage, clocks.

Of ``id``, ``created``, ``model`` and ``system_fingerprint`` the first value that is neither null,
"" nor 0 holds, of usage the last, of ``service_tier`` the last that names one; unknown fields stay
at their level. Nothing is sized by an index that came from outside, and no number is added up.
"""

from __future__ import annotations

from msgspec import UNSET

from inspector.core import service_tier
from inspector.core.analysis import Created
from inspector.core.completion import Json, is_index
from inspector.core.cursor import Cursor, Found, shorten
from inspector.core.dialects.dialect import Signs
from inspector.core.facts import error_message
from inspector.core.gathering import lay_over, settled
from inspector.core.limits import MAX_CHOICES, Capped
from inspector.core.message import ChoiceFold
from inspector.core.notes import Oddity
from inspector.core.pointer import pointer_to
from inspector.core.provider_clocks import KEPT
from inspector.core.service_tier import ServiceTierFold
from inspector.core.tape import EventKind, MarkKind
from inspector.core.template import PADDING, Template
from inspector.core.usage import MAX_COUNT, is_grown

IDENTITY = frozenset({"id", "created", "model", "system_fingerprint", service_tier.NAME})
MAX_SIGNS = 64


class AnswerFold:
    """Takes the object of every event; the cursor says which event that is."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self.top: dict[str, Json] = {}
        self.choices: dict[int, ChoiceFold] = {}
        self._highest_choice = -1
        self.usage = Found()
        self._usage_beside = Found()
        self.clocks: dict[str, Found] = {}
        """Where the provider last told times of its own, by top-level field."""
        self.created: Created | None = None
        self.tier = ServiceTierFold()
        self._at_choice: int | None = None
        """The choice of the last chunk."""
        self._last: dict[str, Json] = {}
        """What the last object said of each top-level field, as it was sent."""
        self._objects: set[str] = set()
        self._types: set[str] = set()

    def take(self, value: dict[str, Json]) -> bool:
        """All but usage; True where it says beside its choices what the last object did not."""
        last, has_news = self._last, False
        for key, item in value.items():
            if key in ("choices", "usage"):
                self.top.setdefault(key, None)
            elif key not in last or last[key] != item:
                self._take_top(key, item)
                last[key] = item
                has_news = has_news or key not in PADDING
        choices = value.get("choices")
        if isinstance(choices, list):
            self._take_choices(choices)
        elif choices is not None:
            self._cursor.note(Oddity.BAD_CHOICE, "/choices", "choices")
        if not choices and not self._cursor.is_whole:
            self._take_no_choice(value, choices)
        return has_news

    def take_alike(self, template: Template, text: str, others: dict[str, Json]) -> None:
        """An object like an earlier one: all that it says is told already, but for what differs."""
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
            self._cursor.note(Oddity.CHOICES_MISSING, "/choices")
        elif choices == [] and not value.get("usage"):
            self._cursor.note(Oddity.EMPTY_CHOICES, "/choices")

    def _take_top(self, key: str, value: Json) -> None:
        if key in IDENTITY:
            self._take_identity(key, value)
        else:
            self.top[key] = lay_over(self.top.get(key, UNSET), value)
        if value.__class__ is dict:
            self._take_beside(key, value)
        if value is not None:
            self._take_sign(key, value)
            if key in KEPT:
                self.clocks[key] = self._cursor.found(value, (key,))

    def _take_sign(self, key: str, value: Json) -> None:
        """What tells the dialect, or that this is no answer at all."""
        if key == "error" and value:
            self._take_error(value, "/error")
        elif key in ("object", "type") and isinstance(value, str):
            signs = self._objects if key == "object" else self._types
            if len(signs) < MAX_SIGNS:
                signs.add(value)

    def _take_identity(self, key: str, value: Json) -> None:
        kept, last = self.top.get(key), self._last.get(key)
        if key == "created":
            self._take_created(value)
        if not kept:
            self.top[key] = value if value or key not in self.top else kept
        elif value and value != (last or kept):
            detail = f"{shorten(last or kept)} became {shorten(value)}"
            self._cursor.note(Oddity.FIELD_CHANGED, f"/{key}", key, detail)
            if key == service_tier.NAME and service_tier.is_named(value):
                self.top[key] = value

    def _take_created(self, value: Json) -> None:
        """Called for every value that differs from the one before."""
        if value.__class__ is not int or not 0 < value <= MAX_COUNT:
            return
        if self.created is None:
            self.created = Created(first=value, last=value, changes=0)
        elif value != self.created.last:
            changes = self.created.changes + 1
            self.created = Created(first=self.created.first, last=value, changes=changes)

    def take_usage_of(self, value: dict[str, Json]) -> None:
        """The last that is taken of an object."""
        usage = value.get("usage")
        if "usage" in value:
            self._take_usage(usage, "usage")
        self.tier.take(
            value.get(service_tier.NAME),
            usage.get(service_tier.NAME) if isinstance(usage, dict) else None,
        )

    def _take_usage(self, value: Json, *path: str | int) -> None:
        if value is None:
            self.usage = Found(None) if self.usage.value is UNSET else self.usage
            return
        if self.usage.at is not None and value != self.usage.value:
            has_grown = is_grown(self.usage.value, value)
            oddity = Oddity.USAGE_GROWN if has_grown else Oddity.USAGE_REPEATED
            self._cursor.note(oddity, pointer_to(path))
        self.usage = self._cursor.found(value, path)
        self._cursor.mark(MarkKind.USAGE)

    def _take_beside(self, key: str, value: dict[str, Json]) -> None:
        """Inside a vendor's own object (Groq): an error; usage, if none stands elsewhere."""
        if key.startswith("x_") and value.get("error"):
            self._take_error(value["error"], pointer_to((key, "error")))
        usage = value.get("usage")
        if isinstance(usage, dict) and "prompt_tokens" in usage:
            self._usage_beside = self._cursor.found(usage, (key, "usage"))
            if self.usage.at is None:
                self._cursor.mark(MarkKind.USAGE)

    def take_error(self, value: dict[str, Json]) -> None:
        """An object that its event's name calls an error."""
        for key, field in value.items():
            self._take_top(key, field)
        self._take_error(value, "")

    def _take_error(self, value: Json, pointer: str) -> None:
        event = self._cursor.event
        if self._cursor.tape.kind[event] is EventKind.CHUNK and not self._cursor.is_whole:
            self._cursor.tape.kind[event] = EventKind.ERROR
        self._cursor.note(Oddity.PROVIDER_ERROR, pointer, "error", error_message(value))

    # -- choices ----------------------------------------------------------------------------------

    def _take_choices(self, choices: list[Json]) -> None:
        for position, choice in enumerate(choices[:MAX_CHOICES]):
            self._take_choice(position, choice)
        beyond = max(len(choices) - MAX_CHOICES, 0)
        self._cursor.allowance.leave_out(Capped.CHOICES, beyond)

    def _take_choice(self, position: int, choice: Json) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}"
        fold = self._choice_fold(position, choice)
        if fold is None:
            return
        if fold.index != self._at_choice:
            self._turn_to(fold.index)
        if not cursor.is_whole:
            _note_what_lacks(cursor, choice, pointer)
        for key, value in choice.items():
            if key == "delta":
                fold.take_message(cursor, value, f"{pointer}/delta")
            elif key == "finish_reason":
                fold.take_finish(cursor, value, f"{pointer}/finish_reason")
            elif key != "index":
                self._take_choice_field(fold, key, value, position, choice)

    def _take_choice_field(
        self, fold: ChoiceFold, key: str, value: Json, position: int, choice: dict[str, Json]
    ) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}/{key}"
        if key == "message":
            delta = choice.get("delta")
            if isinstance(delta, dict) and delta and not cursor.is_whole:
                cursor.note(Oddity.MESSAGE_BESIDE_DELTA, pointer)
                return
            if not cursor.is_whole:
                cursor.note(Oddity.FOREIGN_CHUNK, pointer)
            fold.take_message(cursor, value, pointer)
            return
        if key == "text" and "delta" not in choice and "message" not in choice:
            fold.take_legacy_text(cursor, value, pointer)
            return
        if key == "usage" and isinstance(value, dict):
            cursor.note(Oddity.USAGE_ON_CHOICE, pointer)
            self._take_usage(value, "choices", position, "usage")
        elif key == "error" and value:
            self._take_error(value, pointer)
        fold.take_field(cursor, key, value, position)

    def _turn_to(self, index: int) -> None:
        """Another choice goes on than in the chunk before, or one begins."""
        if self._at_choice is not None and self.choices[index].has_begun:
            self._cursor.note_once(Oddity.CHOICES_INTERLEAVED, "/choices")
        self.choices[index].has_begun = True
        self._at_choice = index

    def _choice_fold(self, position: int, choice: Json) -> ChoiceFold | None:
        """None where it is no object, or of another choice than one reading has room for."""
        if not isinstance(choice, dict):
            self._cursor.note(Oddity.BAD_CHOICE, f"/choices/{position}", "choice")
            return None
        index, is_whole = choice.get("index", UNSET), self._cursor.is_whole
        if not is_index(index):
            oddity = Oddity.CHOICE_INDEX_MISSING if index in (UNSET, None) else Oddity.BAD_INDEX
            self._cursor.note(oddity, f"/choices/{position}", "choice")
            index = position if is_whole else 0
        elif is_whole and index in self.choices:
            self._cursor.note(Oddity.REPEATED_INDEX, f"/choices/{position}/index")
        elif is_whole and index != position:
            self._cursor.note(Oddity.INDEX_NOT_POSITION, f"/choices/{position}/index")
        if is_whole and index in self.choices:
            index = self._highest_choice + 1
        if index not in self.choices:
            if not self._cursor.allowance.admits(Capped.CHOICES):
                return None
            self.choices[index] = ChoiceFold(index, position)
            self._highest_choice = max(self._highest_choice, index)
        return self.choices[index]

    # -- what came out ----------------------------------------------------------------------------

    @property
    def found_usage(self) -> Found:
        """The last usage at one of its usual places, else the last that stood elsewhere."""
        is_usual = self.usage.at is not None or self._usage_beside.at is None
        return self.usage if is_usual else self._usage_beside

    def ordered_choices(self) -> list[ChoiceFold]:
        return [self.choices[index] for index in sorted(self.choices)]

    def signs(self) -> Signs:
        choices = self.choices.values()
        legacy = {"text"} if any(choice.text is not None for choice in choices) else set()
        messages: set[str] = set().union(*(choice.message for choice in choices))
        return Signs(
            top=frozenset(self.top),
            choice=frozenset(legacy.union(*(choice.fields for choice in choices))),
            message=frozenset(messages),
            objects=frozenset(self._objects),
            types=frozenset(self._types),
        )

    def completion(self, object_name: str) -> dict[str, Json]:
        """What the provider would have sent whole: this stream as one object."""
        top = {name: settled(it) for name, it in self.top.items() if not _is_padding(name, it)}
        completion = top | {"object": object_name}
        if "choices" in completion:
            completion["choices"] = [choice.choice_object() for choice in self.ordered_choices()]
        if self.found_usage.value is not UNSET:
            completion["usage"] = self.found_usage.value
        return completion


def _note_what_lacks(cursor: Cursor, choice: dict[str, Json], pointer: str) -> None:
    if "finish_reason" not in choice:
        cursor.note_once(Oddity.FINISH_KEY_MISSING, f"{pointer}/finish_reason")
    if "delta" not in choice and "message" not in choice and "text" not in choice:
        cursor.note(Oddity.DELTA_MISSING, f"{pointer}/delta")


def _is_padding(name: str, value: Json) -> bool:
    """It hides the length of a chunk: no whole answer holds it. Among the extras it is kept."""
    return name in PADDING and isinstance(value, str)
