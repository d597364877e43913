"""Kombu's broker in Redis, without its emulation of acknowledgements.

That notes in Redis which messages are worked on, to deliver them again. A ring is never worth that,
and it stops workers: where Redis goes away between a message and its acknowledgement, the message
counts as unfinished for ever, and a worker that may have only so many of them asks for no more.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual

from inspector.broker import bearing_junk

SCHEMES = ("redis", "rediss")


class QoS(redis.QoS):
    """Counts what this worker has taken, and nothing else."""

    append = virtual.QoS.append
    ack = virtual.QoS.ack

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        self.ack(delivery_tag)

    def restore_visible(self, *args: Any, **kwargs: Any) -> None:
        """There is nothing that another worker took and did not finish."""


class Channel(redis.Channel):
    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        with bearing_junk():
            return super()._brpop_read(**options)  # type: ignore[misc]


class Transport(redis.Transport):
    Channel = Channel


def register() -> None:
    for scheme in SCHEMES:
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
