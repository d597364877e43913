"""How sentences about calls name the call that they are about."""

import pytest

from tests.core.bodies import analysis, completion


def messages(name: bytes) -> list[str]:
    call = b'{"id": 7, "type": 5, "function": {' + name + b'"arguments": "[1]"}}'
    message = b'"role":"assistant","content":null,"tool_calls":[' + call + b"]"
    choice = b'{"index":0,"message":{' + message + b'},"finish_reason":"tool_calls"}'
    return [each.message for each in analysis(completion(choice)).findings]


@pytest.mark.parametrize("name", [b"", b'"name": "",'])
def test_a_call_whose_name_is_absent_or_empty_is_named_as_such(name: bytes) -> None:
    found = messages(name)
    assert (
        "The arguments of a call without a name cannot be used: they are JSON, but not an object."
    ) in found
    assert "The type of a call without a name is a number, not a text." in found
    assert "The id of a call without a name is a number, not a text." in found


def test_a_call_is_named_by_its_name() -> None:
    assert "The type of brew is a number, not a text." in messages(b'"name": "brew",')
