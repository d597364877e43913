"""Folds the objects of all events into one answer: top-level fields, choices, usage, clocks.

Of ``id``, ``created``, ``model`` and ``system_fingerprint`` the first value that is neither null,
"" nor 0 is kept, of usage the last one, of ``service_tier`` the last one that names a tier. Unknown
fields stay at their level. Nothing is allocated by an index from outside, and no numbers are added
up.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import UNSET

from inspector.core.analysis import CreatedTimes
from inspector.core.completion import is_index
from inspector.core.fields import service_tier
from inspector.core.fields.service_tier import ServiceTierFold
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.chunk_fast_path import AlikeRun, ChunkShape, varying_fields
from inspector.core.fold.document import AnswerDocument, ItemPositions, PlaceTimes, built_value
from inspector.core.fold.engine import Node, Path
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.merge_unknown import merge_field, merge_values, merged_fields, merged_value
from inspector.core.fold.message import ChoiceFold
from inspector.core.fold.whole_parts import Comparisons, WholePart
from inspector.core.formats.dialect import FieldsSeen
from inspector.core.formats.envelope import fields_around
from inspector.core.formats.grammar import BlockList, Padding, PartialAnswer, TypedEvent
from inspector.core.formats.provider_error import error_message
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue
from inspector.core.limits import LimitedItem
from inspector.core.tape import EventKind, MarkKind
from inspector.core.tokens.usage import MAX_COUNT, is_count, is_grown, lacking_totals

MAX_TYPES_SEEN = 64
"""A format has fewer; a sender could make one up for each event."""
_INDEX_OF = {"output": "output_index", "content": "content_index", "summary": "summary_index"}


class AnswerFold:
    """Takes the object of every event; the context holds the number of that event."""

    def __init__(self, context: FoldContext, root: Node) -> None:
        self._context = context
        self.top: dict[str, Json] = {}
        self.identity_inside: dict[str, Json] = {}
        """Fields that should never change and stand inside a member of the answer, by name."""
        self.read_by(root)
        self.choices: dict[int, ChoiceFold] = {}
        self._highest_choice = -1
        self.usage = RawValue()
        self._merged_usage: dict[str, Json] | None = None
        """Token counts of several objects, which the next one changes in place."""
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
        self.event_fields: dict[str, Json] = {}
        """Fields of events that belong to no place of the answer."""
        self.around: dict[str, Json] = {}
        """Fields of what the answer or its events are wrapped in, by JSON Pointer: the last."""
        self._sequence: int | None = None
        self.preliminary = frozenset[str]()
        """Counts of the usage so far that only the beginning of the answer stated."""
        self.late_usage: tuple[Node, Json, Path] | None = None
        """Usage of the object being taken, which is taken last."""
        self._answers = 0
        """Number of answers that began."""
        self.outcomes = 0
        """Number of requests of a batch whose outcome came."""
        self._first_answer: dict[str, Json] = {}
        """The first answer as it was when another began; it is the completion."""
        self._counted_answer = 1
        """Number of the answer whose usage is ``usage``."""
        self.is_closed = False
        """The event came that closes the answer."""
        self.places = PlaceTimes()
        self.items = ItemPositions()
        self.comparisons = Comparisons()
        self.is_built = False
        """An event said what stands at a place of the answer."""
        self.lacking: dict[str, int] = {}
        """First chunk without it, for each field that stands in every chunk. No anomaly: most
        streams lack one of them, and a chunk with an anomaly is no model for the fast path.
        """

    def read_by(self, root: Node) -> None:
        """Set the table by which objects are read. Nothing may have been taken yet."""
        self.root = root
        self._context.varying = varying_fields(root)
        builds = isinstance(root.effect, TypedEvent | PartialAnswer)
        self._context.document = AnswerDocument(self.top) if builds else None

    @property
    def document(self) -> AnswerDocument | None:
        """The answer under construction, in formats whose events build it."""
        return self._context.document

    def take_alike(self, shape: ChunkShape, text: str, others: dict[str, Json]) -> None:
        """Take a chunk that has a known shape: its text, and those other fields that differ."""
        # The fast path skips the choice's own fields, not the order of choices.
        if shape.choice != self.at_choice:
            self.turn_to(shape.choice)
        self._context.grow_alike(shape.text, text, shape.place)
        if others:
            self._take_others(shape, others)

    def _take_others(self, shape: ChunkShape, others: dict[str, Json]) -> None:
        if shape.entry is not None:
            shape.entry.grow(others.pop(shape.entry.name))
        if shape.beside:
            fields = self.choices[shape.choice].fields
            merge_field(fields, shape.beside, others.pop(shape.beside))
        for name, value in others.items():
            node = shape.varying[name]
            node.take(self._context, node, value, (name,), None)
            self.last[name] = value

    def take_run(self, shape: ChunkShape, run: AlikeRun, first: int) -> None:
        """Take successive chunks of a known shape, the first of which is event ``first``."""
        if shape.choice != self.at_choice:
            self.turn_to(shape.choice)
        context = self._context
        context.grow_by(shape.text, run.texts, shape.place, first)
        begin = len(run.others) - 1 if run.others and shape.is_only_padded else 0
        for number in range(begin, len(run.others)):
            # Usage is kept with the chunk that it stands in.
            context.event, context.text = first + number, run.events[number].data
            self._take_others(shape, run.others[number])

    # -- fields beside the choices ----------------------------------------------------------------

    def merge_field(self, key: str, value: Json) -> None:
        self.top[key] = merge_values(self.top.get(key, UNSET), value)

    def take_identity(self, key: str, value: Json, path: Path) -> None:
        if self._first_answer:
            return
        is_inside = len(self._context.place_of(path)) > 1
        if is_inside:
            self._context.keep(path, value)
        held = self.identity_inside if is_inside else self.top
        kept, last = held.get(key), self.last.get(key)
        if key == "created":
            self._take_created(value)
        # Empty values never replace one: many gateways send ``""`` or 0 in the first or last chunk.
        if not kept:
            held[key] = value if value or key not in held else kept
        elif value and value != (last or kept):
            # Some change in every chunk, and the first change alone is told.
            is_first = not self._context.notes.has(Anomaly.FIELD_CHANGED, key)
            detail = f"{shorten(last or kept)} became {shorten(value)}" if is_first else ""
            self._context.note(Anomaly.FIELD_CHANGED, path, key, detail)
            if key == service_tier.NAME and service_tier.is_named(value):
                self.top[key] = value

    def _take_created(self, value: Json) -> None:
        """Take a value that differs: called only for values that differ from the one before."""
        if value.__class__ is not int or not 0 < value <= MAX_COUNT:
            return
        if self.created is None:
            self.created = CreatedTimes(first=value, last=value, changes=0)
        elif value != self.created.last:
            changes = self.created.changes + 1
            self.created = CreatedTimes(first=self.created.first, last=value, changes=changes)

    def take_object_label(self, value: Json) -> None:
        if isinstance(value, str) and len(self.objects) < MAX_TYPES_SEEN:
            self.objects.setdefault(value, self._context.event)

    def take_type_label(self, value: Json) -> None:
        if isinstance(value, str) and len(self._types) < MAX_TYPES_SEEN:
            self._types.setdefault(value, self._context.event)

    def take_usage_of(self, value: dict[str, Json]) -> None:
        """Take usage and service tier of an object. Comes after the table took the object, which
        begins the answer that they are of and sets ``late_usage``; apart from it, because usage is
        marked each time and is no reason against a fast path.
        """
        if self._context.document is not None:
            self._take_late_usage()
            return
        usage = value.get("usage")
        if "usage" in value:
            self.take_usage(usage, ("usage",))
        inside = usage.get(service_tier.NAME) if isinstance(usage, dict) else None
        beside = value.get(service_tier.NAME)
        # Most chunks state none.
        if beside is not None or inside is not None:
            self.tier.take(beside, inside)

    def _take_late_usage(self) -> None:
        if self.late_usage is not None:
            (node, value, path), self.late_usage = self.late_usage, None
            node.take(self._context, node, value, path, None)

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
        found = self._context.found(value, path)
        if self.usage.at is not None and value != self.usage.value:
            if self.document is None and (lacking := lacking_totals(self.usage.value, value)):
                self._context.note(Anomaly.USAGE_IN_PARTS, path, ", ".join(lacking))
                found = msgspec.structs.replace(found, value={**value, **lacking})
            else:
                self._note_usage_again(value, path)
        self.usage = found
        self._counted_answer = self._answer_number
        self._context.mark(MarkKind.USAGE)

    def _note_usage_again(self, value: Json, path: Path) -> None:
        if self.document is None:
            has_grown = is_grown(self.usage.value, value)
            anomaly = Anomaly.USAGE_GROWN if has_grown else Anomaly.USAGE_REPEATED
            self._context.note(anomaly, path)
            return
        before = self.usage.value if self._counts_this_answer() else None
        if isinstance(before, dict) and isinstance(value, dict):
            self._note_fallen(before, value, path)

    def take_usage_elsewhere(self, value: Json, path: Path) -> None:
        self._usage_elsewhere = self._context.found(value, path)
        if self.usage.at is None:
            self._context.mark(MarkKind.USAGE)

    def take_error_event(self, value: dict[str, Json]) -> None:
        """Take the data of an event that the framing calls an error."""
        for key, field in value.items():
            node = self.root.members.get(key) or self.root.other
            if self.document is not None:
                # Events have fields of their own, which are none of the answer's.
                self.keep_event_field((key,), field)
            elif node is not None:
                node.take(self._context, node, field, (key,), value)
        event_type = self._context.event_type
        self.take_error(value, (), "" if event_type == "error" else event_type)

    def take_error(self, value: Json, path: Path, event_type: str = "") -> None:
        """Take an error. ``event_type`` is what the framing calls it."""
        event = self._context.event
        if self._context.tape.kind[event] is EventKind.CHUNK and not self._context.is_whole:
            self._context.tape.kind[event] = EventKind.ERROR
        message = error_message(value)
        said = f"{event_type}: {message}" if event_type else message
        self._context.note(Anomaly.PROVIDER_ERROR, path, "error", said)

    # -- answers that events build ----------------------------------------------------------------

    def only_choice(self) -> ChoiceFold:
        """Return the choice of an answer that is its only one: of several answers the last."""
        index = max(self._answers - 1, 0)
        fold = self.choices.get(index)
        if fold is None:
            fold = self.choices[index] = ChoiceFold(index, index)
        self.at_choice = index
        fold.has_begun = True
        return fold

    def leave_choice(self, fold: ChoiceFold) -> None:
        """Forget a choice to which nothing was given: there is no answer."""
        if not fold.fields and not fold.blocks.is_used:
            self.choices.pop(fold.index, None)

    def meet_fields(self, names: Iterable[str]) -> None:
        """Remember the names of the answer's fields, by which its format is recognised."""
        for name in names:
            self.top.setdefault(name, None)

    def begin_answer(self, path: Path) -> None:
        """Begin an answer. One recording may hold several, which are told apart."""
        self.is_closed = False
        is_first = self._answers == 0
        # Beyond the limit there is no choice of its own: what comes is taken as the last one's.
        if not is_first and not self._context.allowance.admits(LimitedItem.CHOICES):
            return
        ended, counts = self.choices.get(self._answers - 1), self._counts_this_answer()
        self._answers += 1
        if is_first:
            return
        self.items, self.places = ItemPositions(), PlaceTimes()
        self._context.note(Anomaly.SEVERAL_ANSWERS, path)
        self._first_answer = self._first_answer or self.completion("")
        self.last.clear()
        self._put_aside(ended)
        if ended is not None and counts and self.usage.at is not None:
            ended.fields["usage"] = built_value(self.usage.value)

    def _put_aside(self, ended: ChoiceFold | None) -> None:
        """Keep the parts of an answer that ended; the next one builds lists of its own."""
        assert self.document is not None
        for block in ended.blocks if ended is not None else ():
            block.settle(self.document)
        for name, node in self.root.members.items():
            if node is not None and isinstance(node.effect, BlockList) and name in self.top:
                self.document.replace((name,), None)

    def complete(
        self, choice: ChoiceFold, place: Path, node: Node, value: Json, path: Path
    ) -> None:
        """Lay a part that was sent whole over what its pieces built."""
        if self.document is None:
            return
        built = self.document.at(place)
        if not isinstance(value, dict) and built not in (UNSET, None, ""):
            return
        whole = WholePart(self.comparisons)
        self.document.replace(place, whole.over(node, built, built_value(value), place))
        for lacking in whole.lacking:
            inside = (*path, *lacking.place[len(place) :])
            detail = f"{lacking.sent:,} of the {lacking.came:,}"
            subject = f"{lacking.place[-1]} {lacking.first}"
            self._context.note(Anomaly.WHOLE_LACKS, inside, subject, detail)
        for moved, positions in whole.moved:
            self._note_moved(positions, (*path, *moved[len(place) :]))
            choice.blocks.move(moved, positions)

    def _note_moved(self, positions: Mapping[int, int], path: Path) -> None:
        """Note the first item that does not stand in the whole list where events said."""
        old, new = next((old, new) for old, new in positions.items() if old != new)
        name = _INDEX_OF.get(self._context.name_at(path), "index")
        detail = f"{name} is {old:,}, but in the whole list the item stands at {new:,}"
        self._context.note(Anomaly.STANDS_ELSEWHERE, path, name, detail)

    def take_sequence(self, value: Json, path: Path, *, begins: bool) -> None:
        """Take the number of an event. ``begins``: an answer begins with it, and another count."""
        if value.__class__ is not int:
            self._context.note(Anomaly.BAD_POSITION, path, str(path[-1]))
            return
        is_next = self._sequence is None or value == self._sequence + 1
        if not is_next and not (begins and value == 0):
            detail = f"{value:,} after {self._sequence:,}" if abs(value) < MAX_COUNT else ""
            self._context.note(Anomaly.SEQUENCE_GAP, path, detail=detail)
        self._sequence = value

    def keep_event_field(self, path: Path, value: Json) -> None:
        """Keep a field of an event that belongs to no place of the answer: the last value."""
        if self._context.allowance.admits(LimitedItem.UNKNOWN_FIELDS):
            self.event_fields[str(path[-1])] = value
        self._context.is_steady = False

    def keep_around(self, outer: Json, path: Path) -> None:
        """Keep what stands around the answer, or its events, in an object that passes them on. The
        context has the text of this object.
        """
        allowance = self._context.allowance
        for place, value in fields_around(outer, path):
            pointer = pointer_to(place)
            # As in DashScope's own format: {"output": {…}, "usage": {…}}.
            if place[-1] == "usage" and isinstance(value, dict):
                self.take_usage_elsewhere(value, place)
            elif pointer in self.around or allowance.admits(LimitedItem.UNKNOWN_FIELDS):
                self.around[pointer] = value

    def merge_usage(
        self, value: Json, path: Path, preliminary: frozenset[str] = frozenset()
    ) -> None:
        """Merge token counts with those before of the same answer: a null erases none.
        ``preliminary``: those that the beginning of an answer does not know yet.
        """
        if not isinstance(value, dict):
            if value is not None:
                self.take_usage(value, path)
            return
        before = self.usage.value if self._counts_this_answer() else {}
        before = before if isinstance(before, dict) else {}
        self._note_fallen(before, value, path)
        # Only counts that were merged here are changed in place: others stand in their event.
        kept = before if before is self._merged_usage else merged_value(before)
        self._merged_usage = merge_values(kept, value)
        found = self._context.found(value, path)
        self.usage = msgspec.structs.replace(found, value=self._merged_usage)
        self._counted_answer = self._answer_number
        if self._context.is_beginning:
            self.preliminary = preliminary & value.keys()
        else:
            self.preliminary -= {name for name, count in value.items() if count is not None}
        self.take_inner_tier(value)
        self._context.mark(MarkKind.USAGE)
        self._context.is_steady = False

    def take_inner_tier(self, usage: Json) -> None:
        """Take the service tier that a usage object states."""
        inside = usage.get(service_tier.NAME) if isinstance(usage, dict) else None
        if inside is not None:
            self.tier.take(UNSET, inside)

    @property
    def _answer_number(self) -> int:
        return max(self._answers, 1)

    def _counts_this_answer(self) -> bool:
        """Return True if the usage so far is that of the answer being built, or there is none."""
        return self._counted_answer == self._answer_number

    def _note_fallen(
        self, before: Mapping[str, Json], value: Mapping[str, Json], path: Path
    ) -> None:
        for name, now in value.items():
            count = before.get(name)
            if is_count(now) and is_count(count) and now < count:
                detail = f"{count:,} became {now:,}"
                self._context.note(Anomaly.USAGE_FELL, (*path, name), shorten(name), detail)

    # -- choices ----------------------------------------------------------------------------------

    def turn_to(self, index: int) -> None:
        """Note that chunks change from one choice to another."""
        # The first chunk of each choice is no return to it.
        if self.at_choice is not None and self.choices[index].has_begun:
            self._context.note_once(Anomaly.CHOICES_INTERLEAVED, ("choices",))
        self.choices[index].has_begun = True
        self.at_choice = index

    def choice_fold(self, choice: Json, name: str, path: Path) -> ChoiceFold | None:
        """Find or open the choice; None if it is not an object or there are too many choices."""
        position = path[-1]
        if not isinstance(choice, dict):
            self._context.note(Anomaly.BAD_CHOICE, path, "choice")
            return None
        index, is_whole = choice.get(name, UNSET), self._context.is_whole
        if not is_index(index):
            self._context.note_index(index, path, "choice", Anomaly.CHOICE_INDEX_MISSING)
            # A whole answer lists its choices in order; a stream without indexes has one choice.
            index = position if is_whole else 0
        elif is_whole and index in self.choices:
            self._context.note(Anomaly.REPEATED_INDEX, (*path, name))
        elif is_whole and index != position:
            self._context.note(Anomaly.INDEX_NOT_POSITION, (*path, name))
        if is_whole and index in self.choices:
            # A repeated index in a whole body is another choice: merging would mix their texts.
            index = self._highest_choice + 1
        if index not in self.choices:
            # A stream may name as many indexes as it has chunks; each would cost a fold of its own.
            if not self._context.allowance.admits(LimitedItem.CHOICES):
                return None
            self.choices[index] = ChoiceFold(index, position)
            self._highest_choice = max(self._highest_choice, index)
        return self.choices[index]

    # -- what came out ----------------------------------------------------------------------------

    @property
    def found_usage(self) -> RawValue:
        """The last usage at a usual place; if there is none, the last that stood elsewhere."""
        is_usual = self.usage.at is not None or self._usage_elsewhere.at is None
        found = self.usage if is_usual else self._usage_elsewhere
        if found.value is not self._merged_usage:
            return found
        return msgspec.structs.replace(found, value=merged_value(found.value))

    @property
    def stated(self) -> dict[str, Json]:
        """The fields of the answer, and those inside a member that name it."""
        return {**self.top, **self.identity_inside} if self.identity_inside else self.top

    def ordered_choices(self) -> list[ChoiceFold]:
        return [self.choices[index] for index in sorted(self.choices)]

    def signs(self) -> FieldsSeen:
        """Return the names seen so far."""
        choices = self.choices.values()
        legacy = {"text"} if any([choice.text is not None for choice in choices]) else set()
        messages: set[str] = set().union(*[choice.message for choice in choices])
        top = self.stated
        return FieldsSeen(
            top=frozenset(top) | self.event_fields.keys(),
            choice=frozenset(legacy.union(*[choice.fields for choice in choices])),
            message=frozenset(messages),
            objects=frozenset(self.objects),
            types=frozenset(self._types),
            texts=frozenset([name for name, value in top.items() if isinstance(value, str)]),
        )

    def completion(self, object_name: str) -> dict[str, Json]:
        """Return the one object that the provider would have sent without streaming."""
        if self._first_answer:
            return self._first_answer
        if self.document is not None:
            return {name: built_value(it) for name, it in self.top.items()}
        # Text that only hides the length of a chunk stays in extras.
        pads = filter(self._pads, self._context.varying)
        completion = merged_fields(self.top) | {"object": object_name}
        for name in pads:
            del completion[name]
        if "choices" in completion:
            completion["choices"] = [choice.choice_object() for choice in self.ordered_choices()]
        if self.found_usage.value is not UNSET:
            completion["usage"] = self.found_usage.value
        return completion

    def _pads(self, name: str) -> bool:
        sent = self.top.get(name)
        return isinstance(sent, str) and isinstance(self._context.varying[name].effect, Padding)
