"""Captures beside each other: what differs, what is the same, and who may look."""

import json
import re
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from django.test import Client

from inspector.archive import deletion, readouts
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, State
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.completion import Choice
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.compare.volatile import is_volatile
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import (
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.dashboard.capture.samples import DONE, TWO_CHOICES, chunk, delta
from tests.dashboard.capture.test_views import words
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert, everywhere
from tests.people import Person

COMPARE = "/captures/compare/"
JOINED = {"usage": "spent", "timing": "spent", "about": "rest", "fields": "rest"}
"""Sections that are a part of another, and said in its sentence where nothing of them differs."""


def url(*names: object) -> str:
    return f"{COMPARE}?{'&'.join(f'id={name}' for name in names)}"


def page(person: Person, *names: object, status: int = 200) -> str:
    answer = person.browser().get(url(*names))
    assert answer.status_code == status, answer.content.decode()[:2000]
    return answer.content.decode()


def headline(html: str) -> str:
    """The difference of the answers, and the others."""
    found = re.search(r'<h1 class="verdict"><b>([^<]*)</b>.*?id="rest">(.*?)</p>', html, re.DOTALL)
    alone = re.search(r'<h1 class="verdict">(.*?)</h1>', html, re.DOTALL)
    assert alone
    return words(f"{found[1]} {found[2]}" if found else alone[1]).strip()


def section(html: str, slug: str) -> str:
    """The words of one section; empty where it is not on the page."""
    found = next(filter(None, (
        re.search(
            rf'<(section class="panel"|div) id="compare-{each}".*?</(section|dd)>', html, re.DOTALL
        )
        for each in (slug, JOINED.get(slug, slug))
    )), None)  # fmt: skip
    apart = re.sub(r"</(td|th|h2|h3|b|span|p|li|dt)>", " ", found[0]) if found else ""
    return words(apart).strip()


def columns(html: str) -> list[str]:
    """The texts beside each other, with their marks."""
    found = re.findall(r'<div class="answer" dir="auto">(.*?)</div>', html, re.DOTALL)
    return [each.replace('<span class="fork" aria-hidden="true"></span>', "") for each in found]


def without_token(html: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", html)


def completion(content: object = "Hello", **more: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1795183339,
        "model": "some-model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": "stop",
            }
        ],
        **more,
    }


def stored(person: Person, document: object) -> UUID:
    return inspected(person, json.dumps(document).encode())


def saying(person: Person, content: object = "Hello", **more: Any) -> UUID:
    return stored(person, completion(content, **more))


def calling(person: Person, *calls: tuple[str, str]) -> UUID:
    document = completion(None)
    document["choices"][0]["finish_reason"] = "tool_calls"
    document["choices"][0]["message"]["tool_calls"] = [
        {"id": str(uuid4()), "type": "function", "function": {"name": name, "arguments": text}}
        for name, text in calls
    ]
    return stored(person, document)


def streamed(person: Person, *reads: tuple[int, str]) -> UUID:
    exchange = Exchange.of_reads([Read(at, text.encode()) for at, text in reads], SSE)
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def usage(prompt: object, completion: object, total: object, **more: object) -> dict[str, object]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    return {**{name: count for name, count in counts.items() if count != "absent"}, **more}


# -- who may look ----------------------------------------------------------------------------------


def test_the_team_compares_and_for_a_stranger_there_is_nothing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    ids = saying(owner), saying(owner)
    for person in (owner, teammate):
        assert headline(page(person, *ids)) == "Same answer. Nothing else differs."
    foreign = page(stranger, *ids, status=404)
    missing = page(stranger, uuid4(), uuid4(), status=404)
    assert without_token(foreign) == without_token(missing)
    assert Client().get(url(*ids)).status_code == 302


def test_one_side_that_is_another_teams_makes_page_missing(owner: Person, stranger: Person) -> None:
    ours, theirs = saying(owner), saying(stranger)
    for names in ((ours, theirs), (theirs, ours), (ours, ours, theirs)):
        page(owner, *dict.fromkeys(names), status=404)
    foreign, missing = page(owner, ours, theirs, status=404), page(owner, ours, uuid4(), status=404)
    assert without_token(foreign) == without_token(missing)


