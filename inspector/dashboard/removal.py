"""What was taken out of a capture, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.credentials.removal import Removal
from inspector.dashboard.templatetags.formats import plural


def in_bodies(removal: Removal | None) -> tuple[str, ...]:
    """What is not as it came: stands on top of the page."""
    return tuple(_in_bodies(removal)) if removal else ()


def in_passing(removal: Removal | None) -> str:
    """What was removed around the bodies; empty where nothing was, or nobody looked."""
    if removal is None or not removal.in_passing:
        return ""
    counts = (
        (removal.request_headers, "header of the request", "headers of the request"),
        (removal.response_headers, "header of the response", "headers of the response"),
        (removal.metadata, "value of its metadata", "values of its metadata"),
    )
    told = [plural(count, one, many) for count, one, many in counts if count]
    if removal.address:
        told.append("the address")
    return f"Removed before this was stored: parts of {', '.join(told)}."


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
        yield f"In the body of the request {passages} {_were(removal)} overwritten."


def _were(removal: Removal) -> str:
    return "was" if removal.request_body == 1 else "were"
