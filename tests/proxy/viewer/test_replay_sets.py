"""How a set is written, and what is known of a request that wants an answer of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inspector.archive.listing.filters import Filters
from inspector.core.prompt_digest import prompt_sha256
from inspector.core.wire.exchange import Request
from inspector.proxy.viewer.replay_sets import InvalidSet, asked_request, set_filters

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "filters"),
    [
        ("tag:checkout", Filters.of(tag=("checkout",))),
        ("tag%3Acheckout", Filters.of(tag=("checkout",))),
        ("tag:a%26b", Filters.of(tag=("a&b",))),
        ("tag:a:b", Filters.of(tag=("a:b",))),
        ("tag=checkout", Filters.of(tag=("checkout",))),
        ("tag=a&tag=b", Filters.of(tag=("a", "b"))),
        ("tag=a%26b&model=gpt-5", Filters.of(tag=("a&b",), model=("gpt-5",))),
        ("q=tag:a+model:b", Filters.of(tag=("a",), model=("b",))),
        ("model=a+b", Filters.of(model=("a b",))),
        ("since=2026-11-01", Filters.of(since=datetime(2026, 11, 1, tzinfo=UTC))),
        ("since=1d", Filters.of(since=datetime(2026, 11, 19, tzinfo=UTC))),
    ],
)
def test_a_set_is_a_tag_or_parameters_of_the_list(written: str, filters: Filters) -> None:
    assert set_filters(written, NOW) == filters


@pytest.mark.parametrize(
    "written", ["", "tag:", "tag=", "checkout", "=", "color=red", "tag=a%00", "tag=a&" * 51]
)
def test_another_text_is_no_set(written: str) -> None:
    assert isinstance(set_filters(written, NOW), InvalidSet)


def test_a_request_is_known_by_its_path_model_prompt_stream_and_tools() -> None:
    body = b'{"model":"gpt-5","stream":true,"tools":[{"name":"t"}],"input":"Where is it?"}'
    asked = asked_request("/v1/responses", body)
    facts = asked.facts
    assert (facts.path, facts.model, facts.is_streamed) == ("/v1/responses", "gpt-5", True)
    assert facts.prompt_sha256 == prompt_sha256(Request(body=body))
    assert asked.tools == [{"name": "t"}]


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"model":7,"stream":"yes"}'])
def test_of_a_body_that_tells_nothing_only_the_path_is_known(body: bytes) -> None:
    asked = asked_request("/v1/models", body)
    assert (asked.facts.path, asked.facts.model, asked.facts.prompt_sha256) == (
        "/v1/models",
        None,
        None,
    )
    assert not asked.facts.is_streamed and asked.tools is None


def test_a_credential_in_a_request_does_not_make_it_another() -> None:
    stored = b'{"messages":[{"role":"user","content":"Hi","api_key":"**************************"}]}'
    sent = stored.replace(b"*" * 26, b"sk-exchange0123456789abcde")
    asked = asked_request("/v1/chat/completions", sent)
    assert asked.facts.prompt_sha256 == prompt_sha256(Request(body=stored))
