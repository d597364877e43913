"""Captures with texts of one's own, and what is found of them."""

import json
from typing import Any
from uuid import UUID

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange, Request
from inspector.search.conditions import holds_text
from tests.archive.samples import accept_arrival, inspect_all
from tests.people import Person


def body_of(text: str | None, **message: Any) -> bytes:
    answer = {
        "id": "chatcmpl-7Qx",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "orca-9",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return json.dumps(answer).encode()


def told(person: Person, *texts: str) -> list[UUID]:
    """Captures of these answers, inspected."""
    return captured(person, *map(body_of, texts))


def captured(person: Person, *bodies: bytes, note: str = "", asked: Any = None) -> list[UUID]:
    request = (
        Request(method="POST", url="https://h/v1", body=json.dumps(asked).encode())
        if asked
        else None
    )
    ids = []
    for body in bodies:
        exchange = Exchange.of_body(body, "application/json")
        exchange = exchange.__class__(
            reads=exchange.reads, content_type=exchange.content_type, request=request
        )
        ids.append(accept_arrival(person, Submission(exchange, note=note)).id)
    inspect_all()
    return ids


def hits(person: Person, text: str, **how: Any) -> set[UUID]:
    """Captures of this person's teams that hold the text, by the index alone."""
    teams = for_principal(person.principal).team_ids
    found = Capture.objects.filter(holds_text(text, teams, **how), team__in=teams)
    return set(found.values_list("id", flat=True))
