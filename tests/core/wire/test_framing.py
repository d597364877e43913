"""How a body is cut into objects: told from its first byte, settled at its end."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.parse_body import parse_document
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.framing import FramedLine, Framing, Sniffer, framed_lines, is_elision
from tests.core.bodies import GOOD

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("reads", "framing"),
    [
        ((b"{",), Framing.DOCUMENT),
        ((b"[",), Framing.DOCUMENT),
        ((b'"',), Framing.DOCUMENT),
        ((b" \r\n\t", b"{"), Framing.DOCUMENT),
        ((BOM + b"{",), Framing.DOCUMENT),
        ((BOM[:1], BOM[1:], b"", b"{"), Framing.DOCUMENT),
        ((b"data:",), Framing.EVENT_STREAM),
        ((b":",), Framing.EVENT_STREAM),
        ((b"<html>",), Framing.EVENT_STREAM),
        ((b"0",), Framing.EVENT_STREAM),
        ((BOM + BOM + b"{",), Framing.EVENT_STREAM),
        ((b" \n", b"data:"), Framing.EVENT_STREAM),
        ((b"",), None),
        ((b" \n",), None),
        ((BOM,), None),
        ((BOM[:2],), None),
    ],
)
def test_the_first_byte_tells_lines(reads: tuple[bytes, ...], framing: Framing | None) -> None:
    sniffer = Sniffer()
    *_, last = (sniffer.feed(read) for read in reads)
    assert last is framing


def test_a_mark_may_come_in_pieces_with_nothing_between_them() -> None:
    sniffer = Sniffer()
    assert [sniffer.feed(read) for read in (BOM[:1], b"", BOM[1:], b"", b"{")][
        -1
    ] is Framing.DOCUMENT


def test_lines_have_their_bytes_and_blank_ones_are_left_out() -> None:
    assert list(framed_lines(b'{"a":1}\r\n\n \n {"b":2} ')) == [
        FramedLine(0, 9, b'{"a":1}', True),
        FramedLine(12, 21, b'{"b":2}', False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"...",
        b"....",
        b" ..... ",
        "…".encode(),
        b"[...]",
        b"{...}",
        b'"..."',
        b"...,",
        b"// ...",
        b"# ...",
        b"// 40 more ...",
    ],
)
def test_dots_alone_stand_for_what_was_left_out(text: bytes) -> None:
    assert is_elision(text)


@pytest.mark.parametrize(
    "text", [b"", b"..", b"a...", b"...a", b"[..]", b"# see ...", b"//", b"{", b'"..']
)
def test_other_text_stands_for_itself(text: bytes) -> None:
    assert not is_elision(text)


@pytest.mark.parametrize(
    ("body", "framing"),
    [
        (b"", Framing.EMPTY),
        (b" \n", Framing.EMPTY),
        (GOOD, Framing.DOCUMENT),
        (BOM + GOOD, Framing.DOCUMENT),
        (b"[{}]", Framing.ARRAY),
        (b'"hello"', Framing.TEXT),
        (b"null", Framing.TEXT),
        (b"hello", Framing.TEXT),
        (b"{", Framing.TEXT),
        (b"{}\n{}", Framing.LINES),
        (b"{}\r\n\r\n{}\r\n", Framing.LINES),
        (BOM + b"{}\n{}", Framing.LINES),
        (b"{}\nhello", Framing.TEXT),
        (b"hello\n{}", Framing.TEXT),
        (b'{\n"a":1,\n}', Framing.TEXT),
        (b"{}{}", Framing.TEXT),
    ],
)
def test_a_body_is_one_text_or_lines_or_neither(body: bytes, framing: Framing) -> None:
    assert parse_document(body).framing is framing


def test_an_answer_with_something_behind_it_is_not_lines_but_an_answer_in_a_text() -> None:
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hi"}}]}\n200\n'
    result = analyze(Exchange.of_body(body))
    assert (result.verdict, result.streamed) == (Verdict.MISSING_FINISH, False)
    assert result.choices[0].content == "Hi"
    assert "framing.pasted" in {finding.code for finding in result.findings}
