"""Files of other programs, an entry for each exchange."""

import io
import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import msgspec
from django.conf import settings

from inspector.archive.intake.sent_with import SentWith, submission_of_line
from inspector.archive.intake.submission import Submission
from inspector.core.json.document import NOT_READ, TOO_MANY_ENTRIES, UNREADABLE, BadDocument
from inspector.transfer.entries import (
    FileEntry,
    FoundEnvelope,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.envelope_lines import NoEnvelope, envelope_line
from inspector.transfer.files.registry import FileKind, RecognisedFile, recognised
from inspector.transfer.source import FileSource
from inspector.transfer.upload_entry import UploadEntry

FILE = "file"
"""The kind of these uploads."""

_LOGGER = logging.getLogger(__name__)


def uploaded_file(body: bytes) -> RecognisedFile:
    return recognised(FileSource.of_stream("", io.BytesIO(body)), opens_gzip=False)


def file_entries(file: RecognisedFile, sent: SentWith, start: int = 0) -> Iterator[UploadEntry]:
    """Without the first ``start``. What is beyond ``MAX_BATCH_LINES`` is one entry that says so."""
    most = settings.MAX_BATCH_LINES
    for count, entry in islice(enumerate(file.entries()), start, most + 1):
        if count == most:
            yield UploadEntry(entry.number, too_many_entries())
        else:
            yield _entry(entry, file.kind, sent)


def too_many_entries() -> BadDocument:
    message = (
        f"the file has over {settings.MAX_BATCH_LINES} entries: send it in smaller files, or by the"
        " command"
    )
    return BadDocument(TOO_MANY_ENTRIES, message)


def _entry(entry: FileEntry, kind: FileKind, sent: SentWith) -> UploadEntry:
    content = entry.content
    if isinstance(content, PassedOver):
        return UploadEntry(entry.number, content)
    if isinstance(content, UnreadableEntry):
        return UploadEntry(entry.number, BadDocument(UNREADABLE, content.reason))
    try:
        # Without its end, as lines of a batch are: a key may not come with other bytes.
        line = envelope_line(content, kind).removesuffix(b"\n")
        arrival = _with_credentials(submission_of_line(line, sent), content)
        return UploadEntry(entry.number, arrival, len(line))
    except NoEnvelope as error:
        return UploadEntry(entry.number, BadDocument(UNREADABLE, str(error)))
    except BadDocument as error:
        return UploadEntry(entry.number, error)
    except Exception:
        _LOGGER.exception("entry %d of a file failed", entry.number)
        why = "this is a fault of the server; nothing was stored"
        return UploadEntry(entry.number, BadDocument(NOT_READ, why))


def _with_credentials(arrival: Submission, content: FoundExchange | FoundEnvelope) -> Submission:
    """Give it credentials: the line has none, so that its key is the one that the command makes;
    storing removes them and counts what it removed.
    """
    if isinstance(content, FoundEnvelope):
        return arrival
    exchange = msgspec.structs.replace(content.exchange, dialect=arrival.exchange.dialect)
    return replace(arrival, exchange=exchange)