def test_whoever_is_in_two_teams_compares_across_them_and_sees_which_is_whose(
    owner: Person, stranger: Person
) -> None:
    ours, theirs = saying(owner), saying(stranger)
    owner.team.memberships.create(user=stranger.user, role="viewer")
    html = page(stranger, ours, theirs)
    assert headline(html).startswith("Same answer.")
    assert "Default</span>" in html and "Elsewhere</span>" in html


# -- addresses -------------------------------------------------------------------------------------


def test_an_address_that_names_nothing_is_refused_with_a_sentence(
    owner: Person, subtests: pytest.Subtests
) -> None:
    capture_id = saying(owner)
    for name, sentence in [
        ("nonsense", "is not a capture: enter its id or address"),
        ("{id}.", "is not a capture"),
        ("{id}.x", "is not a capture"),
        ("{id}.-1", "is not a capture"),
        ("{id}.12345678901", "is not a capture"),
        ("{id}@previous.2", "is not a capture"),
        ("{id}@first", "is not a capture"),
        ("/captures/{id}/%0Aof", "is not a capture"),
        ("{id}&id={id}", "was entered twice"),
    ]:
        with subtests.test(name=name, sentence=sentence):
            answer = owner.browser().get(f"{COMPARE}?id={name.format(id=capture_id)}")
            assert answer.status_code == 400
            assert sentence in words(answer.content.decode())


def test_more_than_two_are_refused_with_a_sentence(owner: Person) -> None:
    html = page(owner, *(uuid4() for _ in range(3)), status=400)
    assert "Two are compared at once; 3 were entered." in words(html)


def test_what_is_pasted_becomes_the_address_of_the_comparison(owner: Person) -> None:
    first, second = saying(owner), saying(owner)
    browser = owner.browser()
    for pasted, name in (
        (f" https://inspector.example/captures/{second}/ ", f"{second}"),
        (f"http://x/captures/{second}/?raw=hex%23choice-2", f"{second}.2"),
        (f"/captures/{second}/%23usage", f"{second}"),
        (f"{second}".upper(), f"{second}"),
    ):
        answer = browser.get(f"{COMPARE}?id={first}&id={pasted}&id=")
        assert answer.headers["Location"] == url(first, name)


def test_one_side_alone_and_none_ask_for_more(owner: Person) -> None:
    capture_id = saying(owner)
    assert headline(page(owner, capture_id)) == "One side. Add another one to compare with."
    assert headline(page(owner)) == "Enter two captures to compare."
    assert f'name="id" value="{capture_id}"' in page(owner, capture_id)


def test_sides_can_be_swapped_and_left_out(owner: Person) -> None:
    one, two = (saying(owner, text) for text in ("a", "b"))
    html = page(owner, one, two).replace("&amp;", "&")
    assert f'href="{url(two, one)}">Swap A and B' in html
    assert f'href="{url(two)}">Remove' in html


def test_a_choice_or_reading_that_is_not_there_is_missing_with_a_sentence(owner: Person) -> None:
    one, two = saying(owner), saying(owner)
    html = page(owner, one, f"{two}.7", status=404)
    assert f"Capture {str(two)[-12:]} has no choice 7; it has 1 choice." in words(html)
    html = page(owner, f"{one}@previous", one, status=404)
    assert "Capture" in words(html)


# -- sides that cannot be compared -----------------------------------------------------------------


def test_what_is_still_being_read_says_so(owner: Person) -> None:
    one = saying(owner)
    waiting = accept(owner)
    html = page(owner, one, waiting)
    assert "It is not analysed, so it is not compared." in words(html)
    assert headline(html).startswith("Nothing to compare yet")
    assert f'hx-get="/captures/{waiting}/state/?state=received"' in html


def test_what_was_given_up_says_why(owner: Person) -> None:
    one, given_up = saying(owner), accept(owner)
    Capture.objects.filter(id=given_up).update(
        state=State.QUARANTINED, attempt=3, quarantine_reason="It took over 40 s."
    )
    said = words(page(owner, given_up, one))
    assert "Three tries failed: it took over 40 s." in said
    assert "It is not analysed, so it is not compared." in said


