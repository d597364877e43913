"""OpenAI's completions reference: every statement, quoted and held."""

from inspector.core.analysis import Verdict
from inspector.core.fields.logprobs import LogprobsPart, read_logprobs
from tests.core.bodies import DONE, analysis, codes, completion, event
from tests.core.documents.statements import messages, places, states, wanted
from tests.core.documents.test_000_workflowai import DOCUMENTS, PARTS, assert_is_a_part

EXAMPLE = (DOCUMENTS / "004-completion.json").read_bytes()
ONE = b'{"index":0,"text":" Leipzig","logprobs":null,"finish_reason":"stop"}'


def legacy(*choices: bytes) -> bytes:
    return completion(*choices or (ONE,)).replace(b"chat.completion", b"text_completion")


def streamed(name: bytes = b"text_completion") -> bytes:
    first = legacy(ONE.replace(b'"stop"', b"null").replace(b" Leipzig", b" Leip"))
    last = legacy(ONE.replace(b" Leipzig", b"zig"))
    return (
        b"".join(
            event(part.replace(b'"text_completion"', b'"%s"' % name)) for part in (first, last)
        )
        + DONE
    )


def logged(logprobs: bytes) -> bytes:
    return legacy(ONE.replace(b'"logprobs":null', b'"logprobs":' + logprobs))


@states("004", "a completion object", "Represents a completion response from the API.", "Recognised by its texts or its object.", "envelope.no-choices")  # fmt: skip
def test_a_completion_is_recognised() -> None:
    result = analysis(EXAMPLE)
    assert (result.dialect, result.object) == ("openai-text", "text_completion")
    assert result.verdict is Verdict.COMPLETE
    bare = analysis(b'{"id":"c","object":"text_completion","created":1795183339,"model":"m"}')
    assert (bare.dialect, "envelope.no-choices" in codes(bare)) == ("openai-text", True)


@states("004", "one shape for whole and streamed", "both the streamed and non-streamed response objects share the same shape", "Both are read; the object of a chunk is text_completion, too, and any other is reported.", "envelope.object-unexpected", "envelope.streamed-otherwise")  # fmt: skip
def test_whole_and_streamed_share_one_shape() -> None:
    assert analysis(legacy()).choices[0].text == " Leipzig"
    assert analysis(streamed()).choices[0].text == " Leipzig"
    assert "envelope.object-unexpected" not in codes(analysis(streamed()))
    assert messages(streamed(b"text_completion.chunk"), "envelope.object-unexpected") == [
        "object is 'text_completion.chunk' instead of 'text_completion'."
    ]
    assert "envelope.streamed-otherwise" in codes(analysis(legacy(), **wanted(b'"stream":true')))


@states("004", "id: string", "A unique identifier for the completion.", "Missing, empty and another type are reported.", "envelope.identity-missing", "envelope.identity-malformed")  # fmt: skip
def test_an_id_is_a_text() -> None:
    assert "envelope.identity-missing" in codes(analysis(legacy().replace(b"chatcmpl-1", b"")))
    number = legacy().replace(b'"chatcmpl-1"', b"1")
    assert "envelope.identity-malformed" in codes(analysis(number))


@states("004", "choices with index and text", "The list of completion choices the model generated for the input prompt.", "A text that is absent or of another type is reported; several prompts have n choices each.", "choice.text-missing", "message.field-malformed", "choice.index-missing", "choice.more-than-asked")  # fmt: skip
def test_a_choice_has_an_index_and_a_text() -> None:
    absent = legacy(b'{"index":0,"finish_reason":"stop"}')
    assert messages(absent, "choice.text-missing") == ["Choice 0 has no text."]
    assert "choice.index-missing" in codes(analysis(legacy(ONE.replace(b'"index":0,', b""))))
    number = legacy(ONE.replace(b'" Leipzig"', b"5"))
    assert "message.field-malformed" in codes(analysis(number))
    both = legacy(ONE, ONE.replace(b":0", b":1", 1))
    assert "choice.more-than-asked" in codes(analysis(both, **wanted(b'"prompt":"To"')))
    two = wanted(b'"prompt":["From","To"],"n":1')
    assert "choice.more-than-asked" not in codes(analysis(both, **two))


