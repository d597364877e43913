import json

import pytest

from api.responses import encode_json


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
