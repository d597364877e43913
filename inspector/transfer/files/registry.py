"""All kinds of files that are read, and which one a file is of."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.transfer.entries import (
    BodyForm,
    BrokenFile,
    FileEntry,
    FileKindName,
    UnreadableEntry,
)
from inspector.transfer.files import (
    agent_traces,
    answer_lines,
    batches,
    cassettes,
    envelopes,
    har_log,
    mitmproxy_flows,
    otlp_spans,
    single_response,
)
from inspector.transfer.files.records import RecordLook, look_at_records, reader_of_records, records
from inspector.transfer.source import FileSource


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """``unknown`` says in a few words what such a file cannot tell of an exchange. A kind is told
    by the file (``holds_file``) or by its first record (``holds_records``).
    """

    name: FileKindName
    words: str
    body: BodyForm
    unknown: str
    entries: Callable[[FileSource], Iterator[FileEntry]]
    holds_file: Callable[[FileSource], bool] | None = None
    holds_records: Callable[[RecordLook], bool] | None = None

    @property
    def is_container(self) -> bool:
        """Tells whether another program wrote exchanges into such a file."""
        return self.name not in (FileKindName.BODY, FileKindName.READS, FileKindName.ENVELOPES)


@dataclass(frozen=True, slots=True)
class RecognisedFile:
    """A file with its kind; ``source`` is its content decompressed, where the kind wants that."""

    source: FileSource
    kind: FileKind

    def holds_more_than(self, most: int) -> bool:
        """Count entries that are told apart without being parsed: lines, and items of lists."""
        try:
            return any(count == most for count, _ in enumerate(self._texts()))
        except BrokenFile:
            return False

    def _texts(self) -> Iterator[object]:
        if self.kind.name is FileKindName.HAR:
            return har_log.entry_texts(self.source)
        return iter(()) if self.kind.holds_records is None else records(self.source)

    def entries(self) -> Iterator[FileEntry]:
        """Every entry once; where the file breaks, an unreadable entry is the last."""
        number = 0
        try:
            for entry in self.kind.entries(self.source):
                number = entry.number
                yield entry
        except BrokenFile as error:
            yield FileEntry(number + 1, UnreadableEntry(f"{error}; nothing behind it was read"))
        except (EOFError, zlib.error, OSError) as error:
            reason = f"the file cannot be read on: {error}"
            yield FileEntry(number + 1, UnreadableEntry(reason))


def recognised(source: FileSource, opens_gzip: bool = True) -> RecognisedFile:
    """Any file that is of no other kind is a body. Of an upload gzip is not opened: a few bytes can
    expand to gigabytes, of which a limit on the upload knows nothing.
    """
    if kind := _kind_of(source):
        return RecognisedFile(source, kind)
    inner = source.decompressed() if opens_gzip else None
    if inner is not None and (kind := _kind_of(inner)):
        return RecognisedFile(inner, kind)
    return RecognisedFile(source, BODY)


def _kind_of(source: FileSource) -> FileKind | None:
    for kind in KINDS:
        if kind.holds_file is not None and kind.holds_file(source):
            return kind
    look = look_at_records(source)
    if look is None:
        return None
    by_record = (kind for kind in KINDS if kind.holds_records is not None)
    return next((kind for kind in by_record if kind.holds_records(look)), None)  # type: ignore[misc]


BODY = FileKind(
    name=FileKindName.BODY,
    words="a response",
    body=BodyForm.SENT,
    unknown="times, headers and request",
    entries=single_response.read_body,
)
_BATCH = "times, and the request"
KINDS = (
    FileKind(
        name=FileKindName.READS,
        words="a recording of reads",
        body=BodyForm.SENT,
        unknown="headers and request",
        entries=single_response.read_recorded_reads,
        holds_file=single_response.is_recorded_reads,
    ),
    FileKind(
        name=FileKindName.MITMPROXY,
        words="flows of mitmproxy",
        body=BodyForm.SENT,
        unknown="times of reads",
        entries=mitmproxy_flows.read_mitmproxy_flows,
        holds_file=mitmproxy_flows.is_mitmproxy_flows,
    ),
    FileKind(
        name=FileKindName.HAR,
        words="a HAR",
        body=BodyForm.DECODED,
        unknown="the bytes before they were decoded, and times of reads",
        entries=har_log.read_har_log,
        holds_file=har_log.is_har_log,
    ),
    FileKind(
        name=FileKindName.CASSETTE,
        words="a cassette of VCR",
        body=BodyForm.DECODED,
        unknown="times of reads",
        entries=cassettes.read_cassette,
        holds_file=cassettes.is_cassette,
    ),
    FileKind(
        name=FileKindName.OPENAI_BATCH,
        words="output of an OpenAI batch",
        body=BodyForm.EMBEDDED,
        unknown=_BATCH,
        entries=reader_of_records(batches.read_batch_output),
        holds_records=batches.is_openai_batch,
    ),
    FileKind(
        name=FileKindName.ANTHROPIC_BATCH,
        words="results of an Anthropic batch",
        body=BodyForm.EMBEDDED,
        unknown=_BATCH,
        entries=reader_of_records(batches.read_batch_result),
        holds_records=batches.is_anthropic_batch,
    ),
    FileKind(
        name=FileKindName.OTLP,
        words="spans of OpenTelemetry",
        body=BodyForm.TOLD,
        unknown="any byte that was sent, headers, status and times of reads",
        entries=otlp_spans.read_otlp_spans,
        holds_records=otlp_spans.is_otlp_spans,
    ),
    FileKind(
        name=FileKindName.CLAUDE_TRACE,
        words="a log of claude-trace",
        body=BodyForm.DECODED,
        unknown="the bytes before they were decoded, and times of reads",
        entries=reader_of_records(agent_traces.read_claude_trace),
        holds_records=agent_traces.is_claude_trace,
    ),
    FileKind(
        name=FileKindName.CLAUDE_TAP,
        words="a trace of claude-tap",
        body=BodyForm.EMBEDDED,
        unknown="bytes around events, the end of streams, when a call began, and times of reads",
        entries=reader_of_records(agent_traces.read_claude_tap),
        holds_records=agent_traces.is_claude_tap,
    ),
    # Behind the others: their responses may have a body, too.
    FileKind(
        name=FileKindName.ENVELOPES,
        words="exchange envelopes",
        body=BodyForm.SENT,
        unknown="what their sender left out",
        entries=reader_of_records(envelopes.read_envelope),
        holds_records=envelopes.is_envelopes,
    ),
    FileKind(
        name=FileKindName.ANSWERS,
        words="whole answers",
        body=BodyForm.EMBEDDED,
        unknown="times, headers and requests",
        entries=reader_of_records(answer_lines.read_answer),
        holds_records=answer_lines.is_answer_lines,
    ),
)
