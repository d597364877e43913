"""Removes credentials from an exchange. Everything that enters the archive passes through here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from inspector.core.completion import Json
from inspector.core.credentials import headers, json_members, repeated, urls
from inspector.core.credentials.json_members import ADDRESS_CHARACTERS, MetadataCleaner
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.credentials.spans import (
    REMOVED_MARK,
    CredentialSpan,
    merge_spans,
    overwrite_spans,
    remove_spans,
)
from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.exchange import Exchange, Headers, Read, Request

OF_THE_CODING = ("content-encoding", "content-length")

Keyed = Callable[[str], str]
"""Maps the SHA-256 of removed content (hexadecimal) to the keyed hash that may be stored."""


class CleanedExchange(NamedTuple):
    exchange: Exchange
    metadata: dict[str, Json]
    removal: Removal
    carried: tuple[str, ...] = ()
    """Credentials that the request carried: to be searched in what is derived from the exchange,
    never to be stored.
    """


def clean_exchange(exchange: Exchange, metadata: dict[str, Json], keyed: Keyed) -> CleanedExchange:
    request = exchange.request
    carried = repeated.worth_searching(_carried(request)) if request else ()
    metadata, in_metadata = _metadata(metadata, carried)
    sent = exchange.headers or ()
    response_headers = _response_headers(sent, carried)
    removal = Removal(
        version=VERSION,
        response_headers=_changed(sent, response_headers),
        metadata=in_metadata,
    )
    exchange = msgspec.structs.replace(
        exchange,
        headers=None if exchange.headers is None else response_headers,
        content_type=exchange.content_type and headers.clean_header_value(exchange.content_type),
    )
    if request is not None:
        request, removal = _request(request, removal, carried, keyed)
        exchange = msgspec.structs.replace(exchange, request=request)
    exchange, removal = _response_body(exchange, removal, carried, keyed)
    return CleanedExchange(exchange, metadata, removal, carried)


# -- what the request carried ---------------------------------------------------------------------


def _carried(request: Request) -> Iterator[str]:
    yield from headers.carried_credentials(request.headers or ())
    if request.url and len(request.url) <= ADDRESS_CHARACTERS:
        for start, end in urls.spans(request.url):
            yield request.url[start:end]
            yield request.url[start:end].partition(":")[2]


# -- request --------------------------------------------------------------------------------------


def _request(
    request: Request, removal: Removal, carried: Sequence[str], keyed: Keyed
) -> tuple[Request, Removal]:
    sent = request.headers or ()
    kept = _mask_spans(headers.of_request(sent), carried)
    url = None if request.url is None else _address(request.url, carried)
    body, passages = _request_body(request.body, carried)
    removal = msgspec.structs.replace(
        removal,
        request_headers=_changed(sent, kept),
        address=int(url != request.url),
        request_body=passages,
        request_body_was=keyed(_sha256([request.body or b""])) if passages else None,
    )
    known = None if request.headers is None else kept
    return msgspec.structs.replace(request, headers=known, url=url, body=body), removal


def _address(url: str, carried: Sequence[str]) -> str:
    if len(url) > ADDRESS_CHARACTERS:
        return REMOVED_MARK
    cleaned = urls.clean_url(url)
    return remove_spans(cleaned, repeated.in_value(cleaned, carried))


def _request_body(body: bytes | None, carried: Sequence[str]) -> tuple[bytes | None, int]:
    if not body:
        return body, 0
    text = repeated.as_text(body)
    spans = _unmasked(
        text, merge_spans([*json_members.in_body(text), *repeated.in_body(text, carried)])
    )
    return overwrite_spans(body, spans), len(spans)


def _unmasked(text: str, spans: Iterable[CredentialSpan]) -> list[CredentialSpan]:
    """Drop spans that were masked before: an exchange may be cleaned twice."""
    return [span for span in spans if text[span.start : span.end].strip("*")]


# -- response -------------------------------------------------------------------------------------


def _response_headers(sent: Headers, carried: Sequence[str]) -> Headers:
    return _mask_spans(headers.of_response(sent), carried)


def _mask_spans(kept: Headers, carried: Sequence[str]) -> Headers:
    if not carried:
        return kept
    return tuple(
        (name, remove_spans(value, repeated.in_value(value, carried))) for name, value in kept
    )


def _response_body(
    exchange: Exchange, removal: Removal, carried: Sequence[str], keyed: Keyed
) -> tuple[Exchange, Removal]:
    if not carried:
        return exchange, removal
    uncoder = Decompressor(exchange.headers)
    reads = [one for read in exchange.reads for one in uncoder.feed(read)]
    reads += uncoder.rest()
    body = b"".join(read.data for read in reads)
    spans = merge_spans(repeated.in_body(repeated.as_text(body), carried))
    if not spans:
        return exchange, removal
    coding = uncoder.coding
    removal = msgspec.structs.replace(
        removal,
        response_body=len(spans),
        response_body_was=keyed(_sha256(read.data for read in exchange.reads)),
        decoded_from=coding.name if coding else None,
        coding_fault=coding.fault if coding else None,
    )
    cut = tuple(_cut(reads, overwrite_spans(body, spans)))
    exchange = msgspec.structs.replace(exchange, reads=cut)
    if coding is None or exchange.headers is None:
        return exchange, removal
    kept = tuple((name, it) for name, it in exchange.headers if name.lower() not in OF_THE_CODING)
    return msgspec.structs.replace(exchange, headers=kept), removal


def _cut(reads: Iterable[Read], body: bytes) -> Iterator[Read]:
    """Cut the body into reads of the original lengths."""
    at = 0
    for read in reads:
        yield Read(read.at_us, body[at : at + len(read.data)])
        at += len(read.data)


# -- the rest -------------------------------------------------------------------------------------


def _metadata(metadata: dict[str, Json], carried: Sequence[str]) -> tuple[dict[str, Json], int]:
    if not metadata:
        return metadata, 0
    cleaner = MetadataCleaner(carried)
    return cleaner.cleaned_object(metadata), cleaner.count


def _changed(before: Headers, after: Headers) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


def _sha256(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
