"""Names what kept our proxy from carrying a call to its end, for use in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.wire.exchange import TransportFault

FAULT_WORDS: Mapping[TransportFault, str] = {
    TransportFault.ADDRESS_REFUSED: (
        "The name of the upstream led to an address that calls may not go to"
    ),
    TransportFault.UNREACHABLE: (
        "No connection to the upstream: its name is unknown, or nothing answers there"
    ),
    TransportFault.TLS: (
        "No TLS connection to the upstream: its certificate does not hold, or there is no common "
        "version"
    ),
    TransportFault.CONNECT_TIMEOUT: "No connection to the upstream came about in time",
    TransportFault.RESPONSE_TIMEOUT: "The upstream sent nothing for too long",
    TransportFault.BROKEN_RESPONSE: (
        "The response is not HTTP, or the upstream broke it off before its end"
    ),
    TransportFault.REQUEST_ABORTED: ("The request ended before the length that it had announced"),
}
"""One clause for each fault, without a full stop."""
