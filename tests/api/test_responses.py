import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from inspector.core.json.encoding import encode_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": "\ud800\0é"}, b'{"a":"\\ud800\\u0000\\u00e9"}'),
        ([1.5, 2**70, None, True], b"[1.5,1180591620717411303424,null,true]"),
        ({"a": [float("nan")], "b": (float("inf"),)}, b'{"a":["nan"],"b":["inf"]}'),
    ],
)
def test_an_answer_is_ascii_and_valid_json_whatever_it_holds(value: object, text: bytes) -> None:
    assert encode_json(value) == text
    json.loads(encode_json(value), parse_constant=lambda name: pytest.fail(name))


class Sample(msgspec.Struct, frozen=True):
    at: datetime
    content: Any
    left_out: int | UnsetType = UNSET


@pytest.mark.parametrize(
    ("value", "content"), [(None, b"null"), ("\ud800", b'"\\ud800"'), ([float("nan")], b'["nan"]')]
)
def test_a_value_is_encoded_with_times_of_one_length_and_without_what_is_absent(
    value: object, content: bytes
) -> None:
    body = encode_json(Sample(datetime(2026, 11, 20, 14, 2, tzinfo=UTC), value))
    assert body == b'{"at":"2026-11-20T14:02:00.000000Z","content":' + content + b"}"
