import json
import re
from uuid import UUID

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.capture.raw.hex_dump import HexWindow
from inspector.dashboard.capture.raw.panel import RawDisplay, RawLineDisplay, TextDisplay, draw
from inspector.dashboard.capture.raw.raw_modes import (
    JsonTreeDisplay,
    RequestDisplay,
    bytes_beside_text,
)
from tests.archive.samples import JSON, SSE, accept_arrival, inspect_all, inspected
from tests.core.frames import frame
from tests.dashboard.capture.samples import TWO_CHOICES, read_view, streamed, view, whole
from tests.dashboard.capture.test_views import words
from tests.people import Person

ASKED = b'{"model":"m","messages":[]}'
REQUEST = Request(
    method="POST",
    url="https://api.example.org/v1/chat/completions",
    headers=(("Authorization", "Bearer secret"), ("Content-Type", "application/json")),
    body=ASKED,
)
MANY = {"object": "chat.completion", "choices": [], "many": list(range(450))}


def captured(person: Person, request: Request | None = REQUEST) -> UUID:
    reads = tuple(Read(at, text.encode()) for at, text in TWO_CHOICES)
    exchange = Exchange(reads=reads, content_type=SSE, status_code=200, request=request)
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def html(person: Person, path: str, **headers: str) -> str:
    answer = person.browser().get(path, headers=headers)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def test_without_scripts_a_part_leads_to_the_page_that_shows_it(owner: Person) -> None:
    capture_id = captured(owner)
    browser = owner.browser()
    assert browser.get(f"/captures/{capture_id}/tree/?offset=0&event=1").url == (  # type: ignore[attr-defined]
        f"/captures/{capture_id}/?event=1&raw=tree#raw"
    )
    assert browser.get(f"/captures/{capture_id}/around/?byte=9").url == (  # type: ignore[attr-defined]
        f"/captures/{capture_id}/?byte=9&raw=hex#raw"
    )


def test_each_way_of_looking_is_a_link_and_draws(owner: Person) -> None:
    capture_id = captured(owner)
    for asked, said in (
        ("", "bytes as text"),
        ("?raw=all", "bytes as text"),
        ("?raw=hex&byte=30", "Go to byte"),
        ("?raw=tree", "Find in names and values"),
        ("?raw=request", "Send it again with curl"),
        ("?raw=nonsense", "bytes as text"),
    ):
        page = html(owner, f"/captures/{capture_id}/{asked}")
        assert said in words(page)
        assert all(f">{word}</a>" in page for word in ("Text", "Hex", "JSON tree", "Request"))


def test_the_request_is_shown_without_its_key_and_its_body_is_a_file(owner: Person) -> None:
    capture_id = captured(owner)
    said = words(html(owner, f"/captures/{capture_id}/?raw=request"))
    assert "POST https://api.example.org/v1/chat/completions" in said
    assert "secret" not in said and "set the environment variable API_KEY" in said
    answer = owner.browser().get(f"/captures/{capture_id}/request/")
    assert answer.content == ASKED
    assert answer["Content-Disposition"] == f'attachment; filename="{capture_id}.request"'


def test_an_unknown_request_is_said_to_be_unknown(owner: Person) -> None:
    capture_id = captured(owner, None)
    said = words(html(owner, f"/captures/{capture_id}/?raw=request"))
    assert "The request is unknown" in said and "exchange envelope" in said
    assert owner.browser().get(f"/captures/{capture_id}/request/").status_code == 404


def test_a_request_without_address_is_shown_and_not_made_into_commands(owner: Person) -> None:
    capture_id = captured(owner, Request(body=b'{"model":"m"}'))
    said = words(html(owner, f"/captures/{capture_id}/?raw=request"))
    assert "address unknown" in said and "cannot be sent again" in said


def test_members_come_by_windows(owner: Person) -> None:
    capture_id = inspected(owner, json.dumps(MANY).encode(), JSON)
    browser = owner.browser()
    page = html(owner, f"/captures/{capture_id}/?raw=tree")
    (path,) = re.findall(r'hx-get="(/captures/[^"]*/tree/[^"]*)"', page)
    first = html(owner, path, **{"HX-Request": "true"})
    assert first.count('class="node"') == 200 and "next 200" in first
    (last,) = set(re.findall(r'hx-get="([^"]*from=200[^"]*)"', first))
    assert "next 50" in html(owner, last.replace("&amp;", "&"), **{"HX-Request": "true"})
    assert browser.get(path.replace("offset=", "offset=9")).status_code == 404


