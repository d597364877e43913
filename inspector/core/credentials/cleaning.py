"""Removes credentials from an exchange. Everything that enters the archive passes through here."""

import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from inspector.core.credentials import headers, json_members, repeated, urls
from inspector.core.credentials.form_fields import in_multipart, in_urlencoded
from inspector.core.credentials.json_members import ADDRESS_CHARACTERS, MetadataCleaner
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.credentials.repeated import RepeatedCredentials
from inspector.core.credentials.response_body import ResponseBodyMask, joined, without_coding
from inspector.core.credentials.spans import (
    REMOVED_MARK,
    merge_spans,
    overwrite_spans,
    remove_spans,
)
from inspector.core.json import Json
from inspector.core.wire.exchange import Exchange, Headers, Request

Keyed = Callable[[str], str]
"""Maps the SHA-256 of removed content (hexadecimal) to the keyed hash that may be stored."""


NOTHING = RepeatedCredentials(())


class CleanedExchange(NamedTuple):
    exchange: Exchange
    metadata: dict[str, Json]
    removal: Removal
    carried: tuple[str, ...] = ()
    """Credentials that the request carried: searched in what is derived from it, never stored."""


def clean_exchange(exchange: Exchange, metadata: dict[str, Json], keyed: Keyed) -> CleanedExchange:
    request = exchange.request
    carried = carried_by(request) if request else NOTHING
    metadata, in_metadata = clean_metadata(metadata, carried)
    removal = Removal(version=VERSION, metadata=in_metadata)
    response_headers, removal = clean_response_headers(exchange.headers, removal, carried)
    exchange = msgspec.structs.replace(
        exchange,
        headers=response_headers,
        content_type=exchange.content_type and _clean_type(exchange.content_type),
    )
    if request is not None:
        request, removal = clean_request_head(request, removal, carried)
        body, removal = clean_request_body(request.body, removal, carried, keyed)
        exchange = msgspec.structs.replace(
            exchange, request=msgspec.structs.replace(request, body=body)
        )
    exchange, removal = _response_body(exchange, removal, carried, keyed)
    return CleanedExchange(exchange, metadata, removal, carried.secrets)


@lru_cache(maxsize=64)
def _clean_type(content_type: str) -> str:
    """Most captures have one of a few."""
    return headers.clean_header_value(content_type)


# -- what the request carried ---------------------------------------------------------------------


def carried_by(request: Request) -> RepeatedCredentials:
    return RepeatedCredentials(repeated.worth_searching(_carried(request)))


def _carried(request: Request) -> Iterator[str]:
    yield from headers.carried_credentials(request.headers or ())
    if request.url and len(request.url) <= ADDRESS_CHARACTERS:
        for start, end in urls.spans(request.url):
            yield request.url[start:end]
            yield request.url[start:end].partition(":")[2]


# -- request --------------------------------------------------------------------------------------


def clean_request_head(
    request: Request, removal: Removal, carried: RepeatedCredentials
) -> tuple[Request, Removal]:
    """Clean all but the body."""
    sent = request.headers or ()
    kept = headers.of_request(_without(sent, carried))
    url = None if request.url is None else _address(request.url, carried)
    removal = msgspec.structs.replace(
        removal, request_headers=_changed(sent, kept), address=int(url != request.url)
    )
    known = None if request.headers is None else kept
    return msgspec.structs.replace(request, headers=known, url=url), removal


def _address(url: str, carried: RepeatedCredentials) -> str:
    if len(url) > ADDRESS_CHARACTERS:
        return REMOVED_MARK
    return urls.clean_url(remove_spans(url, repeated.in_value(url, carried.secrets)))


def clean_request_body(
    body: bytes | None, removal: Removal, carried: RepeatedCredentials, keyed: Keyed
) -> tuple[bytes | None, Removal]:
    if not body:
        return body, removal
    text = repeated.as_text(body)
    found = (
        *json_members.in_body(text),
        *in_multipart(text),
        *in_urlencoded(text),
        *carried.all_in(text),
    )
    # What was masked before is none: an exchange may be cleaned twice.
    spans = [span for span in merge_spans(found) if text[span.start : span.end].strip("*")]
    if not spans:
        return body, removal
    removal = msgspec.structs.replace(
        removal, request_body=len(spans), request_body_was=keyed(hashlib.sha256(body).hexdigest())
    )
    return overwrite_spans(body, spans), removal


# -- response -------------------------------------------------------------------------------------


def clean_response_headers(
    sent: Headers | None, removal: Removal, carried: RepeatedCredentials
) -> tuple[Headers | None, Removal]:
    if sent is None:
        return None, removal
    kept = headers.of_response(_without(sent, carried))
    return kept, msgspec.structs.replace(removal, response_headers=_changed(sent, kept))


def _without(sent: Headers, carried: RepeatedCredentials) -> Headers:
    """Return the headers without what the request carried. Removed before what only looks like a
    credential, of which it may be a part: nobody would find the rest of it then.
    """
    if not carried.secrets:
        return sent
    return tuple(
        (name, remove_spans(value, repeated.in_value(value, carried.secrets)))
        for name, value in sent
    )


def _response_body(
    exchange: Exchange, removal: Removal, carried: RepeatedCredentials, keyed: Keyed
) -> tuple[Exchange, Removal]:
    if not carried.secrets:
        return exchange, removal
    mask = ResponseBodyMask(exchange.headers, carried)
    reads = mask.feed(exchange.reads)
    is_late = not mask.is_decoded
    rest = mask.rest()
    if not mask.passages:
        return exchange, removal
    removal = count_response_body(removal, mask, keyed)
    if not mask.is_decoded:
        return msgspec.structs.replace(exchange, reads=(*reads, *rest)), removal
    decoded = joined(exchange.headers, reads, rest) if is_late else [*reads, *rest]
    known = without_coding(exchange.headers)
    return msgspec.structs.replace(exchange, headers=known, reads=tuple(decoded)), removal


def count_response_body(removal: Removal, mask: ResponseBodyMask, keyed: Keyed) -> Removal:
    """Add what was masked so far."""
    if not mask.passages:
        return removal
    coding = mask.coding if mask.is_decoded else None
    return msgspec.structs.replace(
        removal,
        response_body=mask.passages,
        response_body_was=keyed(mask.original_sha256),
        decoded_from=coding.name if coding else None,
        coding_fault=coding.fault if coding else None,
    )


# -- the rest -------------------------------------------------------------------------------------


def clean_metadata(
    metadata: dict[str, Json], carried: RepeatedCredentials
) -> tuple[dict[str, Json], int]:
    """Return it without credentials, and how many there were."""
    if not metadata:
        return metadata, 0
    cleaner = MetadataCleaner(carried.secrets)
    return cleaner.cleaned_object(metadata), cleaner.count


def _changed(before: Headers, after: Headers) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))