@states("004", "finish_reason: stop, length, content_filter", "if content was omitted due to a flag from our content filters", "The three are known with their meanings; any other is reported.", "choice.finish-unknown", "choice.finish-length", "choice.finish-filtered", "choice.finish-mismatch")  # fmt: skip
def test_three_finish_reasons_are_known() -> None:
    for reason, expected in (
        (b"stop", set()),
        (b"length", {"choice.finish-length"}),
        (b"content_filter", {"choice.finish-filtered"}),
        (b"tool_calls", {"choice.finish-unknown", "choice.finish-mismatch"}),
    ):
        assert codes(analysis(legacy(ONE.replace(b"stop", reason)))) == expected


@states("004", "logprobs with four arrays", "{ text_offset, token_logprobs, tokens, top_logprobs}", "Each token is placed on its characters; a missing array, other lengths, wrong offsets and wrong values are reported.", "logprobs.array-missing", "logprobs.lengths-differ", "logprobs.misaligned", "logprobs.malformed", "logprobs.null", "logprobs.sentinel", "logprobs.positive")  # fmt: skip
def test_logprobs_are_four_parallel_arrays() -> None:
    (choice,) = analysis(EXAMPLE).choices
    read = read_logprobs(choice)
    assert (len(read.tokens), read.aligned) == (3, {LogprobsPart.TEXT: True})
    whole = b'{"tokens":[" Leipzig"],"token_logprobs":[-1],"top_logprobs":null,"text_offset":[9]}'
    assert codes(analysis(logged(whole))) == set()
    absent = whole.replace(b',"text_offset":[9]', b"")
    assert messages(logged(absent), "logprobs.array-missing") == [
        "The logprobs of choice 0 have no text_offset."
    ]
    assert places(analysis(logged(absent)), "logprobs.array-missing") == [
        "/choices/0/logprobs/text_offset"
    ]
    longer = whole.replace(b"[-1]", b"[-1,-2]")
    assert "logprobs.lengths-differ" in codes(analysis(logged(longer)))
    assert "logprobs.malformed" in codes(analysis(logged(b"[]")))
    null = b'{"tokens":[" Leip","zig"],"token_logprobs":[-1,null],"top_logprobs":null,"text_offset":[9,14]}'
    assert "logprobs.null" in codes(analysis(logged(null)))
    assert "logprobs.positive" in codes(analysis(logged(whole.replace(b"-1", b"0.5"))))
    assert "logprobs.sentinel" in codes(analysis(logged(whole.replace(b"-1", b"-9999.0"))))


@states("004", "created: integer", "The Unix timestamp (in seconds) of when the completion was created.", "Missing, another type and another unit are reported.", "envelope.created-missing", "envelope.created-out-of-range")  # fmt: skip
def test_created_is_in_seconds() -> None:
    assert "envelope.created-missing" in codes(analysis(legacy().replace(b"1795183339", b"0")))
    text = legacy().replace(b"1795183339", b'"today"')
    assert messages(text, "envelope.created-out-of-range") == [
        "created is a text, not whole seconds."
    ]


@states("004", "model: string", "The model used for completion.", "Missing, another type and another model than the requested one are reported.", "envelope.identity-missing", "envelope.identity-malformed", "envelope.model-not-asked")  # fmt: skip
def test_a_model_is_a_text() -> None:
    assert analysis(legacy()).model == "parcel-1"
    for value, code in ((b'""', "identity-missing"), (b"5", "identity-malformed")):
        body = legacy().replace(b'"parcel-1"', value)
        assert f"envelope.{code}" in codes(analysis(body))
    assert "envelope.model-not-asked" in codes(analysis(legacy(), **wanted(b'"model":"crate-1"')))


