"""Who answered: what a response states beside its choices, as it was sent."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis, analysis_to_json
from inspector.core.fields.identity import Identity, created_at
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from tests.core.bodies import analysis_from_json

CHOICE = {"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}


def read(**members: Any) -> Analysis:
    body = {"object": "chat.completion", "choices": [CHOICE], **members}
    return analyze(Exchange.of_body(json.dumps(body).encode(), "application/json"))


def test_the_members_that_name_a_response_are_kept_as_sent() -> None:
    found = read(id="chatcmpl-7", created=1795183339, system_fingerprint="fp_a").identity
    assert found == Identity(
        id="chatcmpl-7", object="chat.completion", created=1795183339, system_fingerprint="fp_a"
    )


def test_absent_null_and_empty_are_three_things() -> None:
    found = read(id="", system_fingerprint=None)
    assert found.identity == Identity(
        id="", object="chat.completion", created=UNSET, system_fingerprint=None
    )
    assert analysis_from_json(analysis_to_json(found)).identity == found.identity
    assert json.loads(analysis_to_json(found))["identity"] == {
        "id": "", "object": "chat.completion", "system_fingerprint": None,
    }  # fmt: skip


def test_another_kind_of_value_is_kept_too() -> None:
    assert read(id=7, created="today").identity == Identity(
        id=7, object="chat.completion", created="today"
    )


def test_a_stream_is_named_by_its_first_values() -> None:
    chunks = [
        {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1795183339},
        {"id": "chatcmpl-1", "system_fingerprint": "fp_b"},
    ]
    choices = [{"index": 0, "delta": {"content": "4"}, "finish_reason": "stop"}]
    body = "".join(f"data: {json.dumps({**each, 'choices': choices})}\n\n" for each in chunks)
    found = analyze(Exchange.of_body(body.encode(), "text/event-stream")).identity
    assert found == Identity(
        id="chatcmpl-1",
        object="chat.completion.chunk",
        created=1795183339,
        system_fingerprint="fp_b",
    )


def test_what_is_no_object_states_nothing() -> None:
    assert analyze(Exchange.of_body(b"[1]")).identity == Identity()


@pytest.mark.parametrize(
    ("created", "moment"),
    [
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1795183339, datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)),
        (1795183339.5, datetime(2026, 11, 20, 14, 2, 19, 500_000, tzinfo=UTC)),
        (-1, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        (1795183339000, None),
        (10**400, None),
        (float("nan"), None),
        (True, None),
        ("1795183339", None),
        (None, None),
        (UNSET, None),
    ],
)
def test_created_is_a_moment_of_the_calendar(created: Any, moment: datetime | None) -> None:
    assert created_at(created) == moment


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        ("2026-11-20T09:22:19Z", datetime(2026, 11, 20, 9, 22, 19, tzinfo=UTC)),
        ("2026-11-20t09:22:19z", datetime(2026, 11, 20, 9, 22, 19, tzinfo=UTC)),
        ("2026-11-20T09:22:19.123456789-01:30", datetime(2026, 11, 20, 10, 52, 19, 123456, tzinfo=UTC)),
        ("2026-11-20", None), ("2026-11-20T09:22:19", None), ("1795183339", None),
        ("2026-13-20T09:22:19Z", None), ("0001-01-01T00:00:00+23:00", None), ("", None),
    ],
)  # fmt: skip
def test_a_date_with_time_and_zone_names_a_moment(stated: str, moment: datetime | None) -> None:
    assert created_at(stated) == moment
