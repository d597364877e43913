"""Names what kept our proxy from carrying a call to its end, for use in sentences."""

from collections.abc import Mapping

from inspector.core.wire.exchange import TransportFault

_WORDS: Mapping[TransportFault, str] = {
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
    TransportFault.BROKEN_RESPONSE: "The upstream broke the response off before its end",
    TransportFault.REQUEST_ABORTED: ("The request ended before the length that it had announced"),
}
"""One clause for each fault, without a full stop."""
_NOT_HTTP = "What the upstream answered is not HTTP"


def fault_words(fault: TransportFault, status: int | None) -> str:
    """``status`` is that of the response, None where no head of one came."""
    is_headless = fault is TransportFault.BROKEN_RESPONSE and status is None
    return _NOT_HTTP if is_headless else _WORDS[fault]
