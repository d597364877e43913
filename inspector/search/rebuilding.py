"""Makes the index of words anew where it is missing or was cut by an older tokenizer, slowly and
after all new captures.

There is no list of what is left to do: these are the rows of an older version, and everything that
is done to one takes it out of them.
"""

import logging
import time
from collections.abc import Mapping
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from inspector.archive.inspection import added_findings, text_sources
from inspector.core.search.searchable_texts import TextsByKind
from inspector.core.search.word_parts import word_parts
from inspector.core.search.words import WORDS_VERSION
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.search import word_index
from inspector.search.models import CaptureTexts
from inspector.search.subscriber import note_parts, pack, unpack
from inspector.search.word_index import CapturePart
from inspector.work import queries as work
from inspector.work.leases import Leased
from inspector.work.run import Kind

SEARCH = "search"
UNKNOWN = 0
"""The version of captures whose texts are not known yet."""
STEP_CAPTURES = 50
"""Looked up by one query, however short their texts are."""
# No text is read after this time; what was read is stored by one short transaction.
STEP_SECONDS = 1.0

_LOGGER = logging.getLogger(__name__)


def queue_all() -> None:
    """Have all inspected captures indexed that are not: after a restore, or an upgrade."""
    text_sources.note_inspected(CaptureTexts._meta.db_table, UNKNOWN)


def open_due() -> None:
    if _outdated().exists():
        work.open_standing(SEARCH, None)


def step(job: Leased) -> bool:
    """Index some captures, for up to a second."""
    end = time.monotonic() + STEP_SECONDS
    read: dict[UUID, TextsByKind] = {}
    for row in _outdated().order_by("index_version")[:STEP_CAPTURES]:
        read[row.pk] = _texts(row)
        if time.monotonic() > end:
            break
    if not read:
        job.end()
        return False
    return _store(job, read)


def _outdated() -> QuerySet[CaptureTexts]:
    return CaptureTexts.objects.filter(index_version__lt=WORDS_VERSION)


def _texts(row: CaptureTexts) -> TextsByKind:
    if row.index_version != UNKNOWN:
        return unpack(row.texts)
    try:
        return text_sources.stored_texts(row.pk) or {}
    except UNAVAILABLE:
        raise
    except Exception:
        # Not found by its words, and nothing else is wrong with it.
        _LOGGER.exception(
            "the texts of a capture cannot be read", extra=fields(capture=str(row.pk))
        )
        return {}


def _store(job: Leased, read: Mapping[UUID, TextsByKind]) -> bool:
    parts = {capture_id: word_parts(texts) for capture_id, texts in read.items()}
    with transaction.atomic():
        if not job.advance(len(read)):
            return False
        # In the order of all who change captures: their rows first, then what belongs to them.
        inspected = added_findings.lock_inspected(list(read))
        rows = CaptureTexts.objects.filter(pk__in=read, index_version__lt=WORDS_VERSION)
        left = set(rows.values_list("pk", flat=True))
        teams = text_sources.teams_of(inspected & left)
        # A body may have been deleted since its texts were read.
        with_body = text_sources.with_body(teams)
        word_index.remove(teams)
        for capture_id in teams:
            texts = pack(read[capture_id] if capture_id in with_body else {})
            CaptureTexts.objects.filter(pk=capture_id).update(texts=texts)
        # Those that are not inspected get their texts with their inspection.
        CaptureTexts.objects.filter(pk__in=left).update(index_version=WORDS_VERSION)
        word_index.insert(
            [
                *(
                    CapturePart(each, team, part)
                    for each, team in teams.items()
                    if each in with_body
                    for part in parts[each]
                ),
                *note_parts(teams),
            ]
        )
    return True


KIND = Kind(SEARCH, step, open_due=open_due, gives_way=text_sources.others_come_first)
