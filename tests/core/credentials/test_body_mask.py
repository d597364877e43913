"""A body that comes piece by piece is masked as if it had come at once, wherever it is cut."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.credentials.repeated import RepeatedCredentials
from inspector.core.credentials.response_body import BodyMask, ReadMask
from inspector.core.wire.exchange import Read

KEY = "tenant/key+0123456789="
SPELLINGS = (
    b"tenant/key+0123456789=",
    b"tenant\\/key+0123456789=",
    b"tenant/key\\u002b0123456789\\u003D",
    b"tenant\\\\\\/key+0123456789=",
    b"\\u0074enant/key+012345678\\u0039=",
    b"tenant%2Fkey%2B0123456789%3D",
)


def masked(pieces: Iterable[bytes], *secrets: str) -> tuple[bytes, int]:
    mask = BodyMask(RepeatedCredentials(secrets))
    body = b"".join([*map(mask.feed, pieces), mask.rest()])
    return body, mask.passages


def cuts(body: bytes) -> Iterable[Sequence[bytes]]:
    for first in range(len(body) + 1):
        yield body[:first], body[first:]
    yield [body[at : at + 1] for at in range(len(body))]


@pytest.mark.parametrize("spelt", SPELLINGS)
def test_a_credential_is_masked_wherever_the_body_is_cut(spelt: bytes) -> None:
    body = b'{"error":"\\u00e9 ' + spelt + b'\\n"}'
    wanted = b'{"error":"\\u00e9 ' + b"*" * len(spelt) + b'\\n"}'
    for pieces in cuts(body):
        assert masked(pieces, KEY) == (wanted, 1), pieces


@pytest.mark.parametrize("spelt", SPELLINGS)
def test_no_piece_given_back_has_a_part_of_it(spelt: bytes) -> None:
    mask = BodyMask(RepeatedCredentials([KEY]))
    for at in range(len(spelt)):
        assert mask.feed(spelt[at : at + 1]) in (b"", b"*" * len(spelt))
    assert mask.rest() in (b"", b"*" * len(spelt))


def test_only_what_may_begin_a_credential_is_held_back() -> None:
    mask = BodyMask(RepeatedCredentials([KEY]))
    assert mask.feed(b"data: the ten") == b"data: the "
    assert mask.feed(b" \\") == b"ten "
    assert mask.feed(b"n data: x") == b"\\n data: x"
    assert mask.rest() == b""


def test_credentials_that_overlap_are_masked_whole() -> None:
    body = b"x abcd1234abcd1234abcd y"
    for pieces in cuts(body):
        assert masked(pieces, "abcd1234abcd") == (b"x " + b"*" * 20 + b" y", 1), pieces
    for pieces in cuts(b"x aaaa11112222bbbb y"):
        assert masked(pieces, "aaaa11112222", "11112222bbbb") == (b"x " + b"*" * 16 + b" y", 1)


def test_one_that_begins_another_is_masked_as_far_as_it_goes() -> None:
    for pieces in cuts(b"token-0123 token-0123-456 token-0123-45"):
        body, passages = masked(pieces, "token-0123", "token-0123-456")
        # The last one ends as the longer would, were the body not cut.
        assert (body, passages) == (b"********** ************** *************", 3), pieces


def test_a_body_that_ends_inside_a_credential_does_not_keep_its_beginning() -> None:
    for pieces in cuts(b"no tenant/ but tenant/k"):
        assert masked(pieces, KEY) == (b"no tenant/ but ********", 1), pieces
    for pieces in cuts(b"no tenant/k but tenant/"):
        assert masked(pieces, KEY) == (b"no tenant/k but tenant/", 0), pieces
    for pieces in cuts(b"escaped \\u0074enant\\/k"):
        assert masked(pieces, KEY) == (b"escaped " + b"*" * 14, 1), pieces


def test_a_body_made_to_be_compared_for_long_is_only_held_back() -> None:
    secret = "ab" * 2_000 + "0"
    body = b"ab" * 1_900 + b"a!"
    mask = BodyMask(RepeatedCredentials([secret]))
    given_back = mask.feed(body)
    assert len(given_back) < len(body)
    assert given_back + mask.rest() == body


ALPHABET = st.sampled_from(
    [b"a", b"b1", b"/", b"\\", b"\\/", b"u0061", b"\\u0061", b"aaab1", b"%2F"]
)
BODIES = st.lists(ALPHABET, max_size=60).map(b"".join)
SECRETS = st.lists(st.sampled_from(["aaab1/aa", "ab1ab1ab1", "a/a/a/a/", "b1b1b1b1a", 'a"\\b1aaa']))


@given(BODIES, SECRETS, st.lists(st.integers(0, 300), max_size=8))
def test_all_cuts_give_the_same(body: bytes, secrets: list[str], places: list[int]) -> None:
    at = sorted({0, len(body), *(place % (len(body) + 1) for place in places)})
    pieces = [body[start:end] for start, end in zip(at, at[1:], strict=False)]
    assert masked(pieces, *secrets) == masked([body], *secrets)


def test_reads_keep_their_lengths_and_times() -> None:
    mask = ReadMask(RepeatedCredentials([KEY]))
    sent = [
        Read(1, b"a "),
        Read(2, b""),
        Read(3, b"b tena"),
        Read(4, b"nt/key+01234"),
        Read(5, b""),
    ]
    assert mask.feed(sent[:3]) == sent[:2]
    assert mask.feed(sent[3:]) == []
    assert mask.feed([Read(6, b"56789= c"), Read(None, b"d")]) == [
        Read(3, b"b ****"),
        Read(4, b"************"),
        Read(5, b""),
        Read(6, b"****** c"),
        Read(None, b"d"),
    ]
    assert (mask.rest(), mask.passages) == ([], 1)