def test_a_value_is_reached_by_its_pointer_and_says_its_bytes(owner: Person) -> None:
    body = json.dumps(MANY).encode()
    capture_id = inspected(owner, body, JSON)
    page = html(owner, f"/captures/{capture_id}/?raw=tree&at=/many/430")
    assert '<code id="tree-pointer">/many/430</code>' in page
    at = body.index(b"430")
    assert f"bytes {at:,} to {at + 3:,}" in words(page)
    assert "There is no /x" in words(html(owner, f"/captures/{capture_id}/?raw=tree&at=/x"))


def drawn(shown: object) -> RawDisplay:
    raw = draw(shown).content  # type: ignore[arg-type]
    assert isinstance(raw, RawDisplay)
    return raw


def test_the_tree_of_a_stream_is_that_of_one_event() -> None:
    shown = drawn(streamed(*TWO_CHOICES, query_params={"raw": "tree", "event": "3"})).display
    assert isinstance(shown, JsonTreeDisplay)
    assert (shown.event, shown.before, shown.after) == (3, 2, 4)
    first = drawn(streamed(*TWO_CHOICES, query_params={"raw": "tree"})).display
    assert isinstance(first, JsonTreeDisplay) and (first.event, first.before) == (1, None)
    end = drawn(streamed(*TWO_CHOICES, query_params={"raw": "tree", "event": "9"})).display
    assert isinstance(end, JsonTreeDisplay) and end.tree is None and "Event #9" in end.why_none
    none = drawn(streamed(*TWO_CHOICES, query_params={"raw": "tree", "event": "99"})).display
    assert isinstance(none, JsonTreeDisplay) and "no event with that number" in none.why_none


def test_a_body_that_is_no_json_has_no_tree() -> None:
    shown = drawn(view(None, b"Bad Gateway", query_params={"raw": "tree", "find": "Gate"})).display
    assert (
        isinstance(shown, JsonTreeDisplay)
        and shown.tree is None
        and "is not JSON" in shown.why_none
    )
    assert shown.matches is not None and shown.matches.found == ()


def test_the_hex_view_goes_to_the_byte_that_is_asked_for() -> None:
    shown = drawn(view(None, b"x" * 5_000, query_params={"raw": "hex", "byte": "0x1000"})).display
    assert isinstance(shown, HexWindow) and shown.start == 4096


def test_beside_the_text_stand_the_bytes_that_break_else_the_first() -> None:
    broken = whole(b'{"object":"chat.completion","choices":[,]}')
    assert (bytes_beside_text(broken).title, bytes_beside_text(broken).byte) == (
        "Where it breaks",
        39,
    )
    assert bytes_beside_text(view(None, b"abc")).title == "The first bytes"


def test_a_long_request_body_is_cut_and_counted() -> None:
    long = Request(method="POST", url="https://x.org/", body=b'{"a":"' + b"x" * 20_000 + b'"}')
    shown = drawn(view(None, b"abc", request=long, query_params={"raw": "request"})).display
    assert isinstance(shown, RequestDisplay)
    assert (shown.left_out, shown.body_length) == (4_008, 20_008)
    assert shown.commands is not None and not shown.commands.reads_file


def test_binary_frames_are_lines_of_which_each_is_an_event() -> None:
    frames = [frame("messageStart", b'{"role":"assistant"}'), frame("messageStop", b"{}")]
    shown = read_view(Exchange.of_body(b"".join(frames)))
    drawn = draw(shown).content
    assert isinstance(drawn, RawDisplay) and isinstance(drawn.display, TextDisplay)
    rows = [row for row in drawn.display.rows if isinstance(row, RawLineDisplay)]
    assert [(row.event, row.anchor, row.line.length) for row in rows] == [
        (0, True, len(frames[0])),
        (1, True, len(frames[1])),
    ]
