"""Keeps texts and their words as captures are read, noted and deleted."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import msgspec

from inspector.archive.events import ProjectionChange
from inspector.archive.inspection import text_sources
from inspector.archive.models import Capture
from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.search.searchable_texts import TextKind, TextsByKind
from inspector.core.search.word_parts import word_parts
from inspector.core.search.words import WORDS_VERSION
from inspector.database import bulk, model_columns
from inspector.search import word_index
from inspector.search.models import CaptureTexts
from inspector.search.word_index import CapturePart


def inspected(changes: Sequence[ProjectionChange]) -> None:
    afters = {change.after.inspection.capture_id: change.after for change in changes}
    packed = {capture_id: pack(rows.texts) for capture_id, rows in afters.items()}
    _remove([c.before.inspection.capture_id for c in changes if c.before], packed)
    bulk.bulk_insert([_row(capture_id, texts) for capture_id, texts in packed.items()])
    teams = {capture_id: rows.inspection.team_id for capture_id, rows in afters.items()}
    parts = [
        CapturePart(capture_id, teams[capture_id], part)
        for capture_id, rows in afters.items()
        for part in rows.word_parts
    ]
    word_index.insert([*parts, *note_parts(teams)])


def noted(captures: Sequence[Capture]) -> None:
    """Replace the words of the note. Before the inspection a note is not searched."""
    teams = {each.pk: each.team_id for each in captures}
    there = CaptureTexts.objects.filter(pk__in=teams).values_list("pk", flat=True)
    searched = {capture_id: teams[capture_id] for capture_id in there}
    if word_index.remove_notes(searched):
        word_index.note_erasure()
    word_index.insert(note_parts(searched))


def body_deleted(captures: Sequence[Capture]) -> None:
    """Delete texts and words of what was sent; notes stay."""
    ids = [each.pk for each in captures]
    CaptureTexts.objects.filter(pk__in=ids).update(texts=pack({}))
    if word_index.remove_bodies(ids):
        word_index.note_erasure()


def deleted(captures: Sequence[Capture]) -> None:
    _remove([each.pk for each in captures], {})


def note_parts(teams: Mapping[UUID, int]) -> list[CapturePart]:
    """Return the words of the notes of these captures, as they are now."""
    return [
        CapturePart(capture_id, teams[capture_id], part, is_note=True)
        for capture_id, note in text_sources.notes_of(teams).items()
        for part in word_parts({TextKind.NOTE: (note,)})
    ]


def pack(texts: TextsByKind) -> bytes:
    return compressed(msgspec.msgpack.encode(texts))


def unpack(packed: bytes | memoryview) -> dict[TextKind, tuple[str, ...]]:
    """Empty where the texts are not known yet."""
    if not packed:
        return {}
    known = msgspec.msgpack.decode(decompressed(packed), type=dict[str, tuple[str, ...]])
    # Another release may know more kinds.
    return {TextKind(kind): texts for kind, texts in known.items() if kind in list(TextKind)}


def _remove(befores: Collection[UUID], afters: Mapping[UUID, bytes]) -> None:
    if not befores:
        return
    rows = CaptureTexts.objects.filter(pk__in=befores)
    # Most captures that are read again have the same texts: then nothing went that the files of
    # the database must be cleared of.
    is_changed = any(
        bytes(texts) != afters.get(pk) for pk, texts in rows.values_list("pk", "texts")
    )
    rows.delete()
    if word_index.remove(befores) and is_changed:
        word_index.note_erasure()


def _row(capture_id: UUID, texts: bytes) -> CaptureTexts:
    made: CaptureTexts = model_columns.new_row(
        CaptureTexts, capture_id=capture_id, index_version=WORDS_VERSION, texts=texts
    )
    return made