def test_a_side_that_was_deleted_is_missing(owner: Person) -> None:
    one, two = saying(owner), saying(owner)
    deletion.delete(owner.principal, two)
    page(owner, one, two, status=404)


# -- models and prompts ----------------------------------------------------------------------------


def asking(person: Person, request: dict[str, Any] | bytes, model: str = "some-model") -> UUID:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    answer = Exchange.of_body(json.dumps(completion(model=model)).encode(), "application/json")
    exchange = msgspec.structs.replace(answer, request=Request(method="POST", body=body))
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


QUESTION = {"messages": [{"role": "user", "content": "Where is it?"}], "temperature": 0}


def test_models_stand_in_the_heads_and_where_they_differ_in_those_of_tables(owner: Person) -> None:
    one, two = asking(owner, QUESTION, "model-a"), asking(owner, QUESTION, "model-b")
    html = page(owner, one, two)
    assert re.findall(r'<p class="side-model"><b>(\w+)</b>\s+<code>([^<]+)', html) == [
        ("A", "model-a"),
        ("B", "model-b"),
    ]
    assert "value A model-a B model-b" in section(html, "about")
    same = page(owner, one, asking(owner, QUESTION, "model-a"))
    assert "value A B" in section(same, "about")


def test_equal_prompts_are_told_with_the_parameters_that_differ(owner: Person) -> None:
    one = asking(owner, {**QUESTION, "model": "a"})
    other = asking(owner, {**QUESTION, "model": "b", "temperature": 1, "seed": 7})
    html = page(owner, one, other)
    said = section(html, "prompt")
    assert "The same prompt on both sides: 1 message." in said
    assert "temperature 0 1" in said and "seed not sent 7" in said and "model &quot;a&quot;" in said
    assert "2 parameters differ" in headline(html) and "different prompt" not in headline(html)
    equal = section(page(owner, one, asking(owner, {**QUESTION, "model": "a"})), "prompt")
    assert equal == "Prompt The same prompt on both sides: 1 message; parameters are the same, too."


def test_different_prompts_are_compared_word_by_word(owner: Person) -> None:
    other = {"messages": [{"role": "user", "content": "Where was it?"}], "temperature": 0}
    html = page(owner, asking(owner, QUESTION), asking(owner, other))
    assert headline(html) == "Same answer. Different prompt."
    assert columns(html) == [
        "user:\nWhere <del>is</del> it?",
        "user:\nWhere <ins>was</ins> it?",
    ]


def test_one_prompt_in_two_formats_is_the_same(owner: Person) -> None:
    gemini = {"contents": [{"role": "user", "parts": [{"text": "Where is it?"}]}]}
    html = page(owner, asking(owner, QUESTION), asking(owner, gemini))
    assert "The same prompt on both sides" in section(html, "prompt")


def test_a_prompt_that_is_not_known_is_not_compared(owner: Person) -> None:
    html = page(owner, asking(owner, QUESTION), saying(owner))
    assert section(html, "prompt") == (
        "Prompt Prompts are not compared: the request of B is not known, or was not read."
    )
    assert "prompt" not in headline(html)


def test_prompts_of_requests_that_are_no_json_are_drawn_all_the_same(owner: Person) -> None:
    html = page(owner, asking(owner, b"--x"), asking(owner, b'{"messages":[{"role":"user","conte'))
    assert section(html, "prompt").startswith("Prompt")


# -- texts -----------------------------------------------------------------------------------------


def test_texts_are_compared_word_by_word(owner: Person) -> None:
    one = saying(owner, "Ship from Rotterdam today")
    html = page(owner, one, saying(owner, "Ship from Leipzig today"))
    assert headline(html) == "Different answer. Nothing else differs."
    assert columns(html) == [
        "Ship from <del>Rotterdam</del> today",
        "Ship from <ins>Leipzig</ins> today",
    ]
    same = page(owner, one, saying(owner, "Ship from Rotterdam today"))
    assert section(same, "texts") == "Answer The same on both: answer of 25 characters."


