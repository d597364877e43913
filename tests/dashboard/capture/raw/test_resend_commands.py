"""The commands are run: what they send is compared with the request they were made from."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.raw.resend_commands import (
    BODY_FILE,
    MAX_INLINE_BYTES,
    ResendCommands,
    build_resend_commands,
)
from inspector.transfer.resent_request import WRITTEN_BY_CLIENTS
from tests.http_server import Handler, served

BODIES = [
    b'{"model":"m","messages":[{"role":"user","content":"it\'s $HOME `id` \\"x\\" \\\\n %s"}]}',
    b'{\n  "two": "lines"\n}\n\n',
    '{"caf\u00e9":"\u4f60\u597d \U0001f44b"}'.encode(),
    b'{"hidden":"\xe2\x80\xae\xe2\x80\x8b\x7f"}',
    b"\x00\xff\xfe not text \r\n",
    b"-n @file $(echo no)",
    b"",
    b'{"long":"' + b"x" * MAX_INLINE_BYTES + b'"}',
]
HEADERS = (
    ("Content-Type", "application/json; charset=utf-8"),
    ("Authorization", "[removed]"),
    ("X-Api-Key", "[removed]"),
    ("X-Odd", 'it\'s "$HOME" `id` \\ %s; #'),
    ("X-Empty", ""),
    ("X-Twice", "one"),
    ("x-twice", "two"),
    ("User-Agent", "some-client/1.0"),
)


@dataclass
class Came:
    method: str = ""
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass
class Listener:
    url: str = ""
    came: Came = field(default_factory=Came)


class Taking(Handler):
    listener: Listener

    def _take(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        told = {n: v for n, v in headers.items() if n not in WRITTEN_BY_CLIENTS}
        self.listener.came = Came(self.command, self.path, told, self.read_body())
        self.answer(503, b"{}\n")

    do_POST = do_PUT = do_GET = _take


@pytest.fixture
def server() -> Iterator[Listener]:
    listener = Listener()
    with served(type("TakingForOne", (Taking,), {"listener": listener})) as listener.url:
        yield listener


def made(request: Request) -> ResendCommands:
    commands = build_resend_commands(request)
    assert commands is not None
    return commands


def run(server: Listener, folder: Path, command: list[str], text: str) -> Came:
    server.came = Came()
    environment = {**os.environ, "API_KEY": "sk-it's$1", "no_proxy": "*"}
    done = subprocess.run(
        [*command, text], cwd=folder, env=environment, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, b"{}\n"), done.stderr.decode()
    return server.came


def both(server: Listener, folder: Path, request: Request) -> tuple[Came, Came]:
    (folder / BODY_FILE).write_bytes(request.body or b"")
    commands = made(request)
    return (
        run(server, folder, ["sh", "-c"], commands.curl),
        run(server, folder, [sys.executable, "-c"], commands.python),
    )


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_both_send_the_identical_body_and_headers(
    body: bytes, server: Listener, tmp_path: Path
) -> None:
    url = f"{server.url}/v1/chat/completions?a=[1-3]&key=[removed]&b={{x,y}}"
    request = Request(method="POST", url=url, headers=HEADERS, body=body)
    for came in both(server, tmp_path, request):
        assert came.method == "POST"
        assert came.path == "/v1/chat/completions?a=[1-3]&key=sk-it's$1&b={x,y}"
        assert came.body == body
        assert came.headers == {
            "content-type": "application/json; charset=utf-8",
            "authorization": "Bearer sk-it's$1",
            "x-api-key": "sk-it's$1",
            "x-odd": 'it\'s "$HOME" `id` \\ %s; #',
            "x-empty": "",
            "x-twice": "one, two",
            "user-agent": "some-client/1.0",
        }


def test_without_headers_only_the_type_of_json_is_added(server: Listener, tmp_path: Path) -> None:
    request = Request(method="PUT", url=server.url, body=b"{}")
    assert made(request).adds_content_type
    for came in both(server, tmp_path, request):
        assert (came.method, came.path) == ("PUT", "/")
        assert came.headers == {"content-type": "application/json"}


def test_a_request_without_body_sends_none(server: Listener, tmp_path: Path) -> None:
    for came in both(server, tmp_path, Request(method="GET", url=f"{server.url}/v1/models")):
        assert (came.method, came.path, came.body, came.headers) == ("GET", "/v1/models", b"", {})


def test_what_a_page_cannot_show_is_written_as_base64() -> None:
    for body, is_coded in zip(BODIES, [0, 0, 0, 1, 1, 0, 0, 0], strict=True):
        commands = made(Request(method="POST", url="https://example.org/v1", body=body))
        assert ("base64 -d" in commands.curl) == bool(is_coded)
        assert commands.python.isprintable() or "\n" in commands.python
        assert "\u202e" not in commands.python


def test_what_is_not_sent_again_is_named() -> None:
    headers = (("Host", "example.org"), ("Cookie", "[removed]"), ("X-Bad", "caf\u00e9"))
    commands = made(Request(method="GET", url="https://example.org/", headers=headers))
    assert commands.left_out == ("cookie", "host", "x-bad")


@pytest.mark.parametrize(
    "url", [None, "", "/v1/chat", "file:///etc/passwd", "http://", "http://a\n.b/", "http://a:x/"]
)
def test_nothing_is_made_without_an_address(url: str | None) -> None:
    assert build_resend_commands(Request(method="POST", url=url, body=b"{}")) is None


def test_the_key_is_asked_for_only_where_one_was_removed() -> None:
    url = "https://example.org/v1"
    assert not made(Request(method="POST", url=url, body=b"{}")).needs_key
    assert made(Request(url=f"{url}?key=[removed]")).needs_key
    assert "import os\n" not in made(Request(method="POST", url=url, body=b"{}")).python


def test_whose_host_the_key_goes_to_is_told() -> None:
    known = made(Request(method="POST", url="https://api.openai.com/v1/chat/completions"))
    assert (known.host, known.vendor) == ("api.openai.com", "OpenAI")
    other = made(Request(method="POST", url="https://api.openai.com.evil.example:8443/v1"))
    assert (other.host, other.vendor) == ("api.openai.com.evil.example:8443", "")


def test_the_key_goes_nowhere_but_where_a_credential_was() -> None:
    headers = (
        ("Authorization", "[removed]"),
        ("X-Team", "[removed]"),
        ("Referer", "https://h/?token=[removed]"),
    )
    commands = made(Request(method="GET", url="https://example.org/", headers=headers))
    assert commands.left_out == ("referer", "x-team")
    assert commands.curl.count("$API_KEY") == commands.python.count('"API_KEY"') == 1