@states("004", "object: string", 'The object type, which is always "text_completion"', "Another name, another type and absence are each reported.", "envelope.object-unexpected", "envelope.object-missing", "envelope.identity-malformed")  # fmt: skip
def test_the_object_is_always_text_completion() -> None:
    assert codes(analysis(legacy())) == set()
    for value, code in (
        (b'"completion"', "envelope.object-unexpected"),
        (b'""', "envelope.object-missing"),
        (b"[]", "envelope.identity-malformed"),
    ):
        body = legacy().replace(b'"text_completion"', value)
        assert codes(analysis(body)) == {code}


@states("004", "system_fingerprint with seed", "Can be used in conjunction with the seed request parameter", "A request with a seed whose answer has no fingerprint is reported.", "envelope.fingerprint-missing", "envelope.backend-changed")  # fmt: skip
def test_a_seed_is_answered_with_a_fingerprint() -> None:
    assert messages(legacy(), "envelope.fingerprint-missing", **wanted(b'"seed":1234')) == [
        "The request sets the seed 1,234, but no system_fingerprint was sent."
    ]
    first, last = (legacy().replace(b"{", b'{"system_fingerprint":"fp_%d",' % n, 1) for n in (1, 2))
    changed = analysis(event(first) + event(last) + DONE, **wanted(b'"seed":1234'))
    assert "envelope.backend-changed" in codes(changed)


@states("004", "usage with its three counts", "Usage statistics for the completion request.", "Each count is read by itself; one that is missing or null is reported.", "usage.count-missing", "usage.total-mismatch")  # fmt: skip
def test_usage_has_its_three_counts() -> None:
    assert analysis(EXAMPLE).usage.reported
    null = legacy().replace(b'"total_tokens":5', b'"total_tokens":null')
    assert messages(null, "usage.count-missing") == ["total_tokens is null."]
    more = legacy().replace(b'"total_tokens":5', b'"total_tokens":6')
    assert "usage.total-mismatch" in codes(analysis(more))


@states("004", "completion_tokens_details, four kinds", "Breakdown of tokens used in a completion.", "The four are read and held against the completion.", "usage.part-exceeds-whole", "usage.not-a-count")  # fmt: skip
def test_four_kinds_of_completion_tokens_are_read() -> None:
    kinds = [name for name, (details, _) in PARTS.items() if details.startswith("completion")]
    assert len(kinds) == 4
    for name in kinds:
        assert_is_a_part(name)


@states("004", "rejected and reasoning tokens count", "these tokens are still counted in the total completion tokens", "Told where the counts add up only if they stand beside the completion.", "usage.rejected-prediction", "usage.counted-beside", "usage.part-exceeds-whole")  # fmt: skip
def test_rejected_and_reasoning_tokens_are_counted_in_the_total() -> None:
    assert codes(analysis(EXAMPLE)) == {"usage.rejected-prediction"}
    beside = legacy().replace(
        b'"total_tokens":5', b'"total_tokens":9,"completion_tokens_details":{"reasoning_tokens":4}'
    )
    assert "usage.counted-beside" in codes(analysis(beside))
    over = beside.replace(b'"total_tokens":9', b'"total_tokens":5')
    assert "usage.part-exceeds-whole" in codes(analysis(over))


@states("004", "prompt_tokens_details, two kinds", "Cached tokens present in the prompt.", "Both are read and held against the prompt.", "usage.part-exceeds-whole", "usage.not-a-count")  # fmt: skip
def test_two_kinds_of_prompt_tokens_are_read() -> None:
    kinds = [name for name, (details, _) in PARTS.items() if details.startswith("prompt")]
    assert len(kinds) == 2
    for name in kinds:
        assert_is_a_part(name)