def test_the_same_answer_after_other_reasoning_is_told(owner: Person) -> None:
    documents = [completion(), completion()]
    for document, thought in zip(documents, ("short", "long"), strict=True):
        document["choices"][0]["message"]["reasoning_content"] = thought
    html = page(owner, *(stored(owner, document) for document in documents))
    assert headline(html) == "Same answer after different reasoning. Nothing else differs."
    assert columns(html) == ["<del>short</del>", "<ins>long</ins>"]


def test_reasoning_without_an_answer_is_no_same_answer(owner: Person) -> None:
    documents = [completion(None), completion(None), completion(None)]
    for document, thought in zip(documents, ("a", "a", "b"), strict=True):
        document["choices"][0]["message"]["reasoning_content"] = thought
    ids = [stored(owner, document) for document in documents]
    assert headline(page(owner, *ids[:2])).startswith("Same reasoning, no answer text.")
    assert headline(page(owner, *ids[1:])).startswith("Different reasoning, no answer text.")


def test_absent_null_and_empty_content_are_three_things(owner: Person) -> None:
    absent = completion()
    del absent["choices"][0]["message"]["content"]
    null, empty, pointer = saying(owner, None), saying(owner, ""), "/choices/*/message/content"
    html = page(owner, stored(owner, absent), null)
    assert f"{pointer} not sent null" in section(html, "fields")
    assert f"{pointer} null empty string" in section(page(owner, null, empty), "fields")


def test_choices_are_matched_by_their_index(owner: Person) -> None:
    one, two = completion(), completion()
    for document, texts in ((one, ("a", "b", "c")), (two, ("a", "x"))):
        document["choices"] = [
            {"index": n, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            for n, text in enumerate(texts)
        ]
    ids = stored(owner, one), stored(owner, two)
    html = page(owner, *ids)
    assert headline(html).startswith("Different answers in 2 of 3 choices.")
    said = section(html, "texts")
    assert "The same in 1 of 3 choices." in said
    assert "Choice 1 A b B x" in said
    assert headline(page(owner, f"{ids[0]}.1", ids[1])).startswith("Different answer.")
    alone = page(owner, f"{ids[0]}.1", f"{ids[1]}.1")
    assert columns(alone) == ["<del>b</del>", "<ins>x</ins>"]


def test_two_choices_of_one_capture_have_the_rest_in_common(owner: Person) -> None:
    capture_id = streamed(owner, *TWO_CHOICES)
    html = page(owner, f"{capture_id}.0", f"{capture_id}.1")
    assert headline(html) == "Different answer. Result answered and truncated."
    assert "Choices of one capture share usage, times and findings." in html
    assert section(html, "usage") == section(html, "findings") == ""
    html = page(owner, capture_id, f"{capture_id}.0").replace("&amp;", "&")
    assert f'href="{url(f"{capture_id}.1", f"{capture_id}.0")}">1</a>' in html


@pytest.mark.thorough
def test_two_hundred_choices_and_long_texts_are_drawn_or_refused_with_a_sentence(
    owner: Person,
) -> None:
    documents = [completion(), completion()]
    for document, word in zip(documents, ("one", "two"), strict=True):
        document["choices"] = [
            {"index": n, "message": {"content": f"{n} " * 3_000 + word}, "finish_reason": "stop"}
            for n in range(200)
        ]
    html = page(owner, *(stored(owner, document) for document in documents))
    assert headline(html).startswith("Different answers in 200 of 200 choices.")
    said = section(html, "texts")
    assert "The first 100 that differ are shown." in said
    assert "the page has too many differences. Compare it alone." in said
    assert len(html) < 3_000_000


@pytest.mark.thorough
def test_five_megabytes_are_compared_where_they_part(owner: Person) -> None:
    text = "word " * 1_000_000
    html = page(owner, saying(owner, text), saying(owner, f"{text[:2_000_000]}other {text}"))
    said = section(html, "texts")
    assert "Too long to compare on a page: 5,000,000 and 7,000,006 characters." in said
    assert "They differ from character 2,000,001." in said
    assert "<ins>other" in html and len(html) < 200_000


def test_what_was_not_compared_is_not_called_the_same(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readouts, "SMALL_BYTES", 0)
    monkeypatch.setattr(readouts, "READOUT_BYTES", 0)
    text = "word " * 20_000
    html = page(owner, saying(owner, f"{text}one"), saying(owner, f"{text}two"))
    assert headline(html) == (
        "Same answer in the first 65,536 characters. Nothing else differs in the stored analyses."
    )
    assert "Of each text the first 65,536 characters are compared" in section(html, "texts")
    assert "is too large to be kept" in section(html, "fields")
    assert "Too large to be kept whole: without all of /choices/0/content" in words(html)


# -- tool calls ------------------------------------------------------------------------------------


def test_arguments_are_compared_value_by_value(owner: Person) -> None:
    one = calling(owner, ("find", '{"city": "Bonn", "days": 1, "to": [1, 2]}'))
    html = page(owner, one, calling(owner, ("find", '{"days": 1.0, "city": "Rome", "to": [2]}')))
    assert headline(html) == "No answer text. The tool call differs."
    said = section(html, "calls")
    assert (
        "/city &quot;Bonn&quot; &quot;Rome&quot; differs" in said and "/days 1 1.0 differs" in said
    )
    assert "/to/0 1 not sent only in A" in said and "/to/1 2 2 equal" in said


def test_two_spellings_of_one_instant_are_equal_and_two_times_without_a_zone_differ(
    owner: Person,
) -> None:
    one = calling(owner, ("book", '{"at": "2026-11-20T16:30:00+01:00", "by": "2026-11-20T16:30"}'))
    two = calling(owner, ("book", '{"at": "2026-11-20T15:30:00Z", "by": "2026-11-20T16:30:00"}'))
    said = section(page(owner, one, two), "calls")
    assert "T15:30:00Z&quot; equal instant" in said and said.endswith("differs")


def test_arguments_that_are_the_same_or_no_json_say_so(
    owner: Person, subtests: pytest.Subtests
) -> None:
    for before, after, sentence in [
        ('{"a": 1}', '{"a": 1}', "The same call on both sides: name and arguments."),
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}', "The same values, written differently."),
        ('{"a": 1}', '{"a": ', "Compared as text: arguments are valid JSON on the one"),
        ("{a}", "{b}", "Compared as text: arguments are not valid JSON."),
    ]:
        with subtests.test(before=before, after=after, sentence=sentence):
            html = page(owner, calling(owner, ("find", before)), calling(owner, ("find", after)))
            assert sentence in section(html, "calls")


