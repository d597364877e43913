"""Ordinary pages as whoever has a link sees them: the response, and of its team nothing."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn
from uuid import UUID

import msgspec
import pytest
from django.test import Client

from inspector.archive import body_deletion, queries
from inspector.archive.intake.submission import Submission
from inspector.archive.readers import on_demand, visitor_cache
from inspector.core.redaction import json_tokens
from inspector.core.redaction.body_masking import overwritten_body
from inspector.core.request import request_echo
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import StatementTimeout
from inspector.sharing import opening
from inspector.sharing.models import Share
from inspector.sharing.shares import NewShare
from inspector.web.token_buckets import TokenBuckets
from tests.archive.calls import begun, call
from tests.archive.samples import JSON, WHOLE, accept_arrival, inspect_all
from tests.core.telemetry_records import CHAT, HELLO, document, span
from tests.markup import evened
from tests.people import Person
from tests.sharing.shared import STREAM, below, captured, listed, made, text_of, token_of, visit
from tests.tiers import mostly_thorough

PARTS = (
    *("", "panels/choices/", "panels/tool_calls/", "panels/usage/", "panels/findings/"),
    *("panels/timeline/", "panels/exchange/", "panels/extras/", "panels/logprobs/"),
    *("panels/raw/", "panels/raw/?raw=all", "panels/raw/?raw=hex", "panels/raw/?raw=tree"),
    *("panels/raw/?raw=request", "?raw=request", "?show=prompt", "?prompt=0", "?list=q%3DPROMPT"),
    *("timeline.json", "timeline/", "lines/", "raw/", "tree/", "around/", "state/?state=x"),
    *("find/?q=CANARY", "find/?q=PROMPT", "trace/?lane=0&start=0&end=5"),
    "choices/0/content.txt",
)
OF_THE_TEAM = ("NOTE-CANARY", "TAG-CANARY", "META-CANARY", "KEY-CANARY", "Default", "default")
OF_THE_REQUEST = ("PROMPT-CANARY", "TOOL-CANARY", "SCHEMA-CANARY", "Be brief", "llm.example")
REPEATING = (
    b'{"id":"resp_1","object":"response","created_at":1700000000,"status":"completed",'
    b'"model":"gpt-5","instructions":"PROMPT-CANARY","metadata":{"for":"PROMPT-CANARY"},'
    b'"tools":[{"type":"function","name":"TOOL-CANARY","parameters":{}}],'
    b'"text":{"format":{"type":"json_schema","name":"SCHEMA-CANARY"}},"user":"PROMPT-CANARY",'
    b'"output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":'
    b'[{"type":"output_text","text":"ANSWER-CANARY","annotations":[]}]}],'
    b'"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}'
)


def annotated(owner: Person, exchange: Exchange = STREAM) -> UUID:
    arrival = Submission(exchange, ("TAG-CANARY",), "NOTE-CANARY", {"for": "META-CANARY"})
    capture_id = accept_arrival(owner, arrival).id
    inspect_all()
    return capture_id


def everything(share: NewShare, capture_id: UUID) -> Iterator[tuple[str, str]]:
    """All that a link opens, asked for as a page and as a fragment."""
    for part in PARTS:
        for headers in ({}, {"HX_Request": "true"}):
            response = visit(share, below(capture_id, part), **headers)
            assert response.status_code in (200, 204, 302, 404), part
            yield part, response.content.decode(errors="replace")


@pytest.mark.parametrize("without_prompt", [True, False])
def test_nothing_of_the_team_is_told_anywhere(owner: Person, without_prompt: bool) -> None:
    capture_id = annotated(owner)
    share = made(owner, capture_id, without_prompt=without_prompt)
    for part, text in everything(share, capture_id):
        shown = text.replace(token_of(share), "")
        assert not [
            word
            for word in OF_THE_TEAM
            if f">{word}<" in shown or "CANARY" in word and word in shown
        ], part


def test_nothing_of_a_withheld_request_is_told_anywhere(owner: Person) -> None:
    capture_id = annotated(owner)
    share = made(owner, capture_id)
    pages = list(everything(share, capture_id))
    assert sum("ANSWER-CANARY" in text for _, text in pages) > 10
    for part, text in pages:
        assert not [word for word in OF_THE_REQUEST if word in text], part


def test_tools_that_are_not_shared_are_not_called_unknown(owner: Person) -> None:
    broken = (
        b'{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",'
        b'"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}}]}'
    )
    capture_id = captured(
        owner, msgspec.structs.replace(STREAM, reads=Exchange.of_body(broken).reads)
    )
    without = text_of(made(owner, capture_id))
    assert "The prompt is not shared, so arguments are only checked to be valid JSON." in without
    assert "The tools of the request are unknown" not in without
    assert "The prompt is not shared" not in text_of(made(owner, capture_id, without_prompt=False))


def test_the_request_is_shown_by_a_link_with_it_and_by_no_other(owner: Person) -> None:
    capture_id = annotated(owner)
    whole, without = made(owner, capture_id, without_prompt=False), made(owner, capture_id)
    for part in ("panels/prompt/", "request/"):
        shown = visit(whole, below(capture_id, part), HX_Request="true")
        assert b"PROMPT-CANARY" in shown.content
        assert visit(without, below(capture_id, part), HX_Request="true").status_code == 404
    assert "PROMPT-CANARY" in text_of(whole) and "PROMPT-CANARY" not in text_of(without)


@pytest.mark.parametrize(
    "body",
    [REPEATING, b'event: response.completed\ndata: {"type":"response.completed","response":'
     + REPEATING + b"}\n\n"],
    ids=["whole", "streamed"],
)  # fmt: skip
def test_what_a_response_repeats_of_its_request_is_overwritten(owner: Person, body: bytes) -> None:
    streamed = body.startswith(b"event:")
    exchange = Exchange.of_body(body, "text/event-stream" if streamed else JSON)
    capture_id = annotated(owner, exchange)
    share = made(owner, capture_id)
    for part, text in everything(share, capture_id):
        assert not [word for word in OF_THE_REQUEST if word in text], part
    raw = visit(share, below(capture_id, "raw/")).content
    assert len(raw) == len(body) and raw.count(b"*" * 13) == 4 and b"ANSWER-CANARY" in raw
    assert "is overwritten with<code>*</code>" in evened(text_of(share))
    with_prompt = made(owner, capture_id, without_prompt=False)
    assert visit(with_prompt, below(capture_id, "raw/")).content == body
    assert "is overwritten with" not in text_of(with_prompt)


def test_a_text_that_begins_with_its_prompt_is_overwritten_if_asked(owner: Person) -> None:
    body = b'{"object":"text_completion","choices":[{"index":0,"text":"PROMPT-CANARY and on"}]}'
    request = msgspec.structs.replace(
        STREAM.request, body=b'{"prompt":"PROMPT-CANARY","echo":true}'
    )
    capture_id = annotated(
        owner, msgspec.structs.replace(Exchange.of_body(body, JSON), request=request)
    )
    share, of_all = made(owner, capture_id), listed(owner)
    for part, text in everything(share, capture_id):
        assert "PROMPT-CANARY" not in text, part
    assert "PROMPT-CANARY" not in text_of(of_all)


TOKENS = b'{"model":"m","response":"Yes.","done":true,"context":["PROMPT-CANARY"]}'
REFUSED = b'{"detail":[{"type":"missing","loc":["body"],"msg":"Required","input":"PROMPT-CANARY"}]}'
AFTER_A_BYTE_ORDER_MARK = b"\xef\xbb\xbf" + REPEATING
IN_UTF_16 = REPEATING.decode().encode("utf-16")


@pytest.mark.parametrize(
    "body",
    mostly_thorough(((IN_UTF_16,), (TOKENS,), (REFUSED,), (AFTER_A_BYTE_ORDER_MARK,))),
    ids=["UTF-16", "tokens", "refused", "after a byte order mark"],
)
def test_other_repetitions_of_a_request_are_overwritten_too(owner: Person, body: bytes) -> None:
    capture_id = annotated(owner, Exchange.of_body(body, JSON))
    share = made(owner, capture_id)
    for part, text in everything(share, capture_id):
        assert "PROMPT-CANARY" not in text, part
    raw = visit(share, below(capture_id, "raw/")).content
    for canary in ("PROMPT-CANARY", "PROMPT-CANARY".encode("utf-16-le").decode("latin-1")):
        assert canary.encode("latin-1") not in raw


@pytest.mark.usefixtures("overwritten")
def test_too_many_members_show_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_tokens, "MAX_TOKENS", 20)
    capture_id = annotated(owner, Exchange.of_body(REPEATING, JSON))
    raw = visit(made(owner, capture_id), below(capture_id, "raw/")).content
    assert raw == b"*" * len(REPEATING)


ECHOED = Exchange.of_body(REPEATING.replace(b'"user":', b'"new_echo":'), JSON)
"""Under a name that nobody knows yet."""


def test_the_hash_that_is_told_is_that_of_what_is_shown(owner: Person) -> None:
    capture_id = annotated(owner, ECHOED)
    share, whole = made(owner, capture_id), made(owner, capture_id, without_prompt=False)
    told = hashlib.sha256(visit(share, below(capture_id, "raw/")).content).hexdigest()
    kept = hashlib.sha256(ECHOED.body).hexdigest()
    for link, sha256 in ((share, told), (whole, kept)):
        panel = visit(link, below(capture_id, "panels/raw/?raw=all"), HX_Request="true")
        assert f'title="{sha256}"' in panel.content.decode()
    for part in PARTS:
        response = visit(share, below(capture_id, part))
        assert kept not in f"{response.headers}{response.content}", part
    assert visit(share, below(capture_id, "raw/"), If_None_Match=f'"{kept}"').status_code == 200
    assert visit(share, below(capture_id, "raw/"), If_None_Match=f'"{told}"').status_code == 304


@pytest.fixture
def overwritten(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Lengths of the bodies that were overwritten for visitors in this process."""
    lengths: list[int] = []

    def counted(body: bytes, found_in: Any) -> bytes:
        lengths.append(len(body))
        return overwritten_body(body, found_in)

    monkeypatch.setattr(request_echo, "overwritten_body", counted)
    visitor_cache._cache.clear()
    yield lengths
    visitor_cache._cache.clear()


