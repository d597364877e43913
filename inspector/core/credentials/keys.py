"""Credentials that show what they are: keys of vendors, signed tokens, private keys, our own keys.

Each kind begins with a sign that few other texts hold. What is mostly prose needs more than the
sign: a run of letters and digits as chance makes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.credentials.spans import Span

LEAST_RANDOM = 16
LEAST_AFTER_SCHEME = 8
"""Characters after ``Bearer`` or ``Basic`` in a header; in a body they must look random as well."""

_RUNS = re.compile(r"[A-Za-z0-9]{16,}+")
_TOKEN = re.compile(r"[A-Za-z0-9_-]*+")
_ESCAPE_BEFORE = re.compile(r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4})\Z")
ESCAPE_CHARACTERS = 6


@dataclass(frozen=True, slots=True)
class Kind:
    sign: str
    pattern: re.Pattern[str]
    """From the sign on; its last group is the credential."""
    is_random: bool = True


def _kind(sign: str, behind: str, *, is_random: bool = True) -> Kind:
    return Kind(sign, re.compile(f"({re.escape(sign)}{behind})"), is_random)


_WORD, _DASHED = "[A-Za-z0-9]", "[A-Za-z0-9_-]"
_END = r"(?![A-Za-z0-9_-])"

KINDS = (
    _kind("sk-", _DASHED + "{16,}+"),
    *(_kind(sign, _WORD + "{16,}+") for sign in ("sk_live_", "sk_test_", "rk_live_", "rk_test_")),
    _kind("csk-", _DASHED + "{16,}+"),
    _kind("AIza", _DASHED + "{35}" + _END),
    _kind("ya29.", r"[A-Za-z0-9_.-]{16,}+"),
    _kind(
        "eyJ",
        r"[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]*+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){0,2}",
        is_random=False,
    ),
    *(_kind(f"gh{letter}_", _WORD + "{20,}+") for letter in "pousr"),
    _kind("github_pat_", "[A-Za-z0-9_]{20,}+"),
    _kind("glpat-", "[A-Za-z0-9_.-]{16,}+"),
    *(_kind(f"xox{letter}-", "[A-Za-z0-9-]{10,}+", is_random=False) for letter in "abceoprs"),
    _kind("xapp-", "[A-Za-z0-9-]{16,}+"),
    *(_kind(sign, "[0-9A-Z]{16}" + _END, is_random=False) for sign in ("AKIA", "ASIA")),
    *(_kind(sign, _WORD + "{20,}+") for sign in ("hf_", "gsk_", "r8_", "fw_", "npm_")),
    *(_kind(sign, _WORD + "{20,}+") for sign in ("pplx-", "xai-", "tvly-")),
    *(_kind(sign, _DASHED + "{20,}+") for sign in ("nvapi-", "lsv2_", "tgp_v1_", "pypi-")),
    _kind("dop_v1_", _DASHED + "{20,}+"),
    _kind("ri_", _DASHED + "{43}" + _END),
    _kind(
        "-----BEGIN ",
        r"[A-Z0-9 ]{0,40}?PRIVATE KEY[A-Z ]{0,10}+-----"
        r"(?:(?:\\{1,7}[nr]|[\r\n])++(?:[A-Z][A-Za-z-]{1,19}: [^\r\n\\\"]{0,80}+"
        r"|[A-Za-z0-9+/=]{1,200}+)| ?[A-Za-z0-9+/=]{40,}+)*+"
        r"(?:(?:\\{1,7}[nr]|\s)*+-----END [A-Z0-9 ]{0,60}+-----)?",
    ),
)  # fmt: skip

_SCHEME = re.compile(
    r"(?i:\b(?:bearer|basic|token|apikey))[ \t]++([A-Za-z0-9._~+/|:-]{8,}+=*+)(?![\"=])"
)
_BODY_SCHEMES = tuple(
    Kind(f"{word} ", re.compile(f"{word} +([A-Za-z0-9._~+/-]{{16,}}+=*+)"))
    for word in ("Bearer", "bearer", "Basic", "basic")
)


def in_text(text: str) -> Iterator[Span]:
    """In bodies and other long texts, where prose must not be taken for a key."""
    for kind in (*KINDS, *_BODY_SCHEMES):
        if kind.sign in text:
            yield from _of_kind(kind, text)


def in_value(text: str) -> Iterator[Span]:
    """In the value of a header: whatever follows ``Bearer`` is a credential there."""
    for kind in KINDS:
        if kind.sign in text:
            yield from _of_kind(kind, text)
    for found in _SCHEME.finditer(text):
        yield Span(*found.span(1))


def is_random(text: str) -> bool:
    """Some run of it is as chance makes it: letters with digits, or both cases mixed."""
    return any(map(_is_mixed, _RUNS.findall(text)))


def _of_kind(kind: Kind, text: str) -> Iterator[Span]:
    start = text.find(kind.sign)
    while start >= 0:
        found = kind.pattern.match(text, start) if _is_beginning(text, start) else None
        if found and (not kind.is_random or is_random(found[1])):
            yield Span(*found.span(1))
        # The whole run is done with: inside it nothing begins.
        end = found.end() if found else start + len(kind.sign)
        run = _TOKEN.match(text, end)
        start = text.find(kind.sign, run.end() if run else end)


def _is_beginning(text: str, start: int) -> bool:
    """No letter, digit or dash goes before, unless it belongs to an escape of JSON."""
    before = text[start - 1 : start]
    if not before or not (before.isalnum() and before.isascii() or before in "_-"):
        return True
    return _ESCAPE_BEFORE.search(text[max(0, start - ESCAPE_CHARACTERS) : start]) is not None


def _is_mixed(run: str) -> bool:
    has_digit = any(sign.isdigit() for sign in run)
    has_letter = any(sign.isalpha() for sign in run)
    return (has_digit and has_letter) or not (run.islower() or run.isupper() or run.isdigit())
