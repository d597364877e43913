"""The page on which a service is connected: what to paste, by client, with a key made there."""

import ast
import html
import re
import shlex
from functools import partial

import pytest
from django.test import override_settings

from inspector.dashboard.connect.client_packages import (
    devtools_extension,
    node_package,
    python_package,
)
from inspector.dashboard.connect.service_clients import PYTHON, SERVICE_CLIENTS
from inspector.teams import team_upstreams
from inspector.teams.models import ApiKey
from tests.archive.samples import accept
from tests.people import Person

PAGE = "/t/default/connect/"
PROXY = override_settings(PROXY_ORIGIN="http://127.0.0.1:8001", ORIGIN="http://127.0.0.1:8000")


def page_of(asker: Person, query: str = "", team: str = "default") -> str:
    answer = asker.browser().get(f"/t/{team}/connect/{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def made(asker: Person, way: str, client: str = "openai-python", name: str = "checkout") -> str:
    answer = asker.browser().post(f"{PAGE}key/?with={client}", {"name": name, "way": way})
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def codes(page: str, way: str) -> dict[str, str]:
    """What is pasted for a way, by the name of its step."""
    found = re.findall(rf'<pre id="{way}-([\w-]+)"[^>]*>(.*?)</pre>', page, re.DOTALL)
    return dict(found)


def ways(page: str) -> list[str]:
    return re.findall(r'<section class="connect" id="(\w+)"', page)


@pytest.mark.parametrize(
    ("client", "found"),
    [
        ("openai-python", ["package", "proxy"]),
        ("anthropic-node", ["package", "proxy"]),
        ("proxy", ["proxy"]),
        ("curl", ["proxy", "send"]),
        ("http", ["send", "proxy"]),
        ("devtools", ["devtools"]),
        ("no-such-client", ["package", "proxy"]),
    ],
)
@PROXY
def test_each_client_has_its_ways_our_package_first(
    owner: Person, client: str, found: list[str]
) -> None:
    assert ways(page_of(owner, f"?with={client}")) == found


@override_settings(PROXY_ORIGIN="")
def test_without_a_proxy_the_other_ways_are_left(owner: Person) -> None:
    assert ways(page_of(owner, "?with=openai-python")) == ["package"]
    assert ways(page_of(owner, "?with=curl")) == ["send"]


@PROXY
def test_the_package_comes_from_this_installation_by_one_line_a_language(owner: Person) -> None:
    origin = "http://127.0.0.1:8000/clients/"
    assert f"pip install {origin}{python_package().file_name}" in page_of(owner)
    node = page_of(owner, "?with=fetch")
    assert f"npm install {origin}{node_package().file_name}" in node
    panel = page_of(owner, "?with=devtools")
    assert f"curl -sSO {origin}{devtools_extension().file_name}\n" in panel


def test_each_snippet_of_python_parses_and_wraps_in_one_line() -> None:
    for client in SERVICE_CLIENTS:
        if client.language == PYTHON:
            ast.parse(client.code)
            assert client.code.count("capture(") == 1


@PROXY
def test_a_key_is_made_for_one_way_stands_in_its_lines_and_is_waited_for(owner: Person) -> None:
    for way, scope, line in (
        ("package", "ingest", "export INSPECTOR_KEY={}"),
        ("devtools", "ingest", 'there too, From DevTools">{}</pre>'),
        ("proxy", "capture", "export OPENAI_BASE_URL=http://127.0.0.1:8001/proxy/{}/openai/v1"),
    ):
        client = "devtools" if way == "devtools" else "openai-python"
        page = made(owner, way, client, f"for {way}")
        key = ApiKey.objects.get(name=f"for {way}")
        assert key.scopes == [scope]
        [plain] = set(re.findall(rf"{key.prefix}[\w-]+", page))
        assert line.format(plain) in page
        assert f'hx-get="/t/default/team/keys/{key.pk}/arrival/"' in page
        assert plain not in page_of(owner)
        # The page with the key has an address of its own, which answers no link.
        assert f'<a href="{PAGE}?with=curl"' in page


def test_a_key_without_a_name_is_not_made(owner: Person) -> None:
    number = ApiKey.objects.count()
    answer = owner.browser().post(f"{PAGE}key/", {"name": "", "way": "package"})
    assert answer.status_code == 422
    assert "No key was made." in answer.content.decode()
    assert ApiKey.objects.count() == number


def test_who_may_not_make_keys_is_told_who_does(teammate: Person) -> None:
    assert "an admin of the team makes" in page_of(teammate)
    assert '<form method="post" action="/t/default/connect' not in page_of(teammate)


@PROXY
def test_the_upstream_that_was_chosen_stands_in_the_line_with_the_new_key(owner: Person) -> None:
    door = team_upstreams.for_principal(owner.principal)
    door.add("llm", "https://llm.example")
    for name, line in (
        ("llm", "export OPENAI_BASE_URL=http://127.0.0.1:8001/proxy/{}/llm/v1"),
        ("anthropic", "export ANTHROPIC_BASE_URL=http://127.0.0.1:8001/proxy/{}/anthropic"),
        ("cohere", "http://127.0.0.1:8001/proxy/{}/cohere"),
        ("no-such", "export OPENAI_BASE_URL=http://127.0.0.1:8001/proxy/{}/openai/v1"),
    ):
        assert codes(page_of(owner, f"?with=proxy&for={name}"), "proxy")["line"] == line.format(
            "KEY"
        )
        page = made(owner, "proxy", f"proxy&for={name}", name)
        key = ApiKey.objects.get(name=name)
        assert key.scopes == ["capture"]
        [plain] = set(re.findall(rf"{key.prefix}[\w-]+", page))
        assert codes(page, "proxy")["line"] == line.format(plain)


@PROXY
def test_the_page_of_upstreams_leads_to_the_lines_and_has_no_form_of_its_own(
    owner: Person,
) -> None:
    page = owner.browser().get("/t/default/upstreams/").content.decode()
    assert f'href="{PAGE}?with=proxy#proxy"' in page and "Create key" not in page


@PROXY
def test_a_client_of_one_provider_keeps_it_and_leads_to_the_others(owner: Person) -> None:
    page = page_of(owner, "?with=openai-python&for=groq")
    assert codes(page, "proxy")["line"].endswith("/openai/v1")
    assert f'href="{PAGE}?with=proxy#proxy"' in page


@PROXY
def test_who_reads_no_variable_is_given_the_address_itself(owner: Person) -> None:
    address = "http://127.0.0.1:8001/proxy/KEY/openai/v1"
    for client in ("httpx", "fetch", "http"):
        page = page_of(owner, f"?with={client}")
        assert codes(page, "proxy") == {"line": address}
        assert "Call this address in place of https://api.openai.com/v1" in page
    page = page_of(owner, "?with=curl")
    assert list(codes(page, "proxy")) == ["proxy-code"]
    for unread in ("curl", "http"):
        assert "Variables are read" not in page_of(owner, f"?with={unread}")


@PROXY
def test_what_curl_sends_is_whole_and_says_where_tee_is(owner: Person) -> None:
    page = page_of(owner, "?with=curl")
    sent = codes(page, "send")
    assert list(sent) == ["post", "file", "tee"]
    assert "…" not in "".join(sent.values())
    words = shlex.split(sent["tee"])
    assert words[words.index("|") + 1 :][-2:] == ["tee", "--send"]
    assert "https://api.openai.com/v1/chat/completions" in words
    assert "Run it in the folder of Response Inspector" in page


@PROXY
def test_links_beside_a_key_that_is_shown_once_leave_its_page_open(owner: Person) -> None:
    page = made(owner, "package")
    checks = page[page.index('<ul class="checks">') : page.index("</ul>", page.index("checks"))]
    assert checks.count("<a ") == checks.count('target="_blank"') == 2


@PROXY
def test_archive_of_a_newcomer_makes_its_key_on_this_page(owner: Person, teammate: Person) -> None:
    archive = owner.browser().get("/t/default/captures/").content.decode()
    [address] = re.findall(r'<form method="post" action="([^"#]*)#proxy"', archive)
    form = dict(re.findall(r'<input type="hidden" name="(way|scopes)" value="(\w+)"', archive))
    answer = owner.browser().post(html.unescape(address), {"name": "checkout", **form})
    page = html.unescape(answer.content.decode())
    assert "<h1>Connect a service</h1>" in page
    [key] = ApiKey.objects.filter(name="checkout")
    assert key.scopes == ["capture"]
    assert f'hx-get="/t/default/team/keys/{key.pk}/arrival/"' in page
    assert "Create key" not in teammate.browser().get("/t/default/captures/").content.decode()


@PROXY
def test_a_new_key_stands_in_the_lines_of_the_other_upstreams_too(owner: Person) -> None:
    page = made(owner, "proxy", "proxy&for=anthropic")
    key = ApiKey.objects.get(name="checkout")
    [plain] = set(re.findall(rf"{key.prefix}[\w-]+", page))
    base = f"http://127.0.0.1:8001/proxy/{plain}"
    found = codes(page, "proxy")
    assert found["line"] == f"export ANTHROPIC_BASE_URL={base}/anthropic"
    assert found["of-openai"] == f"export OPENAI_BASE_URL={base}/openai/v1"
    assert found["of-cohere"] == f"{base}/cohere"
    assert "of-anthropic" not in found
    assert "of-openai" not in codes(page_of(owner, "?with=proxy"), "proxy")


@PROXY
def test_every_page_that_leads_here_calls_it_by_its_name(owner: Person) -> None:
    archive = partial(owner.browser().get, "/t/default/captures/")
    empty = archive()
    accept(owner)
    for answer in (empty, archive(), owner.browser().get("/t/default/team/")):
        named = re.findall(rf'<a href="{PAGE}">(.*?)</a>', answer.content.decode())
        assert named[0] == "Connect" and set(named[1:]) <= {"Connect", "Connect a service"}