def test_an_unknown_repetition_is_overwritten_once(owner: Person, overwritten: list[int]) -> None:
    capture_id = annotated(owner, ECHOED)
    for part, text in everything(made(owner, capture_id), capture_id):
        assert "PROMPT-CANARY" not in text, part
    assert len(overwritten) == 1


def test_a_visitor_pays_before_anything_is_overwritten(
    owner: Person, overwritten: list[int], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = annotated(owner, ECHOED)
    share = made(owner, capture_id)
    settings.READ_BYTES_PER_SECOND = 1
    monkeypatch.setattr(on_demand, "_read_bytes", TokenBuckets(on_demand.BURST_SECONDS))
    on_demand.owe_read_bytes(("share", share.status.id), 1_000_000)
    for part in ("", "raw/", "panels/raw/", "state/?state=x", "timeline.json"):
        response = visit(share, below(capture_id, part))
        assert (response.status_code, "Retry-After" in response) == (429, True), part
    assert overwritten == []


def test_a_large_capture_is_overwritten_by_a_reader(
    owner: Person, overwritten: list[int], settings: Any
) -> None:
    capture_id = annotated(owner, ECHOED)
    settings.SMALL_READING_BYTES = 0
    raw = visit(made(owner, capture_id), below(capture_id, "raw/")).content
    assert b"ANSWER-CANARY" in raw and b"PROMPT-CANARY" not in raw
    assert overwritten == []


def test_what_telemetry_tells_is_not_shown_without_the_prompt_it_holds(owner: Person) -> None:
    asked = {**CHAT, "gen_ai.output.messages": HELLO, "gen_ai.prompt": "PROMPT-CANARY"}
    told = json.dumps(document(span(asked))).encode()
    capture_id = annotated(owner, Exchange.of_body(told, JSON))
    assert "PROMPT-CANARY" in text_of(made(owner, capture_id, without_prompt=False))
    assert visit(made(owner, capture_id), below(capture_id, "raw/")).status_code == 404
    assert str(capture_id) not in text_of(listed(owner))


def test_what_was_posted_is_not_shown_without_its_prompt_before_it_is_read(owner: Person) -> None:
    capture_id = accept_arrival(owner, Submission(STREAM)).id
    assert visit(made(owner, capture_id), below(capture_id)).status_code == 404
    inspect_all()
    assert "ANSWER-CANARY" in text_of(made(owner, capture_id))


def test_a_finding_that_only_the_request_can_tell_is_not_told(owner: Person) -> None:
    capture_id = annotated(owner)
    whole = text_of(made(owner, capture_id, without_prompt=False))
    # The call leaves out a member that the schema of the request requires.
    assert "tool.arguments-against-schema" in whole and "SCHEMA-CANARY" in whole
    without = text_of(made(owner, capture_id))
    assert "SCHEMA-CANARY" not in without and "tool.arguments-against-schema" not in without


def test_neither_prices_nor_votes_are_shown(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    page = text_of(share)
    assert 'id="usage"' in page and "computed by" not in page and 'id="receipt-json"' not in page
    assert 'id="feedback"' not in page
    assert visit(share, below(capture_id, "panels/feedback/"), HX_Request="1").status_code == 404


def links_of(page: str) -> set[str]:
    return {
        link.split("#")[0].split("?")[0]
        for link in re.findall(r'(?:href|src|action|hx-get|data-src|data-trace|data-timeline|data-around|data-page|data-text-part)="([^"]*)"', page)
        if link and not link.startswith(("#", "?", "/static/", "https://"))
    }  # fmt: skip


@pytest.mark.parametrize("without_prompt", [True, False])
def test_whatever_a_page_names_is_opened_by_its_link(owner: Person, without_prompt: bool) -> None:
    captured(owner)
    capture_id = annotated(owner)
    share = made(owner, capture_id, without_prompt=without_prompt)
    links = links_of(text_of(share))
    assert links and all(link.startswith(share.path) for link in links), links
    for link in links:
        assert Client().get(link).status_code in (200, 302), link
    assert links_of(text_of(listed(owner)))


def test_a_recording_is_shown_as_far_as_it_has_come(owner: Person) -> None:
    recording = call(owner, STREAM)
    begun(recording)
    share = made(owner, recording.id)
    page = text_of(share)
    assert "in-progress" in page or "Recording" in page
    assert "PROMPT-CANARY" not in page and "gpt-4o" not in page
    assert visit(share, below(recording.id, "growth/")).status_code in (200, 204)
    state = visit(share, below(recording.id, "state/?state=recording"), HX_Request="true")
    assert state.status_code == 200 and b"PROMPT-CANARY" not in state.content


def test_a_link_shows_what_is_there_after_a_body_was_deleted(owner: Person) -> None:
    """Nothing was stored for the link, so nothing else has to go."""
    capture_id = captured(owner)
    share = made(owner, capture_id, without_prompt=False)
    body_deletion.delete_bodies(owner.team.pk, [capture_id], "rule old of PRIVATE-NAME")
    page = text_of(share)
    assert "Body deleted" in page and "ANSWER-CANARY" not in page and "PRIVATE-NAME" not in page
    assert "ANSWER-CANARY" not in visit(share, below(capture_id, "raw/")).content.decode()


# -- lists -----------------------------------------------------------------------------------------


def test_a_list_shows_its_query_as_of_when_the_link_was_made(owner: Person) -> None:
    first = annotated(owner)
    other = accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON))).id
    inspect_all()
    share = listed(owner, "stream:yes")
    later = captured(owner)
    page = text_of(share)
    assert str(first) in page and str(other) not in page and str(later) not in page
    assert "ANSWER-CANARY" in text_of(share, below(first))
    for hidden in (other, later):
        assert visit(share, below(hidden)).status_code == 404


