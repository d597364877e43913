"""``capture`` finds the httpx clients of an SDK, and harms none that it does not know."""

from __future__ import annotations

import logging
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import httpx
import pytest
from response_inspector import capture, counts, flush

from tests.clients.python.played import ASK, Played
from tests.clients.python.taking_server import TakingServer

WAIT_SECONDS = 600


def http_client() -> httpx.Client:
    return httpx.Client(transport=Played(httpx, b"{}"))  # type: ignore[arg-type]


def sdks(client: httpx.Client) -> dict[str, Any]:
    """Objects that keep ``client`` where an SDK keeps it."""
    openai = SimpleNamespace(_client=client)
    return {
        "OpenAI, Anthropic, Groq": openai,
        "Google Gen AI": SimpleNamespace(_api_client=SimpleNamespace(_httpx_client=client)),
        "Mistral": SimpleNamespace(sdk_configuration=SimpleNamespace(client=client)),
        "ChatOpenAI": SimpleNamespace(
            root_client=openai, client=SimpleNamespace(_client=openai), root_async_client=None
        ),
    }


@pytest.mark.parametrize("name", sdks(http_client()))
def test_the_client_of_an_sdk_is_found_and_given_back(server: TakingServer, name: str) -> None:
    inner = http_client()
    client = sdks(inner)[name]
    assert capture(client, url=server.url, key="ri_key") is client
    inner.post(ASK)
    assert flush(WAIT_SECONDS)
    assert counts().sent == 1


def test_what_is_captured_twice_is_recorded_once(server: TakingServer) -> None:
    client = http_client()
    for _ in range(2):
        capture(client, url=server.url, key="ri_key")
    client.post(ASK)
    assert counts().called == 1


def test_transports_of_proxies_are_recorded_too(server: TakingServer) -> None:
    direct, proxied = Played(httpx, b"1"), Played(httpx, b"2")
    mounts: Any = {"https://api.example": proxied, "https://other.example": None}
    client = httpx.Client(transport=direct, mounts=mounts)  # type: ignore[arg-type]
    capture(client, url=server.url, key="ri_key")
    assert client.post(ASK).content == b"2"
    assert client.post("https://other.example/v1/messages").content == b"1"
    assert counts().called == 2


def test_litellm_is_given_sessions_of_its_own_httpx(server: TakingServer) -> None:
    litellm = ModuleType("litellm")
    vars(litellm).update(httpx=httpx, client_session=None, aclient_session=None)
    capture(litellm, url=server.url, key="ri_key")
    assert isinstance(litellm.client_session, httpx.Client)
    assert isinstance(litellm.aclient_session, httpx.AsyncClient)
    assert litellm.client_session._transport.__class__.__name__ == "RecordingTransport"
    litellm.client_session.close()


@pytest.mark.parametrize(
    "client", [object(), None, "text", MagicMock()], ids=["an object", "None", "a text", "a mock"]
)
def test_a_client_without_httpx_is_given_back_with_a_warning(
    client: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert capture(client, url="http://127.0.0.1:9", key="ri_key") is client
    (told,) = caplog.records
    assert told.levelno == logging.WARNING and "no httpx client is found" in told.getMessage()


def test_calls_that_google_gen_ai_makes_by_aiohttp_are_told_not_to_be_captured(
    caplog: pytest.LogCaptureFixture,
) -> None:
    inner = SimpleNamespace(_httpx_client=http_client(), _use_aiohttp=lambda: True)
    capture(SimpleNamespace(_api_client=inner), url="http://127.0.0.1:9", key="ri_key")
    assert "have an httpx_async_client" in caplog.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "nothing is captured: INSPECTOR_URL and INSPECTOR_KEY are not both set"),
        ({"url": "inspector:8000", "key": "ri_key"}, "begins with http:// or https://"),
    ],
    ids=["nothing set", "no address"],
)
def test_a_program_starts_whatever_is_set(
    options: dict[str, str], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = http_client()
    assert capture(client, **options) is client
    assert client.post(ASK).content == b"{}"
    assert said in caplog.text


def test_address_and_key_are_taken_from_the_environment(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", server.url)
    monkeypatch.setenv("INSPECTOR_KEY", "ri_other")
    capture(http_client()).post(ASK)
    assert flush(WAIT_SECONDS)
    assert server.requests[0]["authorization"] == "Bearer ri_other"


def test_transport_that_serves_both_kinds_of_clients_goes_on_doing_so(server: TakingServer) -> None:
    transport = capture(Played(httpx, b"{}"), url=server.url, key="ri_key")
    assert transport.reads == (b"{}",)
    assert hasattr(transport, "handle_request") and hasattr(transport, "handle_async_request")
