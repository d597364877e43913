"""Requests that are cheap to send and dear to look into: what is computed of one grows as its
length does, whatever it repeats.
"""

from collections.abc import Callable

import msgspec
import pytest

from inspector.archive.readers.extract import extract
from inspector.core.wire.exchange import Exchange, Request
from tests.steps import steps

MESSAGES = '{"model":"m","messages":['
FEW, TIMES = 50, 8


def repeated(entry: str, before: str, after: str) -> Callable[[int], bytes]:
    """Return a body by the number of its entries, ``#`` in each standing for its own."""

    def body(entries: int) -> bytes:
        each = (entry.replace("#", str(number)) for number in range(entries))
        return f"{before}{','.join(each)}{after}".encode()

    return body


BODIES = {
    "messages": repeated('{"role":"user","content":"a#"}', MESSAGES, "]}"),
    "empty messages": repeated("{}", MESSAGES, "]}"),
    "messages that are none": repeated("null", MESSAGES, "]}"),
    "answers and results": repeated(
        '{"role":"assistant","tool_calls":[{"id":"c#","function":{"name":"f","arguments":"{}"}}]},'
        '{"role":"tool","tool_call_id":"c#","content":"r#"}',
        MESSAGES,
        "]}",
    ),
    "results of one call": repeated(
        '{"role":"tool","tool_call_id":"c","content":"r"}', MESSAGES, "]}"
    ),
    "parts": repeated(
        '{"type":"text","text":"a#"}', MESSAGES + '{"role":"user","content":[', "]}]}"
    ),
    "empty parts": repeated("{}", MESSAGES + '{"role":"user","content":[', "]}]}"),
    "halves of pairs": repeated('"\\ud800"', MESSAGES + '{"role":"user","content":[', "]}]}"),
    "calls": repeated(
        '{"id":"c#","function":{"name":"f","arguments":"{}"}}',
        MESSAGES + '{"role":"assistant","tool_calls":[',
        "]}]}",
    ),
    "tools": repeated(
        '{"type":"function","function":{"name":"f#","parameters":{}}}',
        '{"messages":[{}],"tools":[',
        "]}",
    ),
    "parameters": repeated('"k#":1', '{"messages":[{}],', "}"),
    "metadata": repeated('"k#":"v"', '{"messages":[{}],"metadata":{', "}}"),
    "marks of the cache": repeated(
        '{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}',
        MESSAGES,
        "]}",
    ),
    "a body that is cut": repeated('{"role":"user","content":"a#"}', MESSAGES, "]"),
    "names of code": repeated('{"role":"user","content":"aB_cD eFgH#"}', MESSAGES, "]}"),
    "no spaces": repeated('{"role":"user","content":"東京都#"}', MESSAGES, "]}"),
}


def asking(body: bytes) -> Exchange:
    url = "https://api.example.com/v1/chat/completions"
    request = Request(method="POST", url=url, headers=(), body=body)
    return msgspec.structs.replace(Exchange.of_body(b'{"choices":[]}'), request=request)


@pytest.mark.parametrize("name", BODIES)
def test_looking_into_a_request_takes_no_more_steps_than_it_is_longer(name: str) -> None:
    few, many = (asking(BODIES[name](entries)) for entries in (FEW, FEW * TIMES))
    extract(few)
    assert steps(lambda: extract(many)) <= TIMES * 1.2 * steps(lambda: extract(few))