def test_a_query_that_is_not_understood_any_more_shows_nothing(owner: Person) -> None:
    capture_id = captured(owner)
    share = listed(owner, "stream:yes")
    Share.objects.update(query="gone:yes")
    assert "No captures." in text_of(share)
    assert visit(share, below(capture_id)).status_code == 404


def test_a_list_tells_nothing_of_the_team_nor_of_withheld_prompts(owner: Person) -> None:
    annotated(owner)
    page = text_of(listed(owner, "tag:TAG-CANARY PROMPT-CANARY"))
    assert "in ANSWER-CANARY" in page
    for word in (*OF_THE_TEAM[:3], *OF_THE_REQUEST):
        assert word not in page
    assert "PROMPT-CANARY" in text_of(listed(owner, without_prompt=False))


def test_a_slow_list_shows_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated(owner)
    share = listed(owner)

    def too_long(*_: object, **__: object) -> NoReturn:
        raise StatementTimeout

    monkeypatch.setattr(queries.Captures, "page", too_long)
    told = visit(share, "captures/").content.decode()
    assert "ANSWER-CANARY" not in told and "TAG-CANARY" not in told


def test_the_model_that_was_asked_for_is_withheld_with_the_prompt(owner: Person) -> None:
    request = msgspec.structs.replace(STREAM.request, body=b'{"model":"MODEL-CANARY"}')
    failed = Exchange.of_body(b'{"error":{"message":"Slow down."}}', JSON)
    annotated(owner, msgspec.structs.replace(failed, request=request, status_code=429))
    assert "MODEL-CANARY" not in text_of(listed(owner))
    assert "MODEL-CANARY" in text_of(listed(owner, without_prompt=False))


