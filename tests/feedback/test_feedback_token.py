import json
from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.feedback.feedback_token import (
    MAX_CHARACTERS,
    FeedbackTokenPart,
    FeedbackTokenShape,
    read_token,
)

SAID = b64encode(b'{"t":7,"u":"summarise","r":"run-1"}').decode()
SIGNATURE = b64encode(bytes(32)).decode()


def test_what_a_token_says_is_read_and_its_signature_is_only_seen() -> None:
    token = read_token(f"{SAID}.{SIGNATURE}")
    assert token.shape is FeedbackTokenShape.SIGNED
    assert token.parts == (
        FeedbackTokenPart("t", "tenant", "7"),
        FeedbackTokenPart("u", "task", '"summarise"'),
        FeedbackTokenPart("r", "run", '"run-1"'),
    )


def test_both_alphabets_are_read_with_padding_and_without() -> None:
    said = json.dumps({"t": 1, "u": 2, "r": "??>>~~"}).encode()
    for written in (b64encode(said), urlsafe_b64encode(said), b64encode(said).rstrip(b"=")):
        assert [part.value for part in read_token(written.decode()).parts] == ["1", "2", '"??>>~~"']


def test_a_member_that_nobody_described_is_told_too() -> None:
    said = b64encode(b'{"t":1,"u":1,"r":1,"exp":null}').decode()
    assert read_token(said).parts[-1] == FeedbackTokenPart("exp", "", "null")


@pytest.mark.parametrize(
    "token, shape",
    [
        (SAID, FeedbackTokenShape.UNSIGNED),
        ("fb_8YMnDbs_0", FeedbackTokenShape.DOCUMENTED),
        (f"{SAID}.short", FeedbackTokenShape.UNKNOWN),
        (f"{SAID}.{SIGNATURE}.{SIGNATURE}", FeedbackTokenShape.UNKNOWN),
        (b64encode(b'{"r":1}').decode(), FeedbackTokenShape.UNKNOWN),
        (b64encode(b"[" * 3000).decode(), FeedbackTokenShape.UNKNOWN),
        ("fb_", FeedbackTokenShape.UNKNOWN),
        ("", FeedbackTokenShape.UNKNOWN),
        (SAID + "A" * MAX_CHARACTERS, FeedbackTokenShape.UNKNOWN),
    ],
)
def test_a_token_has_a_shape(token: str, shape: FeedbackTokenShape) -> None:
    assert read_token(token).shape is shape


@given(st.text(alphabet="AQe0=.{}-_/+ \ud800é", max_size=60))
def test_any_text_can_be_asked(token: str) -> None:
    read_token(token)
