"""Typed readers of environment variables.

A mistake ends every program with one line, which never repeats the value: many are secrets.
"""

import difflib
import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

PREFIX = "INSPECTOR_"

# Read by ``bootstrap``, before anything can be imported.
_known = {"INSPECTOR_BOOTSTRAP"}

CLIENT_VARIABLES = frozenset(
    ("INSPECTOR_URL", "INSPECTOR_KEY", "INSPECTOR_SAMPLE", "INSPECTOR_SPOOL")
)
"""Those of the client packages, and of the commands that talk to an installation. Somebody who set
them runs others, too.
"""


class EnvironmentMistake(SystemExit):
    """Settings are read first, whatever is started: Python itself prints this and ends with 1."""


def known_variables() -> frozenset[str]:
    """All variables read so far; once the settings are loaded, all that exist."""
    return frozenset(_known)


def text(name: str, default: str = "") -> str:
    """Return the variable's text; an empty one counts as unset."""
    _known.add(name)
    return os.environ.get(name, "").strip() or default


def texts(name: str) -> list[str]:
    return [part.strip() for part in text(name).split(",") if part.strip()]


def networks(name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(part) for part in texts(name))
    except ValueError as error:
        raise EnvironmentMistake(
            f"{name} must be addresses or networks such as 192.0.2.7 or 192.0.2.0/24."
        ) from error


def number(name: str, default: int) -> int:
    found = text(name, str(default))
    if not (found.isascii() and found.isdecimal() and 0 < int(found) < 2**63):
        raise EnvironmentMistake(f"{name} must be a number from 1 on.")
    return int(found)


def secret(name: str) -> str:
    """Return the variable itself, or the content of the file that ``<name>_FILE`` names."""
    value, file = text(name), text(f"{name}_FILE")
    if value and file:
        raise EnvironmentMistake(f"{name} and {name}_FILE are both set; one of them says it.")
    return _content(f"{name}_FILE", file) if file else value


def _content(name: str, file: str) -> str:
    try:
        found = Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentMistake(f"{name}: {file} cannot be read.") from error
    if not found:
        raise EnvironmentMistake(f"{name}: {file} is empty.")
    return found


def origin(name: str, default: str) -> str:
    """Scheme and host; an empty default may stay empty."""
    found = text(name, default).rstrip("/")
    if not found:
        return ""
    parts = address(name, found, ("http", "https"))
    if not parts.hostname or found != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        raise EnvironmentMistake(
            f"{name} must be scheme and host only, such as https://inspector.example."
        )
    return found


def endpoint(name: str) -> str:
    """Return an address without a slash at its end; "" if there is none."""
    found = text(name).rstrip("/")
    if not found:
        return ""
    parts = address(name, found, ("http", "https"))
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        raise EnvironmentMistake(
            f"{name} must be an address such as https://collector.example:4318."
        )
    return found


def pairs(name: str) -> dict[str, str]:
    """Names with values, such as ``authorization=Bearer%20abc,x-tenant=a`` (W3C Baggage)."""
    found = [part.partition("=") for part in texts(name)]
    if any(not key.strip() or not is_pair for key, is_pair, _ in found):
        raise EnvironmentMistake(f"{name} must be names and values, such as a=1,b=2.")
    values = {key.strip(): unquote(value).strip() for key, _, value in found}
    if any(
        not each.isprintable() or not each.isascii() for pair in values.items() for each in pair
    ):
        raise EnvironmentMistake(f"{name} has a character that no header may have.")
    return values


def flag(name: str) -> bool:
    found = text(name, "false").lower()
    if found not in ("true", "false"):
        raise EnvironmentMistake(f"{name} must be true or false.")
    return found == "true"


def address(name: str, found: str, schemes: tuple[str, ...]) -> SplitResult:
    """Return the parts of an address in one of these schemes, its port among the numbers of
    ports.
    """
    try:
        parts = urlsplit(found)
        well = parts.scheme in schemes and parts.port != 0
    except ValueError:
        well = False
    if not well:
        begins = " or ".join(f"{scheme}://" for scheme in schemes)
        raise EnvironmentMistake(f"{name} must be an address that begins with {begins}.")
    return parts


def require_known_variables() -> None:
    """Refuse unknown names. A slip in a name would leave its setting as it is without a word."""
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in _known | CLIENT_VARIABLES:
            near = difflib.get_close_matches(name, _known, 1)
            raise EnvironmentMistake(
                f"{name} is no setting{f'; is {near[0]} meant?' if near else '.'}"
            )
