"""A reading proposed for broken JSON: shown beside the evidence, never in its place."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.pasted.repair import MAX_BYTES, propose_body_repair
from tests.core.bodies import DONE, GOOD, ROLE, STOP, analysis, chunk, codes, delta


@pytest.mark.parametrize(
    ("body", "completion"),
    [
        (b'{"a":1,}', {"a": 1}),
        (b'{"a":[1,2,],}', {"a": [1, 2]}),
        (b'{"a":",}",}', {"a": ",}"}),
        (b"{'a': 1}", {"a": 1}),
        (b'{"a": 1', {"a": 1}),
        (b'{"a": "b', {"a": "b"}),
        (b"\xef\xbb\xbf" + b'{"a":1,}', {"a": 1}),
        ('{"a":1}'.encode("utf-16"), {"a": 1}),
    ],
)
def test_a_reading_is_proposed(body: bytes, completion: object) -> None:
    proposed = propose_body_repair(body)
    assert proposed is not None and proposed.completion == completion


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b"<html></html>",
        b'<!DOCTYPE html>\n<meta name="config" content=\'{"a": false}\'>',
        b"[1,",
        b"{",
        b"\0\1\2",
        b'{"a":1e999,"b":[}',
        b"{'a': " + b"[" * 100_000,
        b"{'a': '" + b"x" * MAX_BYTES,
        b"{'a': [" + b"[]," * 50_000,
        b'{"' + b'\\"' * 600_000,
    ],
)
def test_nothing_is_proposed_where_no_object_is_found_or_a_bound_is_passed(body: bytes) -> None:
    assert propose_body_repair(body) is None


def test_what_was_changed_is_said() -> None:
    comma = propose_body_repair(b'{"a":1,}')
    assert comma is not None
    assert comma.steps == ("Left out commas before a closing bracket",)
    quotes = propose_body_repair("{'a': 1}".encode("utf-16"))
    assert quotes is not None and quotes.steps[0] == "Read as UTF-16"


def test_what_the_parser_corrected_is_counted_and_not_told_in_its_words() -> None:
    found = propose_body_repair(b'{"a" "c"}')
    assert found is not None and found.steps == ("Corrected by a tolerant parser in 2 places",)


def test_nothing_is_proposed_for_what_is_no_response() -> None:
    noise = b'\x00\x9f"a": {"b": [1, "c' + bytes(range(128, 250))
    assert propose_body_repair(noise) is not None
    result = analysis(noise)
    assert (result.verdict, result.repair) == (Verdict.NOT_A_RESPONSE, None)


def test_a_guess_is_only_proposed() -> None:
    result = analysis(GOOD.replace(b'"Hello"', b"'Hello'"))
    assert result.verdict is Verdict.UNREADABLE
    assert result.dialect == "openai-chat"
    assert (result.choices, result.completion) == ((), None)
    assert result.repair is not None and not result.repair.is_read
    assert result.repair.completion["choices"][0]["message"]["content"] == "Hello"


def test_what_a_document_does_to_an_answer_is_read_and_never_substituted_for_what_was_sent() -> (
    None
):
    result = analysis(GOOD[:-1] + b",}")
    assert result.verdict is Verdict.UNREADABLE
    assert result.dialect == "openai-chat"
    assert (result.choices[0].content, result.model) == ("Hello", "parcel-1")
    assert result.completion is None
    assert result.repair is not None and result.repair.is_read
    assert result.repair.completion["choices"][0]["message"]["content"] == "Hello"


def test_a_valid_body_has_no_proposal() -> None:
    assert analysis(GOOD).repair is None


def test_halves_of_an_emoji_are_one_character_in_a_proposal() -> None:
    proposed = propose_body_repair(b'{"a": "\\ud83d\\ude00')
    assert proposed is not None and proposed.completion == {"a": "\U0001f600"}


def test_a_stream_with_broken_chunks_stays_as_sent_and_the_repaired_completion_is_proposed() -> (
    None
):
    whole = b'"content":"Hel"}'
    body = chunk(ROLE) + chunk(delta(b'"content":"Hel"')).replace(whole, b'"content":"Hel",}')
    result = analysis(body + chunk(delta(b'"content":"lo"')) + chunk(STOP) + DONE)
    assert (result.verdict, result.choices[0].content) == (Verdict.COMPLETE, "lo")
    assert {"json.broken-chunk"} == codes(result) - {"usage.missing"}
    assert result.repair is not None
    assert result.repair.steps == ("Left out commas before a closing bracket",)
    assert result.repair.completion["choices"][0]["message"]["content"] == "Hello"


def test_a_stream_of_which_every_chunk_is_broken_says_where_the_first_one_breaks() -> None:
    result = analysis(chunk(STOP).replace(b'"stop"', b'"stop",') * 2 + DONE)
    assert (result.verdict, result.dialect, result.streamed) == (
        Verdict.UNREADABLE,
        "openai-chat",
        True,
    )
    assert result.verdict_reason.startswith("The first chunk is not valid JSON: ")
    assert ", line 1, column " in result.verdict_reason
    assert result.choices == ()
    assert result.repair is not None
    assert result.repair.completion["choices"][0]["finish_reason"] == "stop"