@pytest.mark.parametrize("query", ["?q=PROMPT-CANARY", "?tag=TAG-CANARY", "?before=nonsense"])
def test_a_visitor_cannot_search_a_list(owner: Person, query: str) -> None:
    annotated(owner)
    share = listed(owner)
    asked = visit(share, query)
    whole = Client().get(share.path)
    assert asked.status_code == 404 or asked.content == whole.content


def test_a_visitor_goes_from_a_capture_to_its_neighbours_in_the_list(owner: Person) -> None:
    first, hidden, last = annotated(owner), captured(owner), annotated(owner)
    share = listed(owner, "tag:TAG-CANARY")
    page = text_of(share, below(first, "?list=q%3DPROMPT-CANARY"))
    assert f"{share.path}captures/{last}/" in page and str(hidden) not in page
    assert "in <code>" not in page


# -- being opened ----------------------------------------------------------------------------------


def test_whole_pages_are_counted_and_nothing_else(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    for _ in range(2):
        visit(share)
    visit(share, below(capture_id, "timeline.json"))
    Client().head(f"{share.path}{below(capture_id)}")
    visit(share, below(captured(owner)))
    row = Share.objects.get()
    assert row.views == 2 and row.last_viewed_at is not None
    # It is the whole page, whatever asks for it.
    visit(share, below(capture_id), HX_Request="true")
    assert Share.objects.get().views == 3


def test_who_is_signed_in_gets_what_everybody_gets(owner: Person) -> None:
    share = made(owner, captured(owner))
    signed_in = owner.browser().get(share.path, follow=True).content.decode()
    assert without_csrf(signed_in) == without_csrf(text_of(share))


def without_csrf(page: str) -> str:
    return re.sub(r'"X-CSRFToken": "[^"]*"', "", page)


def test_pages_of_a_link_are_kept_by_nobody_and_tell_no_other_site(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    for path in (
        below(capture_id),
        below(capture_id, "panels/raw/"),
        "nothing/",
        "t/default/usage/",
    ):
        response = visit(share, path)
        assert "private" in response["Cache-Control"]
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["X-Robots-Tag"].startswith("noindex")
        assert response["X-Frame-Options"] == "DENY"
        assert not response.cookies


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/shared/", 404),
        ("GET", "/shared/a/b//c\n", 404),
        ("GET", "/shared/guess", 301),
        ("POST", "/shared/guess/", 403),
        ("PUT", "/shared/guess/captures/", 403),
        ("TRACE", "/shared/guess/", 405),
    ],
)
def test_refusals_tell_no_other_site(db: None, method: str, path: str, status: int) -> None:
    response = Client(enforce_csrf_checks=True).generic(method, path)
    assert response.status_code == status
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Robots-Tag"].startswith("noindex")


def test_an_error_below_a_link_tells_no_site(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> NoReturn:
        raise RuntimeError

    monkeypatch.setattr(opening, "open_share", fails)
    response = Client(raise_request_exception=False).get("/shared/guess/")
    assert response.status_code == 500
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Robots-Tag"].startswith("noindex")


def test_an_address_opens_pages_and_guesses_at_a_rate(
    owner: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SHARES_PER_SECOND = 2
    standing = TokenBuckets(opening.BURST_SECONDS, clock=lambda: 0.0)
    monkeypatch.setattr(opening, "_openers", standing)
    share = made(owner, captured(owner))
    guesses = [Client().get("/shared/guess/").status_code for _ in range(60)]
    assert guesses == [404] * 60
    page = f"{share.path}{below(share.status.capture)}"
    asked = (
        Client().get("/shared/guess/"),
        visit(share),
        Client().head(page),
        Client().get(page, headers={"HX-Request": "true"}),
    )
    for response in asked:
        assert (response.status_code, response["Retry-After"]) == (429, "1")
    assert Share.objects.get().views == 0
