"""Paths name values of JSON and everything below them."""

import pytest

from inspector.core.redaction.body_masking import masked_body
from inspector.core.redaction.json_paths import PathFault, parse_json_path
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule


def masked(path: str, body: bytes) -> bytes:
    return masked_body(body, RuleSet([MaskRule(1, MaskKind.PATH, path)])).body


@pytest.mark.parametrize(
    "path",
    ["user.name", "$.user.name", "$['user'].name", "/user/name", "**.name", "user.*", "user"],
)
def test_a_path_is_written_as_one_knows_it(path: str) -> None:
    body = b'{"user":{"name":"abc"},"id":"abc"}'
    assert masked(path, body) == b'{"user":{"name":"***"},"id":"abc"}'


@pytest.mark.parametrize(
    ("path", "body", "wanted"),
    [
        ("a.*.b", b'{"a":[{"b":"x"},{"c":"x"}]}', b'{"a":[{"b":"*"},{"c":"x"}]}'),
        ("a[1]", b'{"a":["x","y","z"]}', b'{"a":["x","*","z"]}'),
        ("a[*].b", b'{"a":[{"b":"x"}]}', b'{"a":[{"b":"*"}]}'),
        ("$..b", b'{"a":{"c":[{"b":"x"}]},"b":"y"}', b'{"a":{"c":[{"b":"*"}]},"b":"*"}'),
        ("a", b'{"a":-12.50e3,"b":12}', b'{"a":-11.11e1,"b":12}'),
        ("a", b'{"a":true}', b'{"a":true}'),
        ("a", b'{"a":""}', b'{"a":""}'),
        ("a", b'data: {"a":"x"}\n\ndata: {"a":"y"}\n\n', b'data: {"a":"*"}\n\ndata: {"a":"*"}\n\n'),
        ("a", b'[{"a":"x"}\n,\n{"a":"y"}]', b'[{"a":"*"}\n,\n{"a":"*"}]'),
        ("**.pin", b'{"arguments":"{\\"pin\\": 1234}"}', b'{"arguments":"{\\"pin\\": 1111}"}'),
        (
            "arguments.pin",
            b'{"arguments":"{\\"pin\\": \\"a\\\\nb\\"}"}',
            b'{"arguments":"{\\"pin\\": \\"*****\\"}"}',
        ),
        ("a.b", b'{"a":{"b":"cut', b'{"a":{"b":"***'),
    ],
)
def test_values_below_a_path_are_overwritten(path: str, body: bytes, wanted: bytes) -> None:
    assert masked(path, body) == wanted


def test_a_path_is_followed_into_arguments_that_came_in_deltas() -> None:
    body = (
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"p"}}]}}]}\n\n'
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"in\\":\\"se"}}]}}]}\n\n'
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"cret\\"}"}}]}}]}\n\n'
    )
    assert masked("**.pin", body) == body.replace(b'"se"', b'"**"').replace(
        b'\\"se"', b'\\"**"'
    ).replace(b"cret", b"****")


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("", PathFault.NO_PATH),
        ("$", PathFault.NO_PATH),
        ("a..", PathFault.NO_PATH),
        ("a[?(@.b)]", PathFault.NO_PATH),
        ("a[1:2]", PathFault.NO_PATH),
        ("**", PathFault.EVERYTHING),
        ("*.*", PathFault.EVERYTHING),
        (".".join("a" * 25), PathFault.MANY_STEPS),
        ("**.a.**.b.**.c.**.d", PathFault.MANY_STEPS),
    ],
)
def test_what_is_no_path_is_refused(path: str, fault: PathFault) -> None:
    assert parse_json_path(path) is fault
