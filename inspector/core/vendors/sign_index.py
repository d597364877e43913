"""The signs of all vendors by what they are found by: one look-up each, however many vendors."""

import re
from collections.abc import Callable, Iterable, Iterator

from inspector.core.vendors.predicates import PREDICATES
from inspector.core.vendors.vendor import BodySigns, Vendor, VendorSignals

_Found = Iterator[Vendor]
_Names = dict[str, list[Vendor]]


class AddressIndex:
    """Vendors by host and by response headers."""

    def __init__(self, known: Iterable[Vendor]) -> None:
        self._domains, self._host_ends, self._headers = _Names(), _Names(), _Names()
        for vendor in known:
            for host in vendor.hosts:
                by = self._host_ends if host.startswith("-") else self._domains
                by.setdefault(host, []).append(vendor)
            for header in vendor.headers:
                self._headers.setdefault(header, []).append(vendor)

    def by_host(self, host: str) -> _Found:
        labels = host.split(".")
        for at in range(len(labels)):
            yield from self._domains.get(".".join(labels[at:]), ())
        for end, known in self._host_ends.items():
            if host.endswith(end):
                yield from known

    def by_headers(self, names: Iterable[str]) -> _Found:
        for name in names:
            yield from self._headers.get(name, ())
            # What begins a name ends with a hyphen, as in the tables.
            at = name.find("-")
            while at >= 0:
                yield from self._headers.get(name[: at + 1], ())
                at = name.find("-", at + 1)


class BodyIndex:
    """The vendors that send a dialect, by what tells them by a body."""

    def __init__(self, dialect: str | None, known: Iterable[Vendor]) -> None:
        self._always: list[Vendor] = []
        self._names = _Names(), _Names(), _Names(), _Names(), _Names()
        """Those of the answer, of choices, messages, calls and usage."""
        self._ids: list[tuple[re.Pattern[str], Vendor]] = []
        self._fingerprints: list[tuple[re.Pattern[str], Vendor]] = []
        self._together: list[tuple[frozenset[str], Vendor]] = []
        self._joint: list[tuple[Callable[[VendorSignals], bool], Vendor]] = []
        for vendor in known:
            if dialect not in vendor.bases:
                continue
            if vendor.signs is not None:
                self._add(vendor, vendor.signs, dialect)
            if vendor.slug in PREDICATES:
                self._joint.append((PREDICATES[vendor.slug], vendor))

    def _add(self, vendor: Vendor, signs: BodySigns, dialect: str | None) -> None:
        if dialect in signs.dialects:
            self._always.append(vendor)
        each = (signs.top, signs.choice, signs.message, signs.calls, signs.usage)
        for index, names in zip(self._names, each, strict=True):
            for name in names:
                index.setdefault(name, []).append(vendor)
        if signs.id is not None:
            self._ids.append((re.compile(signs.id), vendor))
        if signs.fingerprint is not None:
            self._fingerprints.append((re.compile(signs.fingerprint), vendor))
        if signs.whole_usage:
            self._together.append((signs.whole_usage, vendor))

    def telling(self, clues: VendorSignals) -> _Found:
        """Yield the vendors whose signs are there; one may come twice."""
        signs = clues.signs
        yield from self._always
        sent = (signs.top, signs.choice, signs.message, clues.calls, clues.usage)
        for index, names in zip(self._names, sent, strict=True):
            for name in index.keys() & names if names and index else ():
                yield from index[name]
        yield from _spelt(self._ids, clues.id)
        yield from _spelt(self._fingerprints, clues.fingerprint)
        yield from (vendor for names, vendor in self._together if names <= clues.usage)
        yield from (vendor for tells, vendor in self._joint if tells(clues))


def _spelt(patterns: Iterable[tuple[re.Pattern[str], Vendor]], text: str) -> _Found:
    return (vendor for pattern, vendor in patterns if pattern.fullmatch(text))
