"""Applies rules to an exchange: both bodies, the address, values of headers, and metadata."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import msgspec

from inspector.core.credentials.response_body import cut_like, without_coding
from inspector.core.credentials.spans import TextSpan, source_spans
from inspector.core.json import Json
from inspector.core.redaction.body_masking import MaskedBody, masked_body
from inspector.core.redaction.json_paths import JsonPath, PathStates
from inspector.core.redaction.mask_rules import RuleHit, RuleSet, merged_hits
from inspector.core.redaction_mark import AppliedRule, MaskKind, MaskRule, Redaction
from inspector.core.wire.content_encoding import ContentCoding, Decompressor
from inspector.core.wire.exchange import Exchange, Headers, Read, Request

Keyed = Callable[[str], str]
"""Maps the SHA-256 of what was there (hexadecimal) to the keyed hash that may be stored."""
STAR = "*"

# As in "%40".
_PERCENT = re.compile("%[0-9A-Fa-f]{2}")


class RedactedExchange(NamedTuple):
    """``redaction`` is None where nothing was found; the exchange is then the same."""

    exchange: Exchange
    metadata: dict[str, Json]
    redaction: Redaction | None


class MaskedExchange(NamedTuple):
    """The parts of an exchange after masking."""

    request: MaskedBody | None
    response: MaskedBody
    coding: ContentCoding | None


def redact_exchange(
    exchange: Exchange, metadata: dict[str, Json], rules: RuleSet, keyed: Keyed
) -> RedactedExchange:
    if not rules:
        return RedactedExchange(exchange, metadata, None)
    heads = _TextMask(rules)
    found = masked_bodies(exchange, rules)
    masked = _with_heads(exchange, heads)
    masked = _with_response(masked, found)
    request = found.request
    if request is not None and request.passages and masked.request is not None:
        changed = msgspec.structs.replace(masked.request, body=request.body)
        masked = msgspec.structs.replace(masked, request=changed)
    metadata = heads.json_object(metadata)
    places = heads.places + found.response.places + (request.places if request else Counter())
    if not places.total():
        return RedactedExchange(exchange, metadata, None)
    return RedactedExchange(masked, metadata, _redaction(exchange, found, heads, rules, keyed))


def masked_text(text: str, rules: RuleSet) -> str:
    """Return a short text with what the rules name overwritten."""
    return _TextMask(rules).text(text)


def masked_bodies(exchange: Exchange, rules: RuleSet) -> MaskedExchange:
    """Both bodies, masked where rules name a passage; that of the response decompressed."""
    sent = exchange.request.body if exchange.request else None
    reads, coding = decompressed_reads(exchange)
    return MaskedExchange(
        masked_body(sent, rules) if sent else None,
        masked_body(b"".join(read.data for read in reads), rules),
        coding,
    )


def decompressed_reads(exchange: Exchange) -> tuple[list[Read], ContentCoding | None]:
    uncoder = Decompressor(exchange.headers)
    reads = [one for read in exchange.reads for one in uncoder.feed(read)]
    return [*reads, *uncoder.end()], uncoder.coding


def _redaction(
    before: Exchange, found: MaskedExchange, heads: _TextMask, rules: RuleSet, keyed: Keyed
) -> Redaction:
    request, response, coding = found
    is_asked, is_answered = bool(request and request.passages), bool(response.passages)
    sent = before.request.body if before.request else None
    return Redaction(
        rules=_applied(
            rules.rules, heads.places + response.places + (request.places if request else Counter())
        ),
        request_body=len(request.passages) if request else 0,
        response_body=len(response.passages),
        elsewhere=heads.places.total(),
        decoded_from=coding.name if coding and is_answered else None,
        coding_fault=coding.fault if coding and is_answered else None,
        request_body_was=keyed(hashlib.sha256(sent).hexdigest()) if sent and is_asked else None,
        response_body_was=keyed(hashlib.sha256(before.body).hexdigest()) if is_answered else None,
    )


def _with_response(exchange: Exchange, found: MaskedExchange) -> Exchange:
    if not found.response.passages:
        return exchange
    reads, coding = decompressed_reads(exchange)
    masked = tuple(cut_like(reads, found.response.body))
    headers = without_coding(exchange.headers) if coding else exchange.headers
    return msgspec.structs.replace(exchange, headers=headers, reads=masked)


def _with_heads(exchange: Exchange, mask: _TextMask) -> Exchange:
    request = exchange.request
    if request is not None:
        request = Request(
            method=request.method,
            url=None if request.url is None else mask.address(request.url),
            headers=mask.headers(request.headers),
            body=request.body,
            total_bytes=request.total_bytes,
        )
    return msgspec.structs.replace(
        exchange, request=request, headers=mask.headers(exchange.headers)
    )


class _TextMask:
    """Overwrites short texts, and counts."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.places: Counter[int] = Counter()

    def headers(self, headers: Headers | None) -> Headers | None:
        if headers is None:
            return None
        return tuple((name, self.text(value)) for name, value in headers)

    def text(self, text: str) -> str:
        return self._masked(text, self._rules.hits(text))

    def address(self, url: str) -> str:
        hits = list(self._rules.hits(url))
        if "%" in url:
            plain = _PERCENT.sub(_character, url)
            for start, end, rule in self._rules.hits(plain):
                [span] = source_spans(url, _PERCENT, [TextSpan(start, end)])
                hits.append(RuleHit(*span, rule))
        return self._masked(url, merged_hits(hits))

    def json_object(self, found: dict[str, Json]) -> dict[str, Json]:
        begin = [(rule, path, path.begin()) for rule, path in self._rules.paths]
        return self._members(found, begin)

    def _members(
        self, found: dict[str, Json], walks: list[tuple[int, JsonPath, PathStates]]
    ) -> dict[str, Json]:
        return {
            self.text(name): self._value(value, _below(walks, name))
            for name, value in found.items()
        }

    def _value(self, value: Json, walks: list[tuple[int, JsonPath, PathStates]]) -> Json:
        if isinstance(value, dict):
            return self._members(value, walks)
        if isinstance(value, list):
            return [self._value(item, _below(walks, str(at))) for at, item in enumerate(value)]
        named = next((rule for rule, path, states in walks if path.is_at_end(states)), None)
        if isinstance(value, str):
            return self.text(value) if named is None else self._whole(value, named)
        if isinstance(value, int) and not isinstance(value, bool) and named is not None:
            self.places[named] += 1
            return int(re.sub(r"\d", "1", str(value)))
        return value

    def _whole(self, text: str, rule: int) -> str:
        return self._masked(text, [RuleHit(0, len(text), rule)] if text.strip(STAR) else [])

    def _masked(self, text: str, hits: list[RuleHit]) -> str:
        for start, end, rule in hits:
            self.places[rule] += 1
            text = text[:start] + STAR * (end - start) + text[end:]
        return text


def _below(
    walks: list[tuple[int, JsonPath, PathStates]], name: str
) -> list[tuple[int, JsonPath, PathStates]]:
    return [(rule, path, path.below(states, name)) for rule, path, states in walks]


def _character(found: re.Match[str]) -> str:
    return unquote_to_bytes(found[0]).decode("latin-1")


def _applied(rules: Iterable[MaskRule], places: Counter[int]) -> tuple[AppliedRule, ...]:
    return tuple(
        AppliedRule(
            id=rule.id,
            kind=rule.kind,
            name=None if rule.kind is MaskKind.WORD else rule.text,
            places=places[rule.id],
        )
        for rule in rules
        if places[rule.id]
    )
