"""Objects that logs and spreadsheets have as quoted texts are read, and told."""

import json

import pytest

from inspector.core.provenance import Origins
from tests.core.bodies import GOOD, ROLE, STOP, USAGE, analysis, chunk, codes, delta, reading

PIECES = (chunk(ROLE), chunk(delta(b'"content":"Hello"')), chunk(STOP), chunk(more=USAGE))
QUOTED = json.dumps(GOOD.decode()).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"2026-11-27 10:00:00 INFO answer=" + QUOTED + b" took=2s\n",
        b'id,answer\n1,"' + GOOD.replace(b'"', b'""') + b'"\n2,""\n',
        b"level=info body=" + json.dumps((b'{"code":0,"data":%s}' % GOOD).decode()).encode(),
    ],
    ids=["log", "CSV", "wrapped"],
)
def test_an_answer_in_a_quoted_text_is_read(body: bytes) -> None:
    result = analysis(body)
    assert (result.choices[0].content, result.usage.prompt_tokens) == ("Hello", 3)
    assert "framing.encoded-twice" in codes(result)


@pytest.mark.parametrize("prefix", ["", "data: "])
def test_chunks_in_quoted_texts_are_one_stream(prefix: str) -> None:
    texts = (prefix + each.decode().removeprefix("data: ").strip() for each in PIECES)
    body = "".join(f"time=10:00 msg=chunk data={json.dumps(text)}\n" for text in texts).encode()
    result = analysis(body)
    assert (result.choices[0].content, result.streamed) == ("Hello", True)
    assert result.usage.prompt_tokens == 3
    tape = reading(body).tape()
    (origin,) = Origins(tape, body).of(0, 0, 5)
    assert [body[start:end] for start, end in origin.byte_ranges] in ([], [b"Hello"])


def test_of_two_answers_in_quoted_texts_none_is_chosen() -> None:
    other = QUOTED.replace(b"Hello", b"Bye")
    result = analysis(b"a=" + QUOTED + b"\nb=" + other + b"\n")
    assert "framing.several-documents" in codes(result)


@pytest.mark.parametrize(
    "body",
    [
        b'He said "{\\"n\\": 1}" and left.\n',
        b'id,note\n1,"{""n"": 1}"\n',
        b"answer=" + QUOTED[:-40] + b"\n",
    ],
    ids=["no answer", "no answer in CSV", "cut"],
)
def test_other_quoted_texts_are_texts(body: bytes) -> None:
    assert "framing.encoded-twice" not in codes(analysis(body))
