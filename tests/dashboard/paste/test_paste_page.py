"""Inspecting without storing, by the form that every browser can send."""

import json
import re
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from inspector.archive import queries
from inspector.archive.models import Capture
from inspector.archive.storage.disk_space import DiskNearlyFull
from inspector.dashboard.paste.examples import EXAMPLES
from inspector.teams.models import Membership, Role
from tests.archive.samples import STREAM, WHOLE
from tests.dashboard.capture.samples import TWO_CHOICES
from tests.dashboard.paste.test_pasted import ENVELOPE, READS
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert, everywhere
from tests.people import Person, make_person
from tests.transfer.test_har import entry, log

PASTE = "/paste/"
STORE = "/t/default/paste/"
SCRIPT = {"HX-Request": "true"}


def file(content: bytes, name: str = "response.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def posted(person: Person, status: int = 200, headers: Any = None, **fields: Any) -> str:
    answer = person.browser().post(PASTE, fields, headers=headers or {})
    assert answer.status_code == status
    return str(answer.content.decode())


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html)))


def store_form(html: str) -> dict[str, str]:
    """What the button below the result sends."""
    form = re.search(r'<form class="act".*?</form>', html, re.DOTALL)
    assert form
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form.group())
    return {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}


def body_of(person: Person) -> bytes:
    capture = Capture.objects.get()
    exchange = queries.for_principal(person.principal).evidence(capture.pk)
    assert exchange is not None
    return exchange.body


def test_a_text_is_read_and_nothing_is_stored(owner: Person) -> None:
    said = words(posted(owner, text=WHOLE.decode()))
    assert "Answered." in said
    assert "Hello" in said
    assert "3 in, 2 out" in said
    assert "Store in Default" in said
    assert not Capture.objects.exists()


@pytest.mark.parametrize(
    "text", [WHOLE.decode()[:-1] + ",}", WHOLE.decode()[:-1] + "\n....}", repr(json.loads(WHOLE))]
)
def test_an_answer_as_documents_or_python_print_it_shows_what_it_says(
    owner: Person, text: str
) -> None:
    said = words(posted(owner, text=text))
    assert "choices, usage and model on this page are read from it" in said
    assert "Hello" in said.partition("Choices")[2]
    assert "3 in, 2 out" in said


def test_storing_is_an_act_of_its_own_and_ends_at_the_permalink(owner: Person) -> None:
    sent = store_form(posted(owner, text=WHOLE.decode()))
    answer = owner.browser().post(STORE, sent)
    capture = Capture.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == f"/captures/{capture.pk}/"
    assert (body_of(owner), capture.state, capture.key_id) == (WHOLE, "received", None)


@pytest.mark.parametrize("content", [WHOLE, b"a\r\nb\rc\n", b"\xff\x00\xfe", STREAM, b" "])
def test_a_file_is_read_shown_and_stored_byte_for_byte(owner: Person, content: bytes) -> None:
    html = posted(owner, file=file(content))
    assert f"{len(content):,} byte" in words(html)
    owner.browser().post(STORE, store_form(html))
    assert body_of(owner) == content


def test_the_line_ends_of_a_form_are_those_of_the_box_and_the_page_says_so(owner: Person) -> None:
    html = posted(owner, text="data: 1\r\n\r\ndata: [DONE]\r\n\r\n")
    assert "with LF as line ends" in words(html)
    owner.browser().post(STORE, store_form(html))
    assert body_of(owner) == b"data: 1\n\ndata: [DONE]\n\n"


def test_a_script_sends_bytes_and_gets_the_result_alone(owner: Person) -> None:
    html = posted(owner, file=file(WHOLE, "bytes"), name="", headers=SCRIPT)
    assert "<!doctype html>" not in html
    assert 'name="carried"' not in html
    sent = {**store_form(html), "file": file(WHOLE, "bytes")}
    answer = owner.browser().post(STORE, sent, headers=SCRIPT)
    assert answer["HX-Redirect"] == f"/captures/{Capture.objects.get().pk}/"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DiskNearlyFull("full"), "its disk is nearly full"),
        (OperationalError("locked"), "database is busy"),
    ],
)
def test_what_cannot_be_stored_now_is_said(owner: Person, error: Exception, reason: str) -> None:
    sent = store_form(posted(owner, text=WHOLE.decode()))
    with patch("inspector.archive.intake.submission.accept", side_effect=error):
        answer = owner.browser().post(STORE, sent)
    assert answer.status_code == 503
    assert reason in words(answer.content.decode())
    assert not Capture.objects.exists()


