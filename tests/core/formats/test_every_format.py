"""What holds for the recordings of every format, however its objects are framed."""

import pytest

from tests.core.bodies import exchange
from tests.core.formats import (
    test_anthropic,
    test_bedrock_converse,
    test_cohere,
    test_gemini,
    test_ollama,
    test_openai_responses,
)
from tests.core.formats.recordings import assert_cuttings_agree, assert_every_character_has_bytes

FORMATS = {
    "anthropic": test_anthropic.STREAMS.values(),
    "bedrock": test_bedrock_converse.RECORDINGS,
    "cohere": test_cohere.RECORDINGS,
    "gemini": test_gemini.RECORDINGS,
    "ollama": (test_ollama.CHAT, test_ollama.GENERATED, test_ollama.CALLS),
    "responses": test_openai_responses.BODIES,
}
RECORDINGS = [
    pytest.param(body, id=f"{name} {number}")
    for name, bodies in FORMATS.items()
    for number, body in enumerate(bodies)
]


@pytest.mark.parametrize("body", RECORDINGS)
def test_any_cutting_gives_the_same(body: bytes) -> None:
    assert_cuttings_agree(body)


def test_frames_that_are_announced_are_the_same_cut_anywhere() -> None:
    assert_cuttings_agree(test_bedrock_converse.STREAM, test_bedrock_converse.FRAMES)


@pytest.mark.parametrize("body", RECORDINGS)
def test_every_character_has_its_bytes(body: bytes) -> None:
    assert_every_character_has_bytes(exchange(body))
