"""Address and key of an installation, from options or the environment."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from urllib.parse import urlsplit

from inspector.operations.remote.connection import RemoteError, Target

URL_VARIABLE, KEY_VARIABLE = "INSPECTOR_URL", "INSPECTOR_KEY"
NO_URL = f"no installation is named: set {URL_VARIABLE}, or give --url"
NO_KEY = f"no key is given: set {KEY_VARIABLE}, or give --key-file"


def add_target_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("installation")
    group.add_argument("--url", help=f"its address; default: {URL_VARIABLE}")
    # Not the key itself: the arguments of a process are for everybody on the machine to read.
    group.add_argument(
        "--key-file",
        metavar="FILE",
        help=f"a file that holds the key and nothing else; default: {KEY_VARIABLE}",
    )


def target_of(options: Namespace) -> Target:
    """Raises ``RemoteError``; no message has the key."""
    url = options.url or os.environ.get(URL_VARIABLE, "")
    if not url:
        raise RemoteError(NO_URL)
    return Target(_checked_url(url), _key(options.key_file))


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good:
        raise RemoteError("the address is none: it begins with http:// or https://")
    return url


def _key(file: str | None) -> str:
    key = _content(file) if file else os.environ.get(KEY_VARIABLE, "")
    key = key.strip()
    if not key:
        raise RemoteError(NO_KEY)
    if not (key.isascii() and key.isprintable()):
        raise RemoteError("the key has characters that no key has")
    return key


def _content(file: str) -> str:
    try:
        with open(file, encoding="ascii", errors="replace") as opened:
            return opened.read(1000)
    except OSError as error:
        raise RemoteError(f"{file}: {error.strerror or error}") from error
