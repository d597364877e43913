"""Finds the httpx clients in the client of an SDK, and puts recorders before their transports."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, TypeVar

from response_inspector.deliveries import delivery_to
from response_inspector.labels import Labels
from response_inspector.recorder import Recorder
from response_inspector.transports import AsyncRecordingTransport, RecordingTransport

URL, KEY, SPOOL, SAMPLE = "INSPECTOR_URL", "INSPECTOR_KEY", "INSPECTOR_SPOOL", "INSPECTOR_SAMPLE"
"""Variables of the environment, for what is not given as an argument."""

HOLDERS = (
    # OpenAI, Anthropic, Groq, and what keeps one of their clients.
    *("_client", "_async_client", "client", "async_client", "root_client", "root_async_client"),
    # Google Gen AI.
    *("_api_client", "_httpx_client", "_async_httpx_client"),
    # Mistral.
    "sdk_configuration",
)
"""Attributes behind which SDKs keep their httpx clients."""
DEEPEST = 4

Captured = TypeVar("Captured")
_LOGGER = logging.getLogger("response_inspector")


def capture(
    client: Captured,
    *,
    url: str | None = None,
    key: str | None = None,
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    sample: float | None = None,
    spool: str | os.PathLike[str] | None = None,
    everything: bool = False,
) -> Captured:
    """Record what ``client`` calls from now on, and return it.

    ``client`` is one of an SDK (OpenAI, Anthropic, Google Gen AI, Mistral, Groq, a chat model of
    LangChain), the module ``litellm``, or an httpx client. An httpx transport is not changed: the
    one that records is returned.

    - ``url``, ``key``: of Response Inspector; the key has the scope ``ingest``. By default the
      variables ``INSPECTOR_URL`` and ``INSPECTOR_KEY``. Where one is not set, nothing is recorded.
    - ``tags``, ``metadata``: of all these calls; ``tagged`` adds to them.
    - ``sample``: the share of calls to record, from 0 to 1 (``INSPECTOR_SAMPLE``).
    - ``spool``: a folder for what the server does not take now (``INSPECTOR_SPOOL``).
    - ``everything``: also calls that ask for no completion, such as embeddings.

    Raises nothing but ``TypeError`` for arguments that are not there.
    """
    try:
        recorder = _recorder(
            url, key, Labels(tuple(tags), metadata or {}), sample, spool, everything
        )
        return client if recorder is None else _captured(client, recorder)
    except Exception as error:
        # A program must not fail to start because it would not be watched.
        _LOGGER.warning("calls of %s are not captured: %s", type(client).__name__, error)
        return client


def _recorder(
    url: str | None,
    key: str | None,
    labels: Labels,
    sample: float | None,
    spool: str | os.PathLike[str] | None,
    everything: bool,
) -> Recorder | None:
    url, key = url or os.environ.get(URL), key or os.environ.get(KEY)
    if not url or not key:
        _LOGGER.warning("nothing is captured: %s and %s are not both set", URL, KEY)
        return None
    share = float(os.environ.get(SAMPLE, "1")) if sample is None else sample
    folder = os.fspath(spool if spool is not None else os.environ.get(SPOOL, ""))
    return Recorder(delivery_to(url, key, folder), labels, share, everything)


def _captured(client: Any, recorder: Recorder) -> Any:
    if _is_transport(client):
        return _recording(client, recorder)
    if isinstance(client, ModuleType):
        _give_sessions(client)
    found = list(_http_clients(client))
    if not found:
        _LOGGER.warning(
            "no httpx client is found in %s: nothing is captured", type(client).__name__
        )
    for each in found:
        _put_before(each, recorder)
    _tell_of_aiohttp(client)
    return client


def _tell_of_aiohttp(client: Any) -> None:
    """Google Gen AI calls by aiohttp where that is installed and it was given no httpx client."""
    goes = getattr(getattr(client, "_api_client", None), "_use_aiohttp", None)
    if callable(goes) and goes() is True:
        _LOGGER.warning(
            "asynchronous calls of %s go past httpx and are not captured, unless its HttpOptions "
            "have an httpx_async_client",
            type(client).__name__,
        )


def _put_before(http_client: Any, recorder: Recorder) -> None:
    http_client._transport = _recording(http_client._transport, recorder)
    for pattern, transport in http_client._mounts.items():
        if transport is not None:
            http_client._mounts[pattern] = _recording(transport, recorder)


def _recording(transport: Any, recorder: Recorder) -> Any:
    if isinstance(transport, (RecordingTransport, AsyncRecordingTransport)):
        # Captured twice, as where two SDK clients share one of httpx: once is enough.
        return transport
    if hasattr(transport, "handle_async_request"):
        if hasattr(transport, "handle_request"):
            return _BothTransport(transport, recorder)
        return AsyncRecordingTransport(transport, recorder)
    return RecordingTransport(transport, recorder)


class _BothTransport(RecordingTransport, AsyncRecordingTransport):
    """The recording of a transport that serves both kinds of clients, as mocks do."""


# -- where SDKs keep them --------------------------------------------------------------------------


def _is_transport(value: Any) -> bool:
    is_client = hasattr(value, "_transport")
    return not is_client and (
        hasattr(value, "handle_request") or hasattr(value, "handle_async_request")
    )


def _is_http_client(value: Any) -> bool:
    return hasattr(value, "_transport") and isinstance(getattr(value, "_mounts", None), dict)


def _http_clients(client: Any) -> Iterator[Any]:
    """Yield the httpx clients in the client of an SDK, each once."""
    seen: set[int] = set()
    level = [client]
    for _ in range(DEEPEST + 1):
        level = [each for each in level if id(each) not in seen]
        seen.update(map(id, level))
        yield from {id(each): each for each in level if _is_http_client(each)}.values()
        level = [held for each in level if not _is_http_client(each) for held in _held_by(each)]


def _held_by(client: Any) -> Iterator[Any]:
    for name in (*HOLDERS, *_SESSIONS):
        try:
            held = getattr(client, name, None)
        except Exception:
            # A property of the SDK's that cannot be had now.
            continue
        if held is not None and not callable(held):
            yield held


_SESSIONS = ("client_session", "aclient_session")
"""Members of the module ``litellm`` that hold what it calls with, if there is one."""


def _give_sessions(module: ModuleType) -> None:
    """So that ``litellm`` has httpx clients to be found."""
    for name, kind in zip(_SESSIONS, ("Client", "AsyncClient")):
        if getattr(module, name, False) is None:
            setattr(module, name, getattr(module.httpx, kind)(timeout=None, follow_redirects=True))
