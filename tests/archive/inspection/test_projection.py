from uuid import uuid4

import msgspec
import pytest
from django.utils import timezone

from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.models import Capture
from inspector.archive.readers.extract import extract
from inspector.core.request.prompt_digest import digest_of, normalised_prompt
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.steps import steps


def rows_of(exchange: Exchange) -> ProjectionRows:
    capture = Capture(id=uuid4(), team_id=1, called_at=timezone.now())
    return project(capture, extract(exchange))


def costing(*costs: str) -> Exchange:
    choices = ",".join(
        f'{{"index":{n},"message":{{"role":"assistant","content":"a"}},"finish_reason":"stop",'
        f'"cost_usd":{cost},"duration_seconds":0.5,"feedback_token":"t"}}'
        for n, cost in enumerate(costs)
    )
    return Exchange.of_body(
        f'{{"id":"w","object":"chat.completion","model":"m","choices":[{choices}]}}'.encode()
    )


@pytest.mark.parametrize(
    ("costs", "total"),
    [
        (["0.000730"], "0.000730"),
        (["0.1", "0.2"], "0.3"),
        (["0.1", "0.20"], "0.30"),
        (["1e-3", "2e-3"], "0.003"),
        (["0.1", "null"], None),
        (["0.1", '"dear"'], None),
        (["null"], None),
        (["1e999999999"], None),
    ],
)
def test_costs_are_added_where_all_choices_state_one(costs: list[str], total: str | None) -> None:
    assert rows_of(costing(*costs)).inspection.cost_usd == total


@pytest.mark.parametrize(
    ("created", "seconds"),
    [("1795166539", 1795166539), ('"2026-11-20T09:22:19.9Z"', 1795166539), ('"today"', None)],
)
def test_created_is_a_number_of_seconds_also_for_a_date(created: str, seconds: int | None) -> None:
    body = f'{{"object":"chat.completion","created":{created},"choices":[]}}'
    assert rows_of(Exchange.of_body(body.encode())).inspection.created == seconds


def test_a_choice_without_finish_reason_says_so() -> None:
    body = b'{"object":"chat.completion","choices":[{"index":0,"finish_reason":null},{"index":1}]}'
    assert rows_of(Exchange.of_body(body)).inspection.finish_reasons == ["none", "none"]


def test_the_longest_stall_is_the_one_that_is_kept() -> None:
    def chunk(text: str) -> bytes:
        return (
            b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"'
            + text.encode()
            + b'"}}]}\n\n'
        )

    times, now = [], 0
    for number in range(60):
        now += {20: 3_000_000, 40: 5_000_000}.get(number, 100_000)
        times.append(now)
    reads = (Read(at_us, chunk("a")) for at_us in times)
    found = rows_of(Exchange.of_reads(reads, "text/event-stream")).inspection
    assert (found.stall_start_us, found.stall_end_us) == (6_900_000, 11_900_000)
    assert (found.clock, found.first_byte_us, found.duration_us) == (
        "recorded",
        100_000,
        13_800_000,
    )


@pytest.mark.parametrize(
    "body", [None, b"", b"not json", b"[" * 5_000, b'{"model":1}', b'{"model":"\xff"}']
)
def test_a_request_that_names_no_model_names_none(body: bytes | None) -> None:
    exchange = Exchange(reads=(Read(None, b"{}"),), request=Request(body=body))
    assert rows_of(exchange).inspection.request_model is None


@pytest.mark.parametrize(
    ("request_sent", "has_prompt"),
    [
        (Request(body=b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'), True),
        (Request(body=b'{"model":"m"}'), False),
        (Request(body=None), False),
        (None, False),
    ],
)
def test_a_capture_has_its_prompts_digest(request_sent: Request | None, has_prompt: bool) -> None:
    exchange = Exchange(reads=(Read(None, b"{}"),), request=request_sent)
    digest = digest_of(normalised_prompt(request_sent))
    assert rows_of(exchange).inspection.prompt_sha256 == digest
    assert (digest is not None) is has_prompt


def asking(messages: int) -> Exchange:
    """Return an exchange in which request and answer have so much of everything."""
    each = b",".join([b"{}"] * messages)
    request = Request(
        method="POST", url="http://127.0.0.1/v1/x", headers=(), body=b'{"messages":[%b]}' % each
    )
    fields = b",".join(b'"x%d":1' % number for number in range(messages))
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{}}],%b}' % fields
    return msgspec.structs.replace(Exchange.of_body(body), request=request)


def test_rows_of_what_is_long_are_made_in_as_many_steps_as_of_what_is_short() -> None:
    capture = Capture(id=uuid4(), team_id=1, called_at=timezone.now())
    few, many = extract(asking(2)), extract(asking(2_000))
    least = steps(lambda: project(capture, few))
    assert steps(lambda: project(capture, many)) <= least + 10
