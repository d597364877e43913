"""Sentences about credentials that were removed from a capture."""

from collections.abc import Iterator

from inspector.core.credentials.removal import Removal
from inspector.formatting.humanize import plural


def removed_from_bodies(removal: Removal | None) -> tuple[str, ...]:
    """Sentences for the page head about what was overwritten in the bodies."""
    return tuple(_in_bodies(removal)) if removal else ()


def removed_from_headers(removal: Removal | None) -> str:
    """Sentence about what was removed from headers and URL; empty if nothing was, or unknown."""
    if removal is None or not removal.in_passing:
        return ""
    counts = (
        (removal.request_headers, "header of the request", "headers of the request"),
        (removal.response_headers, "header of the response", "headers of the response"),
        (removal.metadata, "value of its metadata", "values of its metadata"),
    )
    parts = [plural(count, one, many) for count, one, many in counts if count]
    if removal.address:
        parts.append("the address")
    return f"Removed before this was stored: parts of {', '.join(parts)}."


def _in_bodies(removal: Removal) -> Iterator[str]:
    if removal.response_body:
        places = plural(removal.response_body, "place", "places")
        yield f"A credential of the request was overwritten in {places} of the response."
    if removal.decoded_from:
        yield f"The response was {removal.decoded_from}-compressed and is stored decompressed."
    if removal.coding_fault:
        yield f"Not all of it could be decoded: {removal.coding_fault}."
    if removal.request_body:
        passages = plural(removal.request_body, "credential", "credentials")
        yield f"In the body of the request {passages} {_were_removed(removal)} overwritten."


def _were_removed(removal: Removal) -> str:
    return "was" if removal.request_body == 1 else "were"
