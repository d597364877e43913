"""Kombu's Redis transport without its emulation of acknowledgements.

The emulation stores in Redis which messages are being worked on, to deliver them again. Our
messages are never worth that, and it stops workers: if Redis goes away between a message and its
acknowledgement, the message stays unacknowledged for ever, and a worker that has reached its
prefetch limit with such messages receives no more.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual

SCHEMES = ("redis", "rediss")
# Raised by kombu for a partial or foreign message; unhandled, they would end the worker.
MALFORMED_MESSAGE_ERRORS = (AttributeError, KeyError, TypeError, ValueError)

_LOGGER = logging.getLogger(__name__)


@contextmanager
def skip_malformed() -> Iterator[None]:
    """Skip a malformed message, which is removed from the queue by then, by raising ``Empty``."""
    try:
        yield
    except MALFORMED_MESSAGE_ERRORS as error:
        _LOGGER.warning("threw away what is no message: %s", type(error).__name__)
        raise Empty from error


class QoS(redis.QoS):
    """Counts the messages of this worker, without storing them for redelivery."""

    append = virtual.QoS.append
    ack = virtual.QoS.ack

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        # Never put back: the rows themselves are the queue, and the sweep finds what nobody took.
        self.ack(delivery_tag)

    def restore_visible(self, *args: Any, **kwargs: Any) -> None:
        """There is nothing that another worker took and did not finish."""


class Channel(redis.Channel):
    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        with skip_malformed():
            return super()._brpop_read(**options)  # type: ignore[misc]


class Transport(redis.Transport):
    Channel = Channel


def register() -> None:
    for scheme in SCHEMES:
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
