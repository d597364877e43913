"""Text that a rule names is overwritten in place, however it was sent."""

import json
from collections.abc import Callable, Sequence

import pytest

from inspector.core.provenance import Origins
from inspector.core.redaction.body_masking import masked_body
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule, Preset
from inspector.core.wire.event_frames import FrameSplitter
from tests.core.bodies import reading
from tests.core.frames import frame
from tests.core.redaction.cases import WRITTEN
from tests.tiers import mostly_thorough

PRESETS = RuleSet([MaskRule(at, MaskKind.PRESET, name) for at, name in enumerate(Preset)])


def word(text: str) -> RuleSet:
    return RuleSet([MaskRule(1, MaskKind.WORD, text)])


def parts(text: str, number: int = 10) -> Sequence[str]:
    """The text in as many parts as it has characters for, up to a number."""
    size = -(-len(text) // number)
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat(pieces: Sequence[str]) -> bytes:
    return b"".join(
        b"data: %s\n\n"
        % json.dumps(
            {
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": {"content": piece}}],
            }
        ).encode()
        for piece in pieces
    )


def calls(pieces: Sequence[str]) -> bytes:
    """Arguments, in which a text stands as a string."""
    return b"".join(
        b"data: %s\n\n"
        % json.dumps(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"tool_calls": [{"index": 0, "function": {"arguments": one}}]},
                    }
                ]
            }
        ).encode()
        for piece in [json.dumps({"value": "".join(pieces)})]
        for one in parts(piece)
    )


def messages(pieces: Sequence[str]) -> bytes:
    """Events of Anthropic's Messages."""
    return b"".join(
        b"event: content_block_delta\ndata: %s\n\n"
        % json.dumps(
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "text_delta", "text": piece},
            }
        ).encode()
        for piece in pieces
    )


def responses(pieces: Sequence[str]) -> bytes:
    return b"".join(
        b"event: response.output_text.delta\ndata: %s\n\n"
        % json.dumps(
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "delta": piece,
                "obfuscation": "a1b2c3",
            }
        ).encode()
        for piece in pieces
    )


def gemini(pieces: Sequence[str]) -> bytes:
    objects = [
        {"candidates": [{"content": {"parts": [{"text": piece}], "role": "model"}, "index": 0}]}
        for piece in pieces
    ]
    return json.dumps(objects, indent=1).encode()


def ollama(pieces: Sequence[str]) -> bytes:
    return b"".join(
        json.dumps({"model": "m", "message": {"role": "assistant", "content": piece}}).encode()
        + b"\n"
        for piece in pieces
    )


def converse(pieces: Sequence[str]) -> bytes:
    return b"".join(
        frame(
            "contentBlockDelta",
            json.dumps({"contentBlockIndex": 0, "delta": {"text": piece}}).encode(),
        )
        for piece in pieces
    )


STREAMS = (chat, calls, messages, responses, gemini, ollama, converse)


@pytest.mark.parametrize("stream", mostly_thorough(((each,) for each in STREAMS), 2))
def test_a_value_that_is_split_over_ten_deltas_is_overwritten(
    stream: Callable[[Sequence[str]], bytes], subtests: pytest.Subtests
) -> None:
    for case in WRITTEN:
        if not case.found:
            continue
        with subtests.test(text=case.text):
            body = stream(parts(case.text))
            masked = masked_body(body, PRESETS)
            assert len(masked.body) == len(body)
            assert masked.passages
            at_once = masked_body(stream([case.text]), PRESETS)
            assert len(masked.passages) == len(at_once.passages)


def test_the_bytes_are_those_that_provenance_names() -> None:
    body = chat(["mail to bil", "ling@ex", "ample.", "com now"])
    read = reading(body)
    ranges = [
        each for origin in Origins(read.tape(), body).of(0, 8, 27) for each in origin.byte_ranges
    ]
    [passage] = masked_body(body, PRESETS).passages
    assert list(passage.ranges) == ranges