def test_calls_are_matched_by_name_in_their_order(owner: Person) -> None:
    one = calling(owner, ("find", "{}"), ("book", '{"a": 1}'))
    html = page(owner, one, calling(owner, ("find", "{}"), ("pay", "{}"), ("book", '{"a": 1}')))
    said = section(html, "calls")
    assert "2 of 3 calls are the same: name and arguments." in said
    assert "pay Only on B, with 2 characters of arguments." in said
    assert headline(html) == "No answer text. 1 tool call only in B."
    renamed = section(page(owner, one, calling(owner, ("look", "{}"), ("book", "{}"))), "calls")
    assert "find → look Same arguments, 2 characters." in renamed
    assert section(page(owner, saying(owner), saying(owner)), "calls") == ""


# -- usage, findings, fields --------------------------------------------------------------------


def test_counts_are_compared_and_absent_null_and_zero_are_three_things(owner: Person) -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 0}}
    one = saying(owner, usage=usage(9, 12, 21, **details))
    two = saying(
        owner, usage=usage(9, 21, 30, completion_tokens_details={"reasoning_tokens": None})
    )
    html = page(owner, one, two)
    said = section(html, "usage")
    assert "total_tokens 21 30 +9" in said
    assert "prompt_tokens 9 9" in said
    assert "reasoning_tokens 0 null" in said
    assert headline(html).startswith("Same answer. Usage differs in 3 counts")
    bare = saying(owner, usage=usage(9, 12, 21))
    assert "reasoning_tokens 0 not sent" in section(page(owner, one, bare), "usage")
    same = section(page(owner, one, saying(owner, usage=usage(9, 12, 21, **details))), "usage")
    assert "The same on both: 4 counts." in same
    assert headline(page(owner, saying(owner), one)).startswith(
        "Same answer. Usage only in B; 1 finding only in A."
    )
    bare = section(page(owner, saying(owner), saying(owner)), "usage")
    assert "No usage was sent on any side." in bare


