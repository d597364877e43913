"""Results of readers for a file of these bytes."""

import io

from inspector.transfer.entries import (
    EntryContent,
    FileKindName,
    FoundEnvelope,
    FoundExchange,
    PassedOver,
)
from inspector.transfer.files.registry import RecognisedFile, recognised
from inspector.transfer.source import FileSource

WHOLE = b'{"id":"c1","object":"chat.completion","created":1795183339,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'
MESSAGE = b'{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}'
STREAM = b'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def file_of(content: bytes, name: str = "file") -> RecognisedFile:
    return recognised(FileSource.of_stream(name, io.BytesIO(content)))


def kind_of(content: bytes, name: str = "file") -> FileKindName:
    return file_of(content, name).kind.name


def contents(file: RecognisedFile) -> list[EntryContent]:
    return [entry.content for entry in file.entries()]


def only(file: RecognisedFile) -> FoundExchange:
    [content] = contents(file)
    assert isinstance(content, FoundExchange), content
    return content


def told(file: RecognisedFile) -> list[tuple[int, str]]:
    """Each entry by its number: the body of what was found, or the reason why nothing was."""
    return [(entry.number, _words(entry.content)) for entry in file.entries()]


def _words(content: EntryContent) -> str:
    if isinstance(content, FoundExchange):
        return content.exchange.body.decode()
    if isinstance(content, FoundEnvelope):
        return content.text.decode()
    return f"{'passed over' if isinstance(content, PassedOver) else 'unreadable'}: {content.reason}"
