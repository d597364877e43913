"""Captures to share, and the shortest way to share and to visit them."""

from typing import Any
from uuid import UUID

from django.test import Client
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import query_conditions
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request
from inspector.sharing import shares
from inspector.sharing.opening import open_share
from inspector.sharing.shares import NewShare, ShareTerms
from inspector.teams.access import Principal
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


def captured(person: Person, exchange: Exchange = STREAM) -> UUID:
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def made(person: Person, capture_id: UUID, *, without_prompt: bool = True) -> NewShare:
    terms = ShareTerms(without_prompt=without_prompt)
    found = shares.for_principal(person.principal).share_capture(capture_id, terms)
    assert isinstance(found, NewShare)
    return found


def listed(person: Person, query: str = "", *, without_prompt: bool = True) -> NewShare:
    """A link to the list of a query."""
    terms = ShareTerms(without_prompt=without_prompt)
    conditions = query_conditions(query, timezone.now())
    found = shares.for_principal(person.principal).share_list(conditions, terms)
    assert isinstance(found, NewShare)
    return found


def token_of(share: NewShare) -> str:
    return share.path.split("/")[-2]


def opened(share: NewShare) -> Principal | None:
    return open_share(token_of(share), "192.0.2.0")


def visit(share: NewShare, path: str = "", **headers: str) -> Any:
    """A page below a link, as a browser without an account gets it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    client = Client(raise_request_exception=False)
    return client.get(f"{share.path}{path}", headers=named, follow=not path)


def below(capture_id: UUID, part: str = "") -> str:
    return f"captures/{capture_id}/{part}"


def text_of(share: NewShare, path: str = "") -> str:
    found: str = visit(share, path).content.decode()
    return found