def test_tokens_are_pairs_of_bars_where_both_sides_have_a_number(owner: Person) -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 4}}
    one = saying(owner, usage=usage(9, 12, 21, **details))
    said = section(page(owner, one, saying(owner, usage=usage(18, 24, 42))), "usage")
    assert "Prompt tokens A 9 B 18" in said
    assert "Completion tokens A 12 B 24 reasoning, only A not reasoning" in said
    said = section(page(owner, one, saying(owner, usage=usage(18, "absent", 42))), "usage")
    assert "Prompt tokens A 9 B 18" in said and "Completion tokens" not in said


def test_stated_costs_are_compared_exactly(owner: Person) -> None:
    documents = [completion(), completion()]
    for document, cost in zip(documents, ("0.10", "0.3"), strict=True):
        document |= {"provider": "Parcel", "id": "gen-1795183339-0123456789abcdefghij"}
        document["usage"] = usage(1, 1, 2, cost=float(cost))
    said = section(page(owner, *(stored(owner, each) for each in documents)), "usage")
    assert "cost 0.1 0.3 +0.2" in said


def test_findings_of_one_side_and_of_both(owner: Person) -> None:
    one, two = saying(owner, created=1, usage=usage(9, 12, 22)), saying(owner, created=1)
    html = page(owner, one, two)
    said = section(html, "findings")
    assert "envelope.created-out-of-range" in said and "usage.total-mismatch" in said
    assert "1 finding only in A, 1 only in B" in headline(html)
    assert "The same on both" in section(page(owner, two, saying(owner, created=1)), "findings")


def test_other_fields_are_compared_and_volatile_ones_only_shown(owner: Person) -> None:
    one = saying(owner, id="chatcmpl-a", created=1795183339, tier={"name": "fast"})
    two = saying(owner, id="chatcmpl-b", created=1795183400, tier={"name": "slow"})
    html = page(owner, one, two)
    assert headline(html) == "Same answer. 1 other field differs."
    assert "/tier/name fast slow" in section(html, "fields")
    assert re.search(r'<tr class="muted">\s*<th[^>]*>\s*<code\s*>/id</code>', html)
    assert re.search(r'<tr class="differs">\s*<th[^>]*>\s*<code\s*>/tier/name</code>', html)


def test_texts_that_look_like_other_values_stand_in_quotation_marks(owner: Person) -> None:
    html = page(owner, saying(owner, x="1", y="null"), saying(owner, x=1, y=None))
    said = section(html, "fields").replace("&quot;", '"')
    assert '/x "1" 1' in said and '/y "null" null' in said


@pytest.mark.parametrize(
    ("pointer", "volatile"),
    [
        ("/id", True),
        ("/created", True),
        ("/system_fingerprint", True),
        ("/choices/0/feedback_token", True),
        ("/choices/0/duration_seconds", True),
        ("/usage/queue_time", True),
        ("/timings/prompt_n", True),
        ("/tokens_per_second", True),
        ("/choices/0/finish_reason", False),
        ("/service_tier", False),
        ("/estimated", False),
        ("/items", False),
    ],
)
def test_what_differs_from_one_response_to_the_next_is_known(pointer: str, volatile: bool) -> None:
    assert is_volatile(pointer) is volatile


# -- time ------------------------------------------------------------------------------------------


def told(first_us: int, last_us: int) -> tuple[tuple[int, str], ...]:
    return (
        (first_us, chunk(delta(0, role="assistant", content="Hel"))),
        (last_us, chunk(delta(0, "stop", content="lo")) + DONE),
    )


def test_times_stand_beside_each_other_and_are_drawn_on_one_scale(owner: Person) -> None:
    html = page(
        owner, streamed(owner, *told(100_000, 500_000)), streamed(owner, *told(300_000, 1_250_000))
    )
    said = section(html, "timing")
    assert "first content 0.100 s 0.300 s +0.200 s" in said
    assert "duration 0.500 s 1.250 s +0.750 s" in said
    assert 'aria-label="content from 0.100 s, ends at 0.500 s"' in html
    assert '<rect class="content" x="8.0%" y="5" width="32.0%"' in html
    assert headline(html) == "Same answer. Nothing else differs."


