"""Items of a list in a JSON document, each as the text that it is in the file. Only one item is in
memory at a time. Not a parser: what is between brackets is told apart, and nothing is checked.
"""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from inspector.transfer.entries import BrokenFile

STEP_BYTES = 1 << 16
"""Read at a time; an item is in memory whole."""
LONGEST_ITEM_BYTES = 100 << 20
"""Room for a request and a response of 32 MiB in base64."""
TOO_LONG = f"an entry is over {LONGEST_ITEM_BYTES >> 20} MiB"
CUT = "the file ends within this entry"

# As in '"a"', "{", ",".
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]', re.DOTALL)
# Also a quote alone: its string goes on in the next piece.
_NEXT = re.compile(rb'["\[\]{}:,]')
_OPENING, _CLOSING = frozenset(b"[{"), frozenset(b"]}")


class NoSuchList(Exception):
    """Raised where the document has no list at the path that was asked for."""


def list_items(stream: BinaryIO, path: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the items of the list at ``path``, names of members from the document's root. Raises
    ``NoSuchList`` before the first item, ``BrokenFile`` where the document ends too early.
    """
    text = _Text(stream)
    for name in path:
        text.expect(b"{")
        text.find_member(name)
    text.expect(b"[")
    text.forget()
    yield from text.items()


class _Text:
    """The part of the document from a mark on that nobody was done with yet."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._kept = b""
        self._at = 0

    def forget(self) -> None:
        self._kept, self._at = self._kept[self._at :], 0

    def expect(self, token: bytes) -> None:
        if self._next() != token:
            raise NoSuchList

    def find_member(self, name: str) -> None:
        """Goes behind the colon of this member of an object that was just opened."""
        wanted = f'"{name}"'.encode()
        while (token := self._next()).startswith(b'"'):
            self.expect(b":")
            if token == wanted:
                return
            self._pass_value()
        raise NoSuchList

    def items(self) -> Iterator[bytes]:
        depth = 0
        while True:
            token = self._next()
            if depth == 0 and token in (b",", b"]"):
                item = self._kept[: self._at - 1].strip()
                self.forget()
                if item or token == b",":
                    yield item
                if token == b"]":
                    return
            elif token[0] in _OPENING:
                depth += 1
            elif token[0] in _CLOSING:
                depth -= 1

    def _pass_value(self) -> None:
        depth = 0
        while True:
            # Of what is passed over nothing is kept: it may be most of the file.
            self.forget()
            token = self._next()
            if depth == 0 and token == b",":
                return
            if token[0] in _OPENING:
                depth += 1
            elif token[0] in _CLOSING:
                if depth == 0:
                    raise NoSuchList
                depth -= 1

    def _next(self) -> bytes:
        while True:
            begun = _NEXT.search(self._kept, self._at)
            if begun is None:
                # A long number or white space; its rest is looked at when it is there.
                self._more()
                continue
            whole = _TOKEN.match(self._kept, begun.start())
            if whole is not None:
                self._at = whole.end()
                return whole[0]
            self._more()

    def _more(self) -> None:
        if len(self._kept) > LONGEST_ITEM_BYTES:
            raise BrokenFile(TOO_LONG)
        # Twice as much each time, so that a long text is not searched again for every step.
        piece = self._stream.read(max(STEP_BYTES, len(self._kept)))
        if not piece:
            raise BrokenFile(CUT)
        self._kept += piece