def test_other_bytes_than_those_shown_are_not_stored(owner: Person) -> None:
    sent = {**store_form(posted(owner, text="a")), "carried": "Yg=="}
    answer = owner.browser().post(STORE, sent)
    assert answer.status_code == 409
    assert "changed since it was shown" in answer.content.decode()
    assert not Capture.objects.exists()


def test_a_viewer_is_not_offered_to_store(owner: Person) -> None:
    assert "Store in" in posted(owner, text="a")
    assert "Store in" not in posted(make_person("vera", "default", Role.VIEWER), text="a")


def test_a_teammate_stores_and_the_owner_sees_it(owner: Person, teammate: Person) -> None:
    teammate.browser().post(STORE, store_form(posted(teammate, text="a")))
    assert body_of(owner) == b"a"


def test_whoever_is_in_two_teams_chooses_where(owner: Person, stranger: Person) -> None:
    Membership.objects.create(user=owner.user, team=stranger.team, role=Role.MEMBER)
    html = posted(owner, text="a")
    assert 'formaction="/t/default/paste/"' in html
    assert 'formaction="/t/elsewhere/paste/"' in html


def test_the_name_of_another_team_leads_nowhere(owner: Person, stranger: Person) -> None:
    browser = owner.browser()
    assert browser.get(f"{PASTE}?team=default").status_code == 200
    assert browser.get(f"{PASTE}?team=elsewhere").status_code == 404
    assert browser.get(f"{PASTE}?team=never-was").status_code == 404


def test_a_har_offers_its_entries(owner: Person) -> None:
    other = entry(content={"mimeType": "text/plain", "text": "nothing of ours"}, headers=[])
    content = json.dumps(log(other, entry())).encode()
    html = posted(owner, file=file(content, "all.har"))
    said = words(html)
    assert "Answered." in said and "0: POST api.example/v1/chat, 200" in said
    assert "hunter2" not in html.partition('id="result"')[2]
    assert store_form(html)["entry"] == "1"
    chosen = {**store_form(html), "entry": "0"}
    assert "Not a response." in words(posted(owner, **chosen))
    owner.browser().post(STORE, store_form(html))
    capture = Capture.objects.get()
    assert (body_of(owner), capture.status_code, capture.request_method) == (WHOLE, 200, "POST")
    assert capture.started_at is not None
    assert "har" in capture.metadata


def test_an_envelope_and_a_recording_of_reads_are_opened(owner: Person) -> None:
    assert "From an exchange envelope." in words(posted(owner, file=file(ENVELOPE)))
    reads = b"".join(
        json.dumps({"at_us": at, "data": text}).encode() + b"\n" for at, text in TWO_CHOICES
    )
    said = words(posted(owner, file=file(reads, "two.reads.jsonl")))
    assert "From a recording of reads." in said
    assert "0.600 s" in said and "Ship from Rotterdam." in said


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"response": {"body": 1}}', "Expected"),
        (READS + b"{}\n", "The recording of reads, line 3"),
        (b'{"log": {"entries": []}, "response": 1}', "The HAR holds no entry"),
        (json.dumps(entry(content={})).encode(), "This entry holds no body"),
    ],
)
def test_what_is_meant_and_broken_is_told_in_a_sentence(
    owner: Person, content: bytes, sentence: str
) -> None:
    said = words(posted(owner, status=422, file=file(content)))
    assert f"Not analysed. {sentence}" in said
    assert "choose “bytes as they are”" in said
    assert "Not read" not in posted(owner, file=file(content), read_as="bytes")


def test_what_a_page_carried_and_came_back_broken_is_told(owner: Person) -> None:
    assert "paste it again" in posted(owner, status=400, carried="é")


def test_too_much_is_told_with_its_limit(owner: Person, settings: Any) -> None:
    settings.MAX_BODY_BYTES = 10
    assert "over the limit of 10 bytes" in posted(owner, status=413, text="a" * 11)
    assert "over the limit of 10 bytes" not in posted(owner, text="a" * 10)


def test_nothing_pasted_is_no_mistake(owner: Person) -> None:
    assert "Results appear here" in words(posted(owner, text=""))
    assert "Results appear here" in words(posted(owner, headers=SCRIPT))


