"""Random secrets: shown once, stored as a hash."""

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    """256 random bits as text that needs no quoting in a shell or a URL."""
    return prefix + secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    # surrogatepass: a header may carry any bytes, and an odd key is only an unknown key.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