def test_timed_streams_are_replayed_on_one_clock(owner: Person) -> None:
    first, second = (streamed(owner, *told(100_000, end)) for end in (500_000, 900_000))
    html = page(owner, first, second)
    boxes = re.findall(r'<div class="lanes" data-src="/captures/([^/]+)/timeline.json">', html)
    assert boxes == [str(first), str(second)]


def test_one_timed_stream_alone_is_not_replayed(owner: Person) -> None:
    timed = streamed(owner, *told(100_000, 500_000))
    for other in (saying(owner), inspected(owner, STREAM, SSE), f"{timed}.0"):
        html = page(owner, timed, other)
        assert 'class="replay"' not in html
        assert "Not replayed" not in html


def test_times_that_nobody_noted_are_not_invented(owner: Person) -> None:
    timed = streamed(owner, *told(100_000, 500_000))
    html = page(owner, timed, saying(owner))
    assert "duration 0.500 s unknown" in section(html, "timing")
    assert "one-clock" not in html, "a chart of one side compares nothing"
    untimed = section(page(owner, saying(owner), saying(owner)), "timing")
    assert untimed.endswith("No arrival times were recorded.")


def test_a_whole_and_a_streamed_answer_are_compared_as_completions(owner: Person) -> None:
    html = page(owner, inspected(owner, STREAM, SSE), inspected(owner, WHOLE))
    assert headline(html).startswith("Same answer. A was streamed, B was not;")


# -- before and after ------------------------------------------------------------------------------


