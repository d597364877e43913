"""Passages that a document masks, whatever spells them."""

from __future__ import annotations

import json

import msgspec
import pytest

from inspector.core.wire.exchange import Exchange
from inspector.sharing.document import passage_masks
from inspector.sharing.document.passage_masks import MASK, PassageMasks
from inspector.sharing.document.withheld import MAX_CHARACTERS, Withheld
from inspector.sharing.new_shares import NoShare, share_capture
from inspector.sharing.terms import ShareTerms
from tests.archive.samples import JSON
from tests.people import Person
from tests.sharing.shared import STREAM, captured, made, text_of

M = MASK


@pytest.mark.parametrize(
    ("passages", "text", "masked"),
    [
        ((), "as it is", "as it is"),
        (("Ann",), "Ann and Ann", f"{M * 3} and {M * 3}"),
        (("ann",), "ANN, Annabel", f"{M * 3}, {M * 3}abel"),
        (("aa",), "aaa b", f"{M * 3} b"),
        (("abc", "bcd"), "abcd", M * 4),
        (("Straße 1",), "in der Straße 1", f"in der {M * 8}"),
        (("Zoë",), '{"n":"Zo\\u00eb"}', f'{{"n":"{M * 8}"}}'),
        (('say "hi"',), '{"n":"say \\"hi\\""}', f'{{"n":"{M * 10}"}}'),
        (('a"b',), '"{\\"n\\":\\"a\\\\\\"b\\"}"', f'"{{\\"n\\":\\"{M * 6}\\"}}"'),
        (("İx",), "İX", M * 2),
        (("nowhere",), "elsewhere", "elsewhere"),
    ],
)
def test_a_passage_is_covered_as_long_as_it_is(
    passages: tuple[str, ...], text: str, masked: str
) -> None:
    assert PassageMasks(passages).masked(text) == masked


def test_the_beginning_of_a_passage_at_the_cut_of_a_text_is_covered() -> None:
    segments = PassageMasks(["Ferrari"]).segments("by Ferr", is_cut=True)
    assert "".join(each.text for each in segments) == f"by {M * 4}"


def test_signs_that_were_sent_are_no_mask() -> None:
    (segment,) = PassageMasks(["Ann"]).segments(M * 3)
    assert not segment.is_masked


def test_texts_are_masked_whole_once_the_places_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passage_masks, "MAX_PLACES", 10)
    masks = PassageMasks(["aa"])
    assert masks.masked("aa b") == f"{M * 2} b"
    assert masks.masked("aa b " * 20) == M * 100
    assert masks.masked("c") == M
    assert masks.unfound == ()


def test_what_stands_nowhere_is_known() -> None:
    masks = PassageMasks(["Ann", "Bob"])
    masks.masked("Bob")
    assert masks.unfound == (0,)


def test_a_masked_passage_is_nowhere_in_the_document(owner: Person) -> None:
    withheld = Withheld(
        passages=(
            "PROMPT-CANARY",
            "answer-canary",
            "Argument-Canary",
            "find_place",
            "SCHEMA-CANARY",
        )
    )
    share = made(owner, captured(owner), withheld=withheld)
    html = text_of(share)
    for passage in withheld.passages:
        assert passage.lower() not in html.lower(), passage
    assert f'aria-label="masked, 13 characters">{M * 13}</span>' in html
    assert "Masked: 5 passages" in html and "It is in" in html
    assert share.status.masked_passages == 5


@pytest.mark.parametrize(
    "passage", ['"a":"Ann","b"', '"a": "Ann",\n  "b"', "Ann", "nowhere in it", '"b":"Annabel Ann']
)
def test_a_passage_is_masked_in_a_layout_by_the_white_space_of_either(passage: str) -> None:
    masks = PassageMasks([passage])
    text = '{"a":"Ann","b":"Annabel Ann\u00a0e","of":[]}'
    layout = '{\n  "a": "Ann",\n  "b": "Annabel Ann\u00a0e",\n  "of": []\n}'
    shown = masks.laid_out(text, layout)
    assert len("".join(each.text for each in shown)) == len(layout)
    plain = "".join(each.text for each in shown if not each.is_masked)
    kept = plain.translate({ord(sign): None for sign in " \n"})
    assert passage.translate({ord(sign): None for sign in " \n"}) not in kept
    assert masks.unfound == ((0,) if passage == "nowhere in it" else ())
    assert '"of": []' in plain


def test_nothing_of_a_masked_value_shows_where_json_is_laid_out(owner: Person) -> None:
    """The passage is spelled as the text was sent, across two members that stand in two lines."""
    arguments = json.dumps(
        {"street": "Ferrari 1", "town": "Lyon", "why": "x" * 60}, separators=(",", ":")
    )
    body = json.dumps({"object": "chat.completion", "choices": [{"index": 0, "message": {
        "role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "find", "arguments": arguments}}
        ]}, "finish_reason": "tool_calls"}]})  # fmt: skip
    captured_id = captured(owner, Exchange.of_body(body.encode(), JSON))
    withheld = Withheld(passages=('Ferrari 1","town":"Lyon',))
    html = text_of(made(owner, captured_id, withheld=withheld))
    assert "Ferrari" not in html and "Lyon" not in html
    assert "laid out" in html and "x" * 60 in html


@pytest.mark.parametrize("start", range(0, 62, 7))
def test_a_passage_at_the_edge_of_what_a_document_holds_shows_no_part(
    owner: Person, start: int
) -> None:
    before = "x" * (MAX_CHARACTERS - 40 + start)
    body = json.dumps({
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "reasoning_content": "Ferrari SA", "content": f"{before}Ferrari SA",
        }}],
    })  # fmt: skip
    html = text_of(
        made(
            owner,
            captured(owner, Exchange.of_body(body.encode(), JSON)),
            withheld=Withheld(passages=("Ferrari SA",)),
        )
    )
    assert "Ferr" not in html


def test_a_passage_that_stands_nowhere_makes_no_link(owner: Person) -> None:
    capture_id = captured(owner)
    unknown = ShareTerms(withheld=Withheld(passages=("CANARI",)))
    found = share_capture(owner.principal, capture_id, unknown)
    assert found == NoShare.PASSAGE_NOT_FOUND
    # With the prompt left out it stands nowhere either.
    of_prompt = ShareTerms(withheld=Withheld(prompt=True, passages=("PROMPT-CANARY",)))
    found = share_capture(owner.principal, capture_id, of_prompt)
    assert found == NoShare.PASSAGE_NOT_FOUND


def test_a_split_passage_is_one_in_the_document(owner: Person) -> None:
    """Ten deltas bring it; the text that they make is masked."""
    chunk = (
        b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,'
        b'"delta":{"content":"%s"},"finish_reason":null}]}\n\n'
    )
    reads = b"".join(chunk % bytes([letter]) for letter in b"Ferrari SA") + b"data: [DONE]\n\n"
    exchange = msgspec.structs.replace(
        Exchange.of_body(reads, "text/event-stream"), status_code=STREAM.status_code
    )
    html = text_of(
        made(owner, captured(owner, exchange), withheld=Withheld(passages=("Ferrari SA",)))
    )
    assert "Ferrari" not in html and M * 10 in html
