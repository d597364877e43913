"""Removes credentials from an exchange before it is stored, with this installation's secret."""

from django.utils.crypto import salted_hmac

from inspector.core.credentials import cleaning
from inspector.core.credentials.cleaning import CleanedExchange
from inspector.core.json import Json
from inspector.core.wire.exchange import Exchange

_SALT = "inspector.archive.credentials"


def clean(exchange: Exchange, metadata: dict[str, Json]) -> CleanedExchange:
    return cleaning.clean_exchange(exchange, metadata, keyed)


def keyed(digest: str) -> str:
    """Return a SHA-256 of content that held a credential, as stored: keyed, so that passwords
    cannot be tried against it with the archive alone.
    """
    return salted_hmac(_SALT, digest, algorithm="sha256").hexdigest()
