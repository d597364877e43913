"""One exchange without the credentials that came with it: what every way into the archive calls."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from inspector.core.coding import Uncoder
from inspector.core.completion import Json
from inspector.core.credentials import addresses, headers, members, repeated
from inspector.core.credentials.headers import Headers
from inspector.core.credentials.members import ADDRESS_CHARACTERS, Metadata
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.credentials.spans import REMOVED, Span, merged, overwritten, removed
from inspector.core.exchange import Exchange, Read, Request

OF_THE_CODING = ("content-encoding", "content-length")

Keyed = Callable[[str], str]
"""From the SHA-256 of what was there (hexadecimal) to what may be kept of it."""


class Cleaned(NamedTuple):
    exchange: Exchange
    metadata: dict[str, Json]
    removal: Removal
    carried: tuple[str, ...] = ()
    """The credentials that the request carried: to be looked for in what was made of the exchange,
    never to be kept.
    """


def clean(exchange: Exchange, metadata: dict[str, Json], keyed: Keyed) -> Cleaned:
    request = exchange.request
    carried = repeated.sought(_carried(request)) if request else ()
    metadata, in_metadata = _metadata(metadata, carried)
    response_headers = _response_headers(exchange.headers, carried)
    removal = Removal(
        version=VERSION,
        response_headers=_changed(exchange.headers, response_headers),
        metadata=in_metadata,
    )
    exchange = msgspec.structs.replace(
        exchange,
        headers=response_headers,
        content_type=exchange.content_type and headers.cleaned_value(exchange.content_type),
    )
    if request is not None:
        request, removal = _request(request, removal, carried, keyed)
        exchange = msgspec.structs.replace(exchange, request=request)
    exchange, removal = _response_body(exchange, removal, carried, keyed)
    return Cleaned(exchange, metadata, removal, carried)


# -- what the request carried ---------------------------------------------------------------------


def _carried(request: Request) -> Iterator[str]:
    yield from headers.carried(request.headers)
    if request.url and len(request.url) <= ADDRESS_CHARACTERS:
        for start, end in addresses.spans(request.url):
            yield request.url[start:end]
            yield request.url[start:end].partition(":")[2]


# -- request --------------------------------------------------------------------------------------


def _request(
    request: Request, removal: Removal, carried: Sequence[str], keyed: Keyed
) -> tuple[Request, Removal]:
    kept = _without(headers.of_request(request.headers), carried)
    url = None if request.url is None else _address(request.url, carried)
    body, passages = _request_body(request.body, carried)
    removal = msgspec.structs.replace(
        removal,
        request_headers=_changed(request.headers, kept),
        address=int(url != request.url),
        request_body=passages,
        request_body_was=keyed(_sha256([request.body or b""])) if passages else None,
    )
    return msgspec.structs.replace(request, headers=kept, url=url, body=body), removal


def _address(url: str, carried: Sequence[str]) -> str:
    if len(url) > ADDRESS_CHARACTERS:
        return REMOVED
    cleaned = addresses.cleaned(url)
    return removed(cleaned, repeated.in_value(cleaned, carried))


def _request_body(body: bytes | None, carried: Sequence[str]) -> tuple[bytes | None, int]:
    if not body:
        return body, 0
    text = repeated.as_text(body)
    spans = _unmasked(text, merged([*members.in_body(text), *repeated.in_body(text, carried)]))
    return overwritten(body, spans), len(spans)


def _unmasked(text: str, spans: Iterable[Span]) -> list[Span]:
    """Without what was overwritten before: a capture may be cleaned twice."""
    return [span for span in spans if text[span.start : span.end].strip("*")]


# -- response -------------------------------------------------------------------------------------


def _response_headers(sent: Headers, carried: Sequence[str]) -> Headers:
    return _without(headers.of_response(sent), carried)


def _without(kept: Headers, carried: Sequence[str]) -> Headers:
    if not carried:
        return kept
    return tuple((name, removed(value, repeated.in_value(value, carried))) for name, value in kept)


def _response_body(
    exchange: Exchange, removal: Removal, carried: Sequence[str], keyed: Keyed
) -> tuple[Exchange, Removal]:
    if not carried:
        return exchange, removal
    uncoder = Uncoder(exchange.headers)
    reads = [one for read in exchange.reads for one in uncoder.feed(read)]
    reads += uncoder.rest()
    body = b"".join(read.data for read in reads)
    spans = merged(repeated.in_body(repeated.as_text(body), carried))
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
    kept = tuple(
        (name, value)
        for name, value in exchange.headers
        if coding is None or name.lower() not in OF_THE_CODING
    )
    cut = tuple(_cut(reads, overwritten(body, spans)))
    return msgspec.structs.replace(exchange, reads=cut, headers=kept), removal


def _cut(reads: Iterable[Read], body: bytes) -> Iterator[Read]:
    """The body in the reads that it came in."""
    at = 0
    for read in reads:
        yield Read(read.at_us, body[at : at + len(read.data)])
        at += len(read.data)


# -- the rest -------------------------------------------------------------------------------------


def _metadata(metadata: dict[str, Json], carried: Sequence[str]) -> tuple[dict[str, Json], int]:
    if not metadata:
        return metadata, 0
    cleaner = Metadata(carried)
    return cleaner.cleaned_object(metadata), cleaner.count


def _changed(before: Headers, after: Headers) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


def _sha256(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
