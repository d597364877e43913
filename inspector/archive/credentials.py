"""Credentials do not belong to the evidence: the cleaner, with the secret of this installation."""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from inspector.core.completion import Json
from inspector.core.credentials import cleaning
from inspector.core.credentials.cleaning import Cleaned
from inspector.core.exchange import Exchange

_SALT = "inspector.archive.credentials"


def clean(exchange: Exchange, metadata: dict[str, Json]) -> Cleaned:
    return cleaning.clean(exchange, metadata, keyed)


def keyed(digest: str) -> str:
    """What is kept of a SHA-256 of something that held a credential: whoever has the archive alone
    cannot try passwords against it.
    """
    return salted_hmac(_SALT, digest, algorithm="sha256").hexdigest()
