"""A token of ours says what it was signed for, and nothing until its signature is right."""

import re
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from inspector.feedback.signed_token import (
    CHARACTERS,
    INVALID_PARTS,
    TokenClaims,
    has_own_prefix,
    sign,
    split_token,
    verify,
)

SECRET = b"thirty-two bytes that are secret"
OTHER = b"other bytes that are as much so."
CLAIMS = TokenClaims(
    team_id=7,
    capture_id=UUID("019aa3f0-0000-7000-8000-000000000001"),
    choice=2,
    made_at_us=1_795_000_000_000_001,
    expires_at=1_797_000_000,
)
TOKEN = sign(3, SECRET, CLAIMS)


def changed_at(text: str, place: int) -> str:
    return text[:place] + ("B" if text[place] == "A" else "A") + text[place + 1 :]


def test_what_is_signed_is_what_is_verified() -> None:
    parts = split_token(TOKEN)
    assert parts.key_id == 3
    assert verify(parts, SECRET) == CLAIMS


def test_a_token_needs_no_quoting_and_has_one_length() -> None:
    assert re.fullmatch(r"ri1\.[A-Za-z0-9_.-]+", TOKEN)
    largest = replace(CLAIMS, team_id=2**64 - 1, choice=2**63 - 1, expires_at=2**32 - 1)
    assert {len(TOKEN), len(sign(2**48 - 1, SECRET, largest))} == {CHARACTERS}
    assert verify(split_token(sign(2**48 - 1, SECRET, largest)), SECRET) == largest


def test_two_tokens_for_one_choice_are_two() -> None:
    assert sign(3, SECRET, CLAIMS) != sign(3, SECRET, CLAIMS)


def test_another_secret_or_none_verifies_nothing() -> None:
    assert verify(split_token(TOKEN), OTHER) is None
    assert verify(split_token(TOKEN), None) is None
    assert verify(INVALID_PARTS, SECRET) is None
    assert verify(INVALID_PARTS, None) is None


def test_no_character_of_it_can_be_another() -> None:
    """The last one has two bits that decoding would drop: it counts all the same."""
    for place in range(len(TOKEN)):
        assert verify(split_token(changed_at(TOKEN, place)), SECRET) is None, place


def test_a_key_that_is_named_otherwise_is_not_believed() -> None:
    as_key_4 = TOKEN.replace(TOKEN[4:12], urlsafe_b64encode((4).to_bytes(6, "big")).decode())
    assert split_token(as_key_4).key_id == 4
    assert verify(split_token(as_key_4), SECRET) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: "",
        lambda token: token[:-1],
        lambda token: token + "A",
        lambda token: token + "\n",
        lambda token: token + "=",
        lambda token: " " + token,
        lambda token: token.replace(".", ":"),
        lambda token: token.replace("ri1", "ri2"),
        lambda token: token[:-1] + "é",
        lambda token: token[:-1] + "\0",
        lambda token: token[:-1] + "\ud800",
        lambda token: token[:50],
        lambda token: token * 10_000,
        lambda token: "ri1." + "A" * 1_000_000,
        lambda token: "fb_8YMnDbsifkBeAs814beb0dFOJdPeG_0",
    ],
)
def test_what_has_not_the_form_has_no_parts(spoil: Callable[[str], str]) -> None:
    assert split_token(spoil(TOKEN)) == INVALID_PARTS


def test_a_part_that_stands_for_none_is_as_long_as_one() -> None:
    parts = split_token(TOKEN)
    assert len(parts.signed) == len(INVALID_PARTS.signed)
    assert len(parts.payload) == len(INVALID_PARTS.payload)
    assert len(parts.signature) == len(INVALID_PARTS.signature)


def test_ours_are_told_by_their_beginning() -> None:
    assert has_own_prefix(TOKEN) and has_own_prefix("ri1.cut")
    assert (
        not has_own_prefix("fb_x_0")
        and not has_own_prefix("eyJ0IjoxfQ==.AAAA")
        and not has_own_prefix("")
    )


def test_signing_loads_no_framework() -> None:
    program = "import sys, inspector.feedback.signed_token; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
