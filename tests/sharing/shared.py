"""Captures to share, and the shortest way to share and open them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request
from inspector.sharing.document.withheld import Withheld
from inspector.sharing.new_shares import NewShare, share_capture
from inspector.sharing.opening import OpenedShare, open_share
from inspector.sharing.terms import ShareTerms
from tests.archive.samples import SSE, accept_arrival, inspect_all
from tests.people import Person

PROMPT = (
    b'{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},'
    b'{"role":"user","content":"Where is PROMPT-CANARY?"}],"temperature":0.2,'
    b'"tools":[{"type":"function","function":{"name":"find_place","description":"TOOL-CANARY",'
    b'"parameters":{"type":"object","properties":{"street":{"type":"string"},'
    b'"SCHEMA-CANARY":{"type":"integer"}},"required":["street","SCHEMA-CANARY"]}}}]}'
)
CHUNKS = (
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"delta":{"role":"assistant","content":"It is "},'
    b'"finish_reason":null}]}\n\n',
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"delta":{"content":"in ANSWER-CANARY."},"finish_reason":null}]}\n\n',
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function",'
    b'"function":{"name":"find_place","arguments":"{\\"street\\":\\"ARGUMENT-CANARY\\"}"}}]},'
    b'"finish_reason":"tool_calls"}],"note":"EXTRA-CANARY"}\n\n',
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":12,"total_tokens":43}}\n\n',
    b"data: [DONE]\n\n",
)
STREAM = Exchange(
    reads=tuple(Read(100_000 * (at + 1), each) for at, each in enumerate(CHUNKS)),
    content_type=SSE,
    status_code=200,
    request=Request(method="POST", url="https://llm.example/v1/chat/completions", body=PROMPT),
    measured_by=MeasuredBy.CLIENT,
)
"""With a prompt, tools, times and usage, and a canary in each text."""
WHOLE_OF_IT = Withheld()


def captured(person: Person, exchange: Exchange = STREAM) -> UUID:
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def made(
    person: Person, capture_id: UUID, max_views: int = 25, withheld: Withheld = WHOLE_OF_IT
) -> NewShare:
    found = share_capture(
        person.principal, capture_id, ShareTerms(timedelta(days=7), max_views, withheld)
    )
    assert isinstance(found, NewShare)
    return found


def token_of(share: NewShare) -> str:
    return share.path.split("/")[-2]


def opened(share: NewShare) -> OpenedShare | None:
    return open_share(token_of(share), "192.0.2.0")


def text_of(share: NewShare) -> str:
    found = opened(share)
    assert found is not None
    return found.html.decode()
