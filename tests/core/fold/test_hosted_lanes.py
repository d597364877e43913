"""Input that the provider is to run grows on a lane of its own."""

import json

from inspector.core.tape import LaneKind
from tests.core.bodies import exchange, reading
from tests.core.formats.recordings import assert_every_character_has_bytes, only_choice, sse

START = b'{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}'
CALL = b'{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}'
PIECES = tuple(
    b'{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"%s"}}'
    % piece
    for piece in (rb"{\"query\":", rb"\"rain\"}")
)
END = (
    b'{"type":"content_block_stop","index":0}',
    b'{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    b'{"type":"message_stop"}',
)
BODY = sse(START, CALL, *PIECES, *END)


def test_the_input_of_a_hosted_call_has_a_lane_with_its_events() -> None:
    machine = reading(BODY)
    (lane,) = machine.tape().lanes
    (block,) = only_choice(machine.analysis()).blocks
    assert (lane.kind, block.lane, block.text) == (LaneKind.HOSTED, 0, '{"query":"rain"}')
    assert machine.tape().pieces.event == [2, 3]


def test_the_answer_has_the_value_that_the_pieces_spell() -> None:
    completion = reading(BODY).analysis().completion
    assert json.loads(json.dumps(completion["content"][0]["input"])) == {"query": "rain"}


def test_it_is_no_text_of_the_answer() -> None:
    choice = only_choice(reading(BODY).analysis())
    assert (choice.content, choice.tool_calls) == (choice.refusal, ())


def test_each_of_its_characters_has_bytes() -> None:
    assert_every_character_has_bytes(exchange(BODY))
