"""Finds credentials by shape: vendors' API keys, signed tokens, private keys, our own keys.

Each kind begins with a prefix that is rare in other texts. Kinds whose prefix occurs in prose must
also contain a run of random letters and digits.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from inspector.core.credentials.spans import TextSpan

MIN_RANDOM = 16
"""Least letters and digits in a row that can look random."""
MIN_KEY = 14
"""Characters of the shortest key."""
SPLIT_CHARACTERS = 1 << 18
"""Characters of a text cut into words at once. Parts overlap by more than any sign is long."""
# The random part of "sk-proj-Ab12…".
_RUNS = re.compile(rf"[A-Za-z0-9]{{{MIN_RANDOM},}}+")
# As in "Ab12_cd-34".
_TOKEN = re.compile(r"[A-Za-z0-9_-]*+")
_LONG_WORD = re.compile(rf"\S{{{MIN_KEY}}}|-----BEGIN ")
"""A word as long as every key has, or the first line of a private key."""
# The line break in "\nsk-ab12", spelt as in JSON.
_ESCAPE_BEFORE = re.compile(r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4})\Z")
ESCAPE_CHARACTERS = 6
"""The longest escape of JSON, as in "\\u000a"."""


@dataclass(frozen=True, slots=True)
class KeyPattern:
    sign: str
    expression: str
    """Matches from the prefix on; its last group is the credential."""
    is_random: bool = True

    def match(self, text: str, start: int) -> re.Match[str] | None:
        return _compiled(self.expression).match(text, start)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    """Return the pattern, which is made for the first text that has its sign: of most kinds none
    comes, and to make all would take as long as to import fifty modules.
    """
    return re.compile(expression)


def _key_pattern(sign: str, behind: str, *, is_random: bool = True) -> KeyPattern:
    return KeyPattern(sign, f"({re.escape(sign)}{behind})", is_random)


_WORD, _DASHED = "[A-Za-z0-9]", "[A-Za-z0-9_-]"
_END = r"(?![A-Za-z0-9_-])"

KEY_PATTERNS = (
    _key_pattern("sk-", _DASHED + "{16,}+"),
    *(_key_pattern(sign, "[A-Za-z0-9_]{16,}+") for sign in ("sk_", "rk_live_", "rk_test_")),
    _key_pattern("csk-", _DASHED + "{16,}+"),
    _key_pattern("AIza", _DASHED + "{35}" + _END),
    _key_pattern("ya29.", r"[A-Za-z0-9_.-]{16,}+"),
    _key_pattern(
        "eyJ",
        r"[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]*+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){0,2}",
        is_random=False,
    ),
    *(_key_pattern(f"gh{letter}_", _WORD + "{20,}+") for letter in "pousr"),
    _key_pattern("github_pat_", "[A-Za-z0-9_]{20,}+"),
    _key_pattern("glpat-", "[A-Za-z0-9_.-]{16,}+"),
    *(
        _key_pattern(f"xox{letter}-", "[A-Za-z0-9-]{10,}+", is_random=False)
        for letter in "abcdeoprs"
    ),
    _key_pattern("xapp-", "[A-Za-z0-9-]{16,}+"),
    *(_key_pattern(sign, "[0-9A-Z]{16}" + _END, is_random=False) for sign in ("AKIA", "ASIA")),
    *(_key_pattern(sign, _WORD + "{20,}+") for sign in ("hf_", "gsk_", "r8_", "fw_", "npm_")),
    *(_key_pattern(sign, _WORD + "{20,}+") for sign in ("pplx-", "xai-", "tvly-")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("nvapi-", "lsv2_", "tgp_v1_", "pypi-")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("dop_v1_", "pcsk_", "vck_", "cpk_")),
    # Amazon Bedrock: long keys are base64, short ones a signed address in base64.
    _key_pattern("ABSK", r"[A-Za-z0-9+/]{40,}+=*+"),
    _key_pattern("bedrock-api-key-", r"[A-Za-z0-9+/]{40,}+=*+"),
    *(
        _key_pattern(sign, _DASHED + "{20,}+")
        for sign in ("AQ.", "GOCSPX-", "jina_", "esecret_", "glsa_", "lin_api_", "ntn_", "figd_")
    ),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("hvs.", "hvb.", "dckr_pat_", "sntrys_")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("sq0atp-", "sq0csp-", "whsec_")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("glrt-", "gldt-", "glptt-", "glcbt-")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("hvr.", "dckr_oat_", "sntryu_", "glc_")),
    *(_key_pattern(sign, _DASHED + "{20,}+") for sign in ("sb_secret_", "PMAK-", "HRKU-", "fm2_")),
    *(_key_pattern(sign, _WORD + "{20,}+") for sign in ("rnd_", "nfp_", "e2b_", "rpa_", "cfut_")),
    *(_key_pattern(sign, _WORD + "{20,}+") for sign in ("api_org_", "apify_api_", "lin_oauth_")),
    *(_key_pattern(sign, _WORD + "{20,}+") for sign in ("NRAK-", "wandb_v1_", "ATBB")),
    *(_key_pattern(sign, "[0-9a-f]{40}" + _END) for sign in ("sbp_", "pul-")),
    *(_key_pattern(sign, "[0-9a-f]{48}" + _END) for sign in ("rubygems_",)),
    *(_key_pattern(sign, "[0-9a-f]{64}" + _END) for sign in ("doo_v1_", "dor_v1_")),
    *(_key_pattern(sign, _WORD + "{40,}+") for sign in ("sess-", "dp.pt.", "dp.st.", "secret_")),
    *(_key_pattern(sign, _DASHED + "{40,}+") for sign in ("pa-", "1//0", "sha256~", "AKCp")),
    *(_key_pattern(sign, _DASHED + "{60,}+=*+[0-9A-F]*+") for sign in ("ATATT3", "ATCTT3")),
    _key_pattern("ls__", "[0-9a-f]{32}" + _END),
    _key_pattern("pscale_", "(?:tkn|pw|oauth)_" + _DASHED + "{30,}+"),
    _key_pattern("ops_eyJ", _DASHED + "{40,}+"),
    _key_pattern("LTAI", _WORD + "{16,20}" + _END),
    _key_pattern("dt0c01.", r"[A-Z0-9]{24}\." + _WORD + "{64}"),
    _key_pattern("AGE-SECRET-KEY-1", "[A-Z0-9]{58}" + _END),
    # An address by which anybody may post.
    _key_pattern("hooks.slack.com/services/", r"T[A-Z0-9]+/B[A-Z0-9]+/" + _WORD + "{20,}+"),
    *(
        KeyPattern(f"{name}=", f"{name}=([A-Za-z0-9+/]{{40,}}+=*+)")
        for name in ("AccountKey", "SharedAccessKey")
    ),
    *(
        _key_pattern(sign, "[0-9a-f]{32}" + _END)
        for sign in ("shpat_", "shpca_", "shppa_", "shpss_", "dapi", "fc-")
    ),
    # SendGrid: two runs of fixed lengths.
    _key_pattern("SG.", _DASHED + r"{22}\." + _DASHED + "{43}" + _END),
    _key_pattern("ri_", _DASHED + "{43}" + _END),
    _key_pattern(
        "-----BEGIN ",
        r"[A-Z0-9 ]{0,40}?PRIVATE KEY[A-Z ]{0,10}+-----"
        r"(?:(?:\\{1,7}[nr]|[\r\n])++(?:[A-Z][A-Za-z-]{1,19}: [^\r\n\\\"]{0,80}+"
        r"|[A-Za-z0-9+/=]{1,200}+)| ?[A-Za-z0-9+/=]{40,}+)*+"
        r"(?:(?:\\{1,7}[nr]|\s)*+-----END [A-Z0-9 ]{0,60}+-----)?",
    ),
)  # fmt: skip

# As in "Bearer eyJhbGciOiJIUzI1NiJ9", not 'Bearer error_description="…"'.
_SCHEME = re.compile(
    r"(?i:\b(?:bearer|basic|token|apikey))[ \t]++([A-Za-z0-9._~+/|:-]{8,}+=*+)(?![\"=])"
)
_BODY_SCHEMES = tuple(
    KeyPattern(f"{word} ", f"{word} +([A-Za-z0-9._~+/-]{{16,}}+=*+)")
    for word in ("Bearer", "bearer", "Basic", "basic")
)


_IN_TEXTS = (*KEY_PATTERNS, *_BODY_SCHEMES)
# As in "sk-" and "Bearer ": one search that most texts end with.
_ANY_SIGN = re.compile("|".join(re.escape(kind.sign) for kind in _IN_TEXTS))


def may_have_key(text: str) -> bool:
    """Return False for most sentences and names, sooner than by looking for each kind of key."""
    return _LONG_WORD.search(text) is not None and _ANY_SIGN.search(text) is not None


def key_spans_in_text(text: str) -> Iterator[TextSpan]:
    """Yield keys in bodies and other long texts, where prose must not be mistaken for a key."""
    long_words = _long_words(text)
    for kind in _IN_TEXTS:
        if kind.sign in (text if " " in kind.sign else long_words):
            yield from _of_kind(kind, text)


def key_spans_in_value(text: str) -> Iterator[TextSpan]:
    """Yield keys in a header value, where anything after ``Bearer`` is a credential."""
    for kind in KEY_PATTERNS:
        if kind.sign in text:
            yield from _of_kind(kind, text)
    for found in _SCHEME.finditer(text):
        yield TextSpan(*found.span(1))


def _long_words(text: str) -> str:
    """All that may be a key without spaces: of prose a small part, which is soon searched."""
    parts = (text[at : at + SPLIT_CHARACTERS + 64] for at in range(0, len(text), SPLIT_CHARACTERS))
    return " ".join(word for part in parts for word in part.split() if len(word) >= MIN_KEY)


def is_random(text: str) -> bool:
    """Return True if a run mixes letters with digits, or upper with lower case."""
    return any(map(_is_mixed, _RUNS.findall(text)))


def _of_kind(kind: KeyPattern, text: str) -> Iterator[TextSpan]:
    start = text.find(kind.sign)
    while start >= 0:
        found = kind.match(text, start) if _is_beginning(text, start) else None
        if found and (not kind.is_random or is_random(found[1])):
            yield TextSpan(*found.span(1))
        # Skip the whole run: no key begins inside one.
        end = found.end() if found else start + len(kind.sign)
        run = _TOKEN.match(text, end)
        start = text.find(kind.sign, run.end() if run else end)


def _is_beginning(text: str, start: int) -> bool:
    """Return True if no letter, digit or dash precedes, unless it belongs to a JSON escape."""
    before = text[start - 1 : start]
    if not before or not (before.isalnum() and before.isascii() or before in "_-"):
        return True
    return _ESCAPE_BEFORE.search(text[max(0, start - ESCAPE_CHARACTERS) : start]) is not None


def _is_mixed(run: str) -> bool:
    has_digit = any(sign.isdigit() for sign in run)
    has_letter = any(sign.isalpha() for sign in run)
    return (has_digit and has_letter) or not (run.islower() or run.isupper() or run.isdigit())
