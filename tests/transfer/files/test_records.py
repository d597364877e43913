"""Records of JSON: in lines, in a list, alone; of any length, with one in memory at a time."""

import gzip
import io
import tracemalloc
from collections.abc import Iterator

import pytest

from inspector.transfer.entries import BrokenFile, FileKindName
from inspector.transfer.files import json_list
from inspector.transfer.files.json_list import NoSuchList, list_items
from inspector.transfer.files.registry import recognised
from inspector.transfer.source import FileSource
from tests.transfer.files.reading_files import STREAM, WHOLE, file_of, kind_of, only, told

OTHER = WHOLE.replace(b"c1", b"c2")


def items(text: bytes, *path: str) -> list[bytes]:
    return list(list_items(io.BytesIO(text), path))


def test_items_are_the_text_that_they_are_in_the_file() -> None:
    assert items(b' [ {"a" : 1.50}, [1,2] ,"x,]" , null ] ') == [
        b'{"a" : 1.50}',
        b"[1,2]",
        b'"x,]"',
        b"null",
    ]
    assert items(b"[]") == []
    assert items(rb'["\"]", "\\", "]"]') == [rb'"\"]"', rb'"\\"', b'"]"']


def test_a_list_is_found_below_members_whatever_stands_before_it() -> None:
    text = b'{"x": {"log": {"entries": [0]}}, "log": {"pages": [[{"entries": [8]}]], "v": 12, "entries": [1, 2]}}'
    assert items(text, "log", "entries") == [b"1", b"2"]


@pytest.mark.parametrize(
    "text", [b"{}", b"[]", b'{"log": 1}', b'{"log": {"other": []}}', b'{"log": {"entries": {}}}']
)
def test_a_document_without_the_list_has_none(text: bytes) -> None:
    with pytest.raises(NoSuchList):
        items(text, "log", "entries")


@pytest.mark.parametrize("text", [b"[1, 2", b'[1, 2, "abc', b'[1, 2, {"a": [1]'])
def test_of_a_list_that_is_cut_the_whole_items_come(text: bytes) -> None:
    found = list[bytes]()
    with pytest.raises(BrokenFile, match="ends within"):
        for item in list_items(io.BytesIO(text)):
            found.append(item)
    assert found[0] == b"1"


def test_an_item_longer_than_a_step_is_one_item() -> None:
    long = b'"' + b"\\n" * json_list.STEP_BYTES + b'"'
    assert items(b"[" + long + b", 1]") == [long, b"1"]


def test_lines_of_whole_answers_are_read_each_with_its_bytes() -> None:
    text = WHOLE + b"\n\n" + OTHER + b"\n"
    assert kind_of(text) is FileKindName.ANSWERS
    assert told(file_of(text)) == [(1, WHOLE.decode()), (3, OTHER.decode())]


def test_a_list_of_whole_answers_is_read_alike() -> None:
    assert told(file_of(b"[" + WHOLE + b",\n " + OTHER + b"]")) == [
        (1, WHOLE.decode()),
        (2, OTHER.decode()),
    ]


OLLAMA = b'{"model":"llama3","message":{"role":"assistant","content":"a"},"done":false}\n{"model":"llama3","message":{"role":"assistant","content":"b"},"done":true}\n'
GEMINI = b'[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},\n{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}]'


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        WHOLE + b"\n",
        STREAM,
        OLLAMA,
        GEMINI,
        b"",
        b"\n",
        b"hello",
        b"7",
        b"[1,2]",
        b"{",
        b"[",
        b"\xff\xfe",
        b'{"a":\n 1}',
    ],
)
def test_one_response_stays_one_and_whatever_is_nothing_else_is_a_body(text: bytes) -> None:
    assert kind_of(text) is FileKindName.BODY
    assert only(file_of(text)).exchange.body == text


def test_a_compressed_container_is_opened_and_a_compressed_response_is_kept() -> None:
    lines = gzip.compress(WHOLE + b"\n" + OTHER + b"\n")
    assert len(told(file_of(lines, "answers.jsonl.gz"))) == 2
    body = gzip.compress(WHOLE)
    assert only(file_of(body)).exchange.body == body


def test_a_compressed_file_that_breaks_off_is_told_behind_its_good_entries() -> None:
    lines = gzip.compress((WHOLE + b"\n") * 2000, compresslevel=0)
    *good, last = told(file_of(lines[:-40_000]))
    assert good and all(words == WHOLE.decode() for _, words in good)
    assert last[1].startswith("unreadable: the file cannot be read on: ")


def test_an_envelope_is_handed_on_as_it_is() -> None:
    line = b'{"response":{"status":200,"body":"{}"},"tags":["a"]}'
    assert kind_of(line) is FileKindName.ENVELOPES
    assert told(file_of(line + b"\n" + line)) == [(1, line.decode()), (2, line.decode())]


def test_reads_are_recognised_by_name_and_by_content() -> None:
    line = b'{"at_us":5,"data":"hi"}\n'
    assert kind_of(line) is kind_of(b"{", "a.reads.jsonl") is FileKindName.READS
    assert told(file_of(b'{"at_us":5}\n', "a.reads.jsonl")) == [
        (1, "unreadable: line 1: exactly one of data and data_b64 is due")
    ]


class EndlessLines(io.RawIOBase):
    """A file of so many equal lines, of which no more is in memory than is asked for."""

    def __init__(self, line: bytes, count: int) -> None:
        self._line, self._length, self._at = line, len(line) * count, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        assert whence == 0
        self._at = offset
        return offset

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        size = min(len(into), self._length - self._at)
        first = self._at % len(self._line)
        copies = self._line * ((first + size) // len(self._line) + 1)
        into[:size] = copies[first : first + size]
        self._at += size
        return size


def lines_of(count: int) -> Iterator[object]:
    source = FileSource.of_stream("answers.jsonl", EndlessLines(WHOLE + b"\n", count))  # type: ignore[arg-type]
    return recognised(source).entries()


def peak_bytes(count: int) -> int:
    tracemalloc.start()
    try:
        assert sum(1 for _ in lines_of(count)) == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_lines() -> None:
    assert peak_bytes(60_000) < peak_bytes(6_000) + 100_000