def test_a_choice_that_is_none_is_as_if_nothing_was_chosen(owner: Person) -> None:
    html = posted(owner, text=WHOLE.decode(), content_type="text/evil", read_as="x", entry="-1")
    assert "Answered." in html


def test_what_a_person_says_of_it_is_used_and_stored(owner: Person) -> None:
    html = posted(owner, text="x", content_type="text/plain", read_as="openai-chat")
    owner.browser().post(STORE, store_form(html))
    capture = Capture.objects.get()
    assert (capture.content_type, capture.dialect_hint) == ("text/plain", "openai-chat")


@pytest.mark.parametrize(
    ("name", "content_type"),
    [("a.sse", "text/event-stream"), ("a.JSON", "application/json"), ("a", None), ("json", None)],
)
def test_the_ending_of_a_file_says_what_it_is(
    owner: Person, name: str, content_type: str | None
) -> None:
    owner.browser().post(STORE, store_form(posted(owner, file=file(b"x", name))))
    assert Capture.objects.get().content_type == content_type


def test_a_stream_without_times_has_no_timeline(owner: Person) -> None:
    assert 'id="timeline"' not in posted(owner, text=STREAM.decode())
    assert 'id="timeline"' in posted(owner, file=file(READS))


def test_lines_with_findings_are_named_for_the_box(owner: Person) -> None:
    broken = '{"object":"chat.completion",\n"choices":[{"message":{"content":"Hi",\n}}]}'
    html = posted(owner, text=broken)
    assert 'data-marks="2:error"' in html
    assert 'href="#line-2"' in html and 'id="line-2"' in html


def test_a_page_without_an_address_of_its_own_links_to_none(owner: Person) -> None:
    for content in (STREAM, b"".join([STREAM[:-14]] * 40), READS, WHOLE):
        html = posted(owner, file=file(content))
        assert "/captures/" not in html.replace("/t/default/captures/", "")


def test_the_text_comes_back_only_where_it_stays_the_same(owner: Person) -> None:
    assert "\nhello</textarea>" in posted(owner, text="hello")
    for content in (b"a\r\nb", b"\xff", "a\u202eb".encode(), b"x" * 600_000):
        assert "autofocus>\n</textarea>" in posted(owner, file=file(content))


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_inert(owner: Person, text: str) -> None:
    sent = text.encode("utf-8", "replace").decode()
    told = json.dumps(log(entry(content={"text": text}, status=200), entry())).encode()
    for content in (json.dumps(everywhere(text)).encode(), sent.encode(), told):
        answer = owner.browser().post(PASTE, {"file": file(content, sent), "name": sent})
        assert answer.status_code in (200, 422)
        assert_inert(answer.content.decode())
    assert_inert(posted(owner, text=sent))


def test_of_a_text_with_several_responses_each_is_offered_and_read_alone(owner: Person) -> None:
    content = b"Whole:\n\n" + WHOLE + b"\n\nStreamed:\n\n" + STREAM
    html = posted(owner, file=file(content))
    said = words(html)
    assert "none was chosen" in said
    assert "an answer, line 3" in said and "a stream of" in said
    assert "entry" not in store_form(html)
    one = posted(owner, **{**store_form(html), "entry": "0"})
    assert "Answered." in words(one) and "Hello" in words(one)
    assert store_form(one)["entry"] == "0"
    owner.browser().post(STORE, store_form(one))
    assert body_of(owner) == WHOLE


def test_the_address_of_the_page_may_name_the_response_that_is_read(owner: Person) -> None:
    content = b"Whole:\n\n" + WHOLE + b"\n\nStreamed:\n\n" + STREAM
    page = owner.browser().get(f"{PASTE}?part=1").content.decode()
    (address,) = re.findall(r'<form id="paste"[^>]* action="([^"]+)"', page)
    assert address.endswith("&amp;part=1")
    answer = owner.browser().post(unescape(address), {"file": file(content)})
    assert store_form(answer.content.decode())["entry"] == "0"
    answer = owner.browser().post(f"{PASTE}?part=2", {"file": file(content), "entry": "0"})
    assert store_form(answer.content.decode())["entry"] == "0"


def test_a_number_that_no_part_has_reads_the_text_as_it_is(owner: Person) -> None:
    said = words(posted(owner, file=file(b"a\n" + WHOLE + b"\n" + WHOLE), entry="7"))
    assert "none was chosen" in said


# -- files with many answers -----------------------------------------------------------------------

