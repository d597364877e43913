"""Decides which calls of a client are recorded, and begins the recordings."""

from __future__ import annotations

import logging
import random
import re
from typing import Any

from response_inspector.delivery import Delivery
from response_inspector.labels import Labels, current_labels
from response_inspector.recording import Recording

_COMPLETION = re.compile(
    r"(?:/chat/completions|/completions|/responses|/messages|:generateContent"
    r"|:streamGenerateContent|/api/chat|/api/generate|/converse|/converse-stream|/invoke"
    r"|/invoke-with-response-stream|/v[12]/chat)/?\Z"
)
_LOGGER = logging.getLogger("response_inspector")


def is_completion(method: str, path: str) -> bool:
    """``path`` as it goes over the wire, without its query."""
    plain = path.replace("%3A", ":").replace("%3a", ":")
    return method == "POST" and _COMPLETION.search(plain) is not None


class Recorder:
    """For the clients of one call of ``capture``."""

    def __init__(
        self,
        delivery: Delivery,
        labels: Labels,
        sample: float = 1.0,
        is_everything: bool = False,
    ) -> None:
        self._delivery = delivery
        self._labels = labels
        self._sample = sample
        self._is_everything = is_everything
        # Of its own: the program's numbers stay those of its seed.
        self._random = random.SystemRandom()

    def begin(self, request: Any) -> Recording | None:
        """Return the recording of an httpx request; None where there is to be none."""
        is_begun = False
        try:
            if not self._is_wanted(request):
                self._delivery.skip()
                return None
            self._delivery.begin()
            is_begun = True
            recording = self._recording(request)
            self._delivery.opened(recording)
            return recording
        except Exception:
            _LOGGER.debug("a call could not be recorded", exc_info=True)
            if is_begun:
                self._delivery.abandon()
            return None

    def discard(self, recording: Recording) -> None:
        _LOGGER.debug("an answer could not be recorded", exc_info=True)
        self._delivery.discard(recording)

    def _is_wanted(self, request: Any) -> bool:
        path = request.url.raw_path.decode("ascii", "replace").partition("?")[0]
        if not self._is_everything and not is_completion(request.method, path):
            return False
        return self._sample >= 1 or self._random.random() < self._sample

    def _recording(self, request: Any) -> Recording:
        said = current_labels()
        return Recording(
            request.method,
            str(request.url),
            request.headers.raw,
            _body(request),
            self._labels.plus(said.tags, said.metadata),
            self._delivery.take,
        )


def _body(request: Any) -> bytes | None:
    """None for one that is read while it is sent (the upload of a file): it is read once."""
    try:
        body = request.content
    except Exception:
        return None
    return body if isinstance(body, bytes) else None
