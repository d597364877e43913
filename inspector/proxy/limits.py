"""Limits of the proxy. Each is a flag of its command line, with the same name."""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits:
    capture_bytes: int = 32 * MIB
    """How much of a response is kept. The rest is forwarded and counted."""
    request_bytes: int = 4 * MIB
    """How much of a request's body is kept."""
    unsent_bytes: int = 64 * MIB
    """Bytes that may wait in memory for the recorder; more misses whole calls."""
    request_head_bytes: int = 64 * KIB
    request_head_seconds: float = 10.0
    """From the moment that a connection is open, or the first byte of a further request."""
    request_body_seconds: float = 30.0
    """So long may a caller send next to nothing of a body that it has begun."""
    lookup_seconds: float = 10.0
    """For the first answer about a key: a recorder that starts takes a moment."""
    connect_seconds: float = 10.0
    first_byte_seconds: float = 600.0
    """From the request's last byte to the response's first; a reasoning model may think long."""
    idle_seconds: float = 300.0
    """Between two reads, and how long a caller may take nothing of what is sent to it."""
    drain_seconds: float = 25.0
    """How long open calls may go on after SIGTERM."""
    recorder_seconds: float = 20.0
    """How long the recorder may take after that to store what it has."""
