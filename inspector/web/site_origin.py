"""The origin of a site as browsers send it."""

import re
from urllib.parse import urlsplit

ORIGIN_CHARACTERS = 255
"""The width of the columns that hold one; a longer one is refused."""

# As in "shop.example", "[2001:db8::1]".
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]")
_USUAL_PORTS = {"http": 80, "https": 443}


class BadOrigin(ValueError):
    """Why a text is no origin, as a sentence."""


def origin_of(text: str) -> str:
    """Scheme, host and unusual port in lower case, as browsers send it. Raises ``BadOrigin``."""
    text = text.strip()
    # A reader of addresses would pass over line ends and tabs inside.
    if not text.isprintable():
        raise BadOrigin("This is no address of a site.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadOrigin("This is no address of a site.") from error
    if port == 0:
        raise BadOrigin("No site is at port 0.")
    if parts.scheme not in _USUAL_PORTS:
        raise BadOrigin("A site begins with https:// or http://.")
    if parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise BadOrigin("A site is a scheme and a host, without a path.")
    host = parts.netloc.lower()
    if port is not None:
        host = host.rpartition(":")[0]
    if host.endswith(":") or len(text) > ORIGIN_CHARACTERS or not _HOST.fullmatch(host):
        raise BadOrigin("Write the host as it is: no pattern, international names as xn--…")
    return f"{parts.scheme}://{host}{_port(parts.scheme, port)}"


def _port(scheme: str, port: int | None) -> str:
    return "" if port in (None, _USUAL_PORTS[scheme]) else f":{port}"