@pytest.mark.parametrize(
    "spelt",
    [
        b"billing@example.com",
        b"billing\\u0040example.com",
        b"\\u0062\\u0069lling\\u0040example.com",
        b"billing\\\\u0040example.com",
        b"billing\\\\\\\\u0040example.com",
    ],
)
def test_escapes_are_undone_and_overwritten_whole(spelt: bytes) -> None:
    body = b'{"a":"to ' + spelt + b'\\n"}'
    assert masked_body(body, PRESETS).body == b'{"a":"to ' + b"*" * len(spelt) + b'\\n"}'


def test_an_escape_that_two_deltas_share_is_undone() -> None:
    first, second = b'data: {"d":"a\\\\u00"}\n\n', b'data: {"d":"40example.com"}\n\n'
    masked = masked_body(first + second, PRESETS).body
    assert masked == b'data: {"d":"******"}\n\ndata: {"d":"*************"}\n\n'


def test_characters_of_several_bytes_keep_their_length() -> None:
    body = '{"a":"das KÄUZCHEN ruft"}'.encode()
    assert masked_body(body, word("Käuzchen")).body == b'{"a":"das ********* ruft"}'


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (b"plain billing@example.com", b"plain *******************"),
        (b"<p>billing@example.com</p>", b"<p>*******************</p>"),
        (b": billing@example.com\n\n", b": *******************\n\n"),
        (b'{"cut":"billing@example.com', b'{"cut":"*******************'),
        (b'{"a":4111111111111111}', b'{"a":1111111111111111}'),
        (b'{"billing@example.com":1}', b'{"*******************":1}'),
        (b"\xff\xfe billing@example.com", b"\xff\xfe *******************"),
        (b"{'a': 'billing@example.com'}", b"{'a': '*******************'}"),
        (b'"billing@example.com"', b'"*******************"'),
    ],
)
def test_bytes_that_are_no_response_are_searched_too(body: bytes, wanted: bytes) -> None:
    assert masked_body(body, PRESETS).body == wanted


def test_short_texts_are_found_alone_and_as_parts_of_words_not() -> None:
    body = b'{"choices":[{"message":{"content":"Paris"}}]}'
    assert masked_body(body, word("Paris")).body == body.replace(b"Paris", b"*****")
    assert masked_body(b'"Paris"', word("Paris")).body == b'"*****"'
    split = chat(["Ann", "iversary"])
    assert masked_body(split, word("Ann")).body == split


def test_a_text_that_goes_on_as_a_string_after_a_part_is_one_text() -> None:
    body = (
        b'data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Night"}]}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{"content":"jar"}}]}\n\n'
    )
    masked = masked_body(body, word("Nightjar")).body
    assert masked == body.replace(b'"Night"', b'"*****"').replace(b'"jar"', b'"***"')


def test_deltas_that_repeat_are_one_text_all_the_same() -> None:
    body = chat(["Thinking... ", "Thinking... ", "Thinking... ", "done"])
    masked = masked_body(body, word('"Thinking... Thinking..."')).body
    assert masked.count(b"Thinking") == 1


def test_numbers_in_arguments_stay_numbers() -> None:
    body = b'{"arguments":"{\\"card\\": 4111111111111111}"}'
    assert masked_body(body, PRESETS).body == b'{"arguments":"{\\"card\\": 1111111111111111}"}'


def test_words_leave_names_and_signs_of_the_format_alone() -> None:
    body = b'event: content\ndata: {"content":"content","role":"content","n":null}\n\n'
    masked = masked_body(body, word("content")).body
    assert masked == body.replace(b':"content","role"', b':"*******","role"')
    assert masked_body(body, word("data")).body == body
    asked = b'{"messages":[{"role":"user","content":"ask"}]}'
    assert masked_body(asked, word("user")).body == asked
    assert masked_body(body, word("null")).body == body


