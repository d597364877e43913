"""The rows of the proxy: each breaks one thing while calls go on. They are found by their folder."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.proxied.stack import ProxyStack

ProxyBreak = Callable[[ProxyStack], None]


@dataclass(frozen=True, slots=True)
class ProxyRow:
    name: str
    stacks: tuple[str, ...]
    """The first alone in the short form."""
    strike: ProxyBreak
    """Breaks, asserts what callers see meanwhile, and mends what does not mend itself."""


PROXY_ROWS: list[ProxyRow] = []


def proxy_row(name: str, *stacks: str) -> Callable[[ProxyBreak], ProxyBreak]:
    def entered(strike: ProxyBreak) -> ProxyBreak:
        PROXY_ROWS.append(ProxyRow(name, stacks, strike))
        return strike

    return entered
