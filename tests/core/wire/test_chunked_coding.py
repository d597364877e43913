"""Bodies in which the sizes of the chunked transfer coding are left are read without them."""

import json

import pytest

from inspector.core.analysis import Verdict
from inspector.core.provenance import Origins
from inspector.core.wire.chunked_coding import chunk_ranges
from tests.core.bodies import GOOD, analysis, codes, reading


def chunked(*parts: bytes, line_end: bytes = b"\r\n") -> bytes:
    lines = [each for part in parts for each in (b"%x" % len(part), part)]
    return line_end.join([*lines, b"0", b"", b""])


BODIES = {
    "one chunk": chunked(GOOD),
    "a word cut in two": chunked(GOOD[:40], GOOD[40:]),
    "line feeds": chunked(GOOD[:40], GOOD[40:], line_end=b"\n"),
    "an extension": chunked(GOOD).replace(b"\r\n", b";x=1\r\n", 1),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_answer_between_sizes_is_read_and_they_are_told(body: bytes) -> None:
    result = analysis(body)
    assert (result.verdict, result.completion) == (Verdict.COMPLETE, json.loads(GOOD))
    assert codes(result) == codes(analysis(GOOD)) | {"framing.chunk-sizes"}


def test_the_sizes_are_quoted() -> None:
    (told,) = [f for f in analysis(chunked(GOOD)).findings if f.code == "framing.chunk-sizes"]
    assert told.message.endswith(f" stand in the body: {len(GOOD):x}.")


def test_the_bytes_of_a_text_are_those_behind_the_size() -> None:
    body = chunked(GOOD)
    (origin,) = Origins(reading(body).tape(), body).of(0, 0, 2)
    assert [body[start:end] for start, end in origin.byte_ranges] == [b"He"]


@pytest.mark.parametrize(
    "body",
    [
        b"200\n" + GOOD,
        GOOD + b"\n200\n",
        b"c8\r\n" + GOOD,
        b"0\r\n\r\n",
        chunked(GOOD)[:-9],
        chunked(GOOD) + b"<html>502 Bad Gateway</html>",
        chunked(GOOD) + b'{"error":"late"}\r\n',
    ],
    ids=["before", "behind", "a size that is wrong", "nothing", "cut", "a page", "an error"],
)
def test_a_number_beside_an_answer_is_no_size(body: bytes) -> None:
    assert chunk_ranges(body) == []
    assert "framing.chunk-sizes" not in codes(analysis(body))


def test_fields_behind_the_last_chunk_are_of_the_coding() -> None:
    body = chunked(GOOD)[: -len(b"\r\n")] + b"Expires: 0\r\n\r\n"
    assert codes(analysis(body)) == codes(analysis(chunked(GOOD)))
