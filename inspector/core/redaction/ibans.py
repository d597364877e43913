"""Finds bank account numbers (IBAN, ISO 13616): a country, its length, and the check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.redaction.text_range import TextRange

LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27,
    "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
    "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
    "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
    "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}  # fmt: skip
"""Characters of a number, by its country (the registry's release of 2024)."""

_NUMBER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,29}")


def iban_ranges(text: str) -> Iterator[TextRange]:
    at = 0
    while found := _NUMBER.search(text, at):
        end = _end_of(found)
        if end is not None:
            yield TextRange(found.start(), end)
        at = end or found.start() + 2


def _end_of(found: re.Match[str]) -> int | None:
    """Where the number ends that begins like one; None if none does."""
    length = LENGTHS.get(found[0][:2].upper())
    ends = [at for at, sign in enumerate(found[0]) if sign not in " -"]
    if length is None or len(ends) < length:
        return None
    end = found.start() + ends[length - 1] + 1
    following = found.string[end : end + 1]
    if following.isascii() and following.isalnum():
        return None
    return end if is_checked(found.string[found.start() : end]) else None


def is_checked(number: str) -> bool:
    """True if the check digits are right (ISO/IEC 7064, MOD 97-10)."""
    plain = re.sub("[ -]", "", number).upper()
    spelt = "".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])
    return int(spelt) % 97 == 1