def test_tokens_with_log_probabilities_and_their_alternatives_go_with_the_text() -> None:
    def event(token: str) -> bytes:
        spelt = list(token.encode())
        entry = {"token": token, "logprob": -0.1, "bytes": spelt}
        content = [{**entry, "top_logprobs": [entry]}]
        choice = {"index": 0, "delta": {"content": token}, "logprobs": {"content": content}}
        return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"

    body = b"".join(map(event, ["hi ", "Night", "jar"]))
    masked = masked_body(body, word("Nightjar")).body
    events = [json.loads(line[6:]) for line in masked.splitlines() if line]
    for each in events:
        [entry] = each["choices"][0]["logprobs"]["content"]
        for spelt in (entry, *entry["top_logprobs"]):
            assert set(spelt["token"]) == {"*"} and set(spelt["bytes"]) <= {1, 11, 111}
            assert spelt["logprob"] == -0.1
    assert masked_body(body, word("Dayjar")).body == body


@pytest.mark.parametrize(
    "logprobs",
    [
        b'"logprobs":{"tokens":["Night","jar"],"top_logprobs":[{"Night":-0.1},{"jar":-0.2}]}',
        b'"logprobsResult":{"chosenCandidates":[{"token":"Night","tokenId":741852}],'
        b'"topCandidates":[{"candidates":[{"token":"Night","tokenId":741852}]}]}',
        b'"prompt_logprobs":[null,{"741852":{"logprob":-0.1,"rank":1,"decoded_token":"Night"}}]',
        b'"token_ids":[741852],"logprobs":[{"text":"Night","token_ids":[741852]}]',
    ],
)
def test_tokens_of_every_form_go_also_where_a_path_named_the_text(logprobs: bytes) -> None:
    body = b'{"choices":[{"text":"Nightjar",' + logprobs + b"}]}"
    path = RuleSet([MaskRule(1, MaskKind.PATH, "choices.*.text")])
    for rules in (word("Nightjar"), path):
        masked = masked_body(body, rules).body
        assert not [each for each in (b"Night", b"jar", b"741852") if each in masked]
        assert json.loads(masked)


def test_frames_keep_a_checksum_that_was_right() -> None:
    body = converse(["to billing@ex", "ample.com"])
    masked = masked_body(body, PRESETS).body
    assert masked != body and len(masked) == len(body)
    assert [one.faults for one in FrameSplitter().feed(masked)] == [(), ()]


def test_choices_that_come_in_turn_are_texts_of_their_own() -> None:
    def event(index: int, text: str) -> bytes:
        choice = {"index": index, "delta": {"content": text}}
        return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"

    body = event(0, "Night") + event(1, "Nigh") + event(0, "jar") + event(1, "t")
    masked = masked_body(body, word("Nightjar")).body
    assert masked == body.replace(b'"Night"', b'"*****"').replace(b'"jar"', b'"***"')


def test_snapshots_are_overwritten_each() -> None:
    body = chat(["Nightjar i", "Nightjar is here", "Nightjar is here now"])
    masked = masked_body(body, word("Nightjar"))
    assert b"Nightjar" not in masked.body
    assert len(masked.passages) == 3


def test_what_was_overwritten_before_is_not_found_again() -> None:
    rules = RuleSet([MaskRule(1, MaskKind.PATH, "a"), MaskRule(2, MaskKind.PRESET, "email")])
    once = masked_body(b'{"a":"secret","n":"billing@example.com"}', rules)
    assert not masked_body(once.body, rules).passages


@pytest.mark.parametrize(
    "body",
    mostly_thorough(
        (
            (b"[" * 300_000,),
            (b'{"a":' * 100_000,),
            (b'"' * 300_001,),
            (b'"a":' * 100_000,),
            (b"\\" * 300_000,),
            (b'"\\u' * 100_000,),
            (b'"\\\\\\\\' * 100_000,),
            (b"data: {" * 50_000,),
            (b"\n\n" * 150_000,),
            (b"1," * 150_000,),
            (b'"",' * 150_000,),
        ),
        by_default=1,
    ),
)
def test_hostile_bodies_are_searched_to_their_end(body: bytes) -> None:
    masked = masked_body(body + b" billing@example.com ", PRESETS)
    assert masked.body == body + b" " + b"*" * 19 + b" "
