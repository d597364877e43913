"""How the connection ended and who closed it, in words."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.wire.exchange import TransportOutcome

OUTCOME_WORDS: Mapping[TransportOutcome, str] = {
    TransportOutcome.OPEN: "Still open: the response was being received.",
    TransportOutcome.ENDED: "The response came to its end; nobody reported that it was broken off.",
    TransportOutcome.CAPPED: "The recorder stopped at its size limit.",
    TransportOutcome.CLIENT_CANCELLED: "The client closed the connection.",
    TransportOutcome.UPSTREAM_ERROR: "The connection to the provider failed.",
    TransportOutcome.UPSTREAM_TIMEOUT: "The provider sent nothing for too long; the recorder closed"
    " the connection.",
}