OTHER = WHOLE.replace(b"Hello", b"Goodbye")
BATCH = (
    b"".join(
        b'{"id":"b%d","custom_id":"row %d","response":{"status_code":200,"body":%s},"error":null}\n'
        % (number, number, answer.replace(b"\n", b""))
        for number, answer in enumerate((WHOLE, OTHER))
    )
    + b'{"id":"b2","custom_id":"late","response":null,"error":{"code":"batch_expired"}}\n{broken\n'
)


def test_a_file_of_another_program_offers_its_answers(owner: Person) -> None:
    html = posted(owner, file=file(BATCH, "output.jsonl"))
    said = words(html)
    assert "From output of an OpenAI batch, entry" in said
    assert "2 answers, 1 entry without one, 1 unreadable (entry 4: " in said
    assert "Not known of such a file: times, and the request." in said
    assert "Hello" in said
    assert "Goodbye" in words(posted(owner, file=file(BATCH), entry="2"))
    assert not Capture.objects.exists()


def test_all_answers_of_a_file_are_stored_once(owner: Person) -> None:
    fields = store_form(posted(owner, file=file(BATCH)))
    for told in (
        "2 captures stored, 1 not readable.",
        "0 captures stored, 2 stored before, 1 not readable.",
    ):
        answer = owner.browser().post(STORE, {**fields, "all": "yes"})
        assert answer.status_code == 200
        assert told in words(answer.content.decode())
    assert Capture.objects.count() == 2
    assert {capture.metadata["custom_id"] for capture in Capture.objects.all()} == {
        "row 0",
        "row 1",
    }


def test_one_answer_of_a_file_is_stored_alone(owner: Person) -> None:
    fields = store_form(posted(owner, file=file(BATCH), entry="2"))
    assert owner.browser().post(STORE, fields).status_code == 302
    assert body_of(owner) == OTHER.replace(b"\n", b"")


def test_all_calls_of_a_har_are_stored_without_the_rest_of_the_page(owner: Person) -> None:
    style = entry(
        headers=[{"name": "content-type", "value": "text/css"}],
        content={"mimeType": "text/css", "text": "p{}"},
    )
    style["request"] |= {"method": "GET", "url": "https://app.example/style.css"}
    del style["request"]["postData"]
    content = json.dumps(log(style, entry())).encode()
    fields = store_form(posted(owner, file=file(content, "all.har")))
    said = words(owner.browser().post(STORE, {**fields, "all": "yes"}).content.decode())
    assert "1 capture stored." in said
    assert "hunter2" not in repr(Capture.objects.get().metadata)
    assert b"hunter2" not in body_of(owner)


def test_a_response_alone_is_no_file_of_many(owner: Person) -> None:
    fields = store_form(posted(owner, text=WHOLE.decode()))
    answer = owner.browser().post(STORE, {**fields, "all": "yes"})
    assert answer.status_code == 422
    assert not Capture.objects.exists()


def test_a_file_with_no_answer_says_why(owner: Person) -> None:
    late = (
        b'{"id":"b2","custom_id":"late","response":{"status_code":200,"body":null},"error":null}\n'
    )
    said = words(posted(owner, 422, file=file(late)))
    assert (
        "No answer could be read in output of an OpenAI batch: entry 1: the response has no body."
        in said
    )


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS[:3])
def test_what_a_file_says_is_text(owner: Person, hostile: str) -> None:
    line = json.dumps(
        {"custom_id": hostile, "response": {"status_code": hostile, "body": {}}, "error": None}
    )
    html = posted(owner, file=file(BATCH + line.encode() + b"\n"))
    assert_inert(html)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cut-call", "Truncated. The arguments of book_table stop mid-JSON"),
        ("two-answers", "Truncated."),
        ("error", "Provider error. This model's maximum context length is 128000 tokens."),
    ],
)
def test_an_example_is_read_as_if_it_had_been_pasted(owner: Person, name: str, told: str) -> None:
    empty = owner.browser().get("/paste/").content.decode()
    assert f"/paste/?example={name}" in empty
    page = owner.browser().get(f"/paste/?example={name}").content.decode()
    assert told in words(page)
    assert EXAMPLES[name].body.decode() in unescape(page)
    assert not Capture.objects.exists()


def test_an_example_that_there_is_not_leaves_the_page_empty(owner: Person) -> None:
    assert "Results appear here." in owner.browser().get("/paste/?example=none").content.decode()