def test_a_reading_that_was_replaced_is_compared_with_the_one_of_now(
    owner: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    grow_old(capture_id, choices=(Choice(index=0, content="Hallo"),), model="older", vendor="groq")
    read_everything_again()
    html = page(owner, f"{capture_id}@previous", capture_id)
    told = headline(html)
    assert told.startswith(
        f"Different answer. One capture, analysis versions 0 and {ANALYSIS_VERSION};"
    )
    assert "another model answered; another vendor" in told
    assert columns(html) == ["<del>Hallo</del>", "<ins>Hello</ins>"]
    assert "Earlier analysis, version 0." in words(html)
    page(stranger, f"{capture_id}@previous", capture_id, status=404)


# -- ways to it ------------------------------------------------------------------------------------


def test_selected_rows_lead_to_their_comparison_the_oldest_first(
    owner: Person, stranger: Person
) -> None:
    older, newer = saying(owner), saying(owner)
    path, chosen = "/t/default/captures/compare/", {"capture": [str(newer), str(older)]}
    browser = owner.browser()
    assert browser.post(path, chosen).headers["Location"] == url(older, newer)
    by_script = browser.post(path, chosen, headers={"HX-Request": "true"})
    assert by_script.headers["HX-Redirect"] == url(older, newer)
    assert stranger.browser().post(path, chosen).status_code == 404
    sentence = "Select two captures to compare them."
    for headers, status in (({}, 400), ({"HX-Request": "true"}, 200)):
        answer = browser.post(path, {"capture": [str(newer)]}, headers=headers)
        assert answer.status_code == status and sentence in words(answer.content.decode())


# -- what anybody wrote ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_inert(owner: Person, text: str) -> None:
    one, two = stored(owner, everywhere(text)), stored(owner, everywhere(f"x{text}"))
    assert_inert(page(owner, one, two))
    answer = owner.browser().get(COMPARE, {"id": text.encode("utf-8", "replace").decode()})
    assert answer.status_code == 400
    assert_inert(answer.content.decode())


# -- formats with a table of their own -------------------------------------------------------------


def message(text: str, **more: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "id": f"toolu_{text}", "name": "rain", "input": {"place": text}}
    content = [{"type": "text", "text": text}, call]
    return {
        "id": f"msg_{text}",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": len(text)},
        **more,
    }


def test_of_messages_made_of_parts_the_other_fields_are_those_of_no_section(owner: Person) -> None:
    one = stored(owner, message("Bergen", container="a"))
    html = page(owner, one, stored(owner, message("Oslo", container="b")))
    said = section(html, "fields")
    assert "/container a b" in said and "1 other field differs" in headline(html)
    for pointer in ("/content/0/text", "/content/1/", "/usage", "/stop_reason", "/model"):
        assert pointer not in said


def test_of_several_candidates_one_is_compared_by_its_index(owner: Person) -> None:
    parts = {"parts": [{"text": "Wet."}]}
    candidates = [
        {"index": 0, "content": parts, "mood": "calm"},
        {"index": 1, "content": parts, "mood": "glad"},
    ]
    one = stored(owner, {"candidates": candidates, "responseId": "r1"})
    html = page(owner, f"{one}.0", f"{one}.1")
    assert "/candidates/*/mood calm glad" in section(html, "fields")


def test_fields_of_different_formats_are_not_compared(owner: Person) -> None:
    html = page(owner, saying(owner), stored(owner, message("Hello")))
    assert "Not compared: chat completion and Anthropic message have fields of" in section(
        html, "fields"
    )


def test_the_headline_says_how_much_slower_one_was_where_both_times_are_known(
    owner: Person,
) -> None:
    first, second = (streamed(owner, *told(100_000, end)) for end in (500_000, 900_000))
    assert "B is 0.40 s slower." in words(page(owner, first, second))
    assert "B is 0.40 s faster." in words(page(owner, second, first))
    assert "slower" not in words(page(owner, first, saying(owner)))


def test_the_headline_weighs_the_cost_of_one_against_the_other(
    owner: Person, subtests: pytest.Subtests
) -> None:
    first = saying(owner, model="gpt-4o", usage=usage(0, 100, 100))
    for tokens, sentence in (
        (200, "B costs 2.0 times as much."),
        (2_500, "B costs 25 times as much."),
        (150, "B costs 50 % more."),
        (25, "B costs 75 % less."),
    ):
        with subtests.test(tokens=tokens):
            second = saying(owner, model="gpt-4o", usage=usage(0, tokens, tokens))
            html = page(owner, first, second)
            assert sentence in words(html)
            assert "cost, computed" in section(html, "usage")


def test_an_answer_that_goes_on_where_the_other_ends_is_marked(owner: Person) -> None:
    short, long = saying(owner, "one two"), saying(owner, "one two three four five six")
    html = page(owner, short, long)
    assert headline(html).startswith("B goes on where A ends, for 20 characters.")
    assert columns(html) == ["one two", "one two<ins> three four five six</ins>"]
    assert "marked words are only in this column" in words(html)
    assert headline(page(owner, long, short)).startswith("A goes on where B ends")


def test_what_belongs_together_is_one_section(owner: Person) -> None:
    first = streamed(owner, *told(100_000, 500_000))
    html = page(owner, first, saying(owner, "Other", usage=usage(1, 2, 3), system_fingerprint="f"))
    assert re.findall(r'<a href="#compare-(\w+)"', html) == ["texts", "spent", "findings", "rest"]


def test_marks_are_left_out_where_little_is_common(owner: Person) -> None:
    alike = page(owner, saying(owner, "one two three four"), saying(owner, "one two three five"))
    assert "marked words are only in this column" in words(alike)
    unlike = page(owner, saying(owner, "one two three four"), saying(owner, "six seven eight"))
    assert "marked words" not in words(unlike) and 'columns-beside unmarked"' in unlike


def test_a_text_of_one_side_alone_stands_beside_none(owner: Person) -> None:
    html = page(owner, saying(owner, "one two three"), saying(owner, ""))
    assert "A one two three B none" in section(html, "texts")
    assert 'class="fork"' not in html


def test_an_answer_after_reasoning_has_its_name(owner: Person) -> None:
    thought = completion()
    thought["choices"][0]["message"]["reasoning_content"] = "It is short."
    said = section(page(owner, stored(owner, thought), saying(owner, "Elsewhere.")), "texts")
    assert "reasoning A It is short. B none answer A" in said
