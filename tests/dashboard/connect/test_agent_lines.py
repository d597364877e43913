"""The lines by which coding agents ask the archive."""

import html
import json
import re
import shlex

from inspector.teams.models import ApiKey
from tests.people import JSON, Person, ask, bearer

ADDRESS = "http://127.0.0.1:8000/mcp"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def page_of(person: Person, client: str) -> str:
    answer = person.browser().get(f"/t/default/connect/?with={client}")
    return html.unescape(answer.content.decode())


def codes(page: str) -> dict[str, str]:
    return dict(re.findall(r'<pre id="ask-([\w-]+)"[^>]*>(.*?)</pre>', page, re.DOTALL))


def test_each_agent_has_its_lines_and_no_other_way(owner: Person) -> None:
    for client in ("claude-code", "codex", "cursor", "vscode"):
        page = page_of(owner, client)
        assert re.findall(r'<section class="connect" id="(\w+)"', page) == ["ask"]
        assert ADDRESS in "".join(codes(page).values())
        assert "If nothing arrives" not in page


def test_the_lines_are_what_each_agent_takes(owner: Person) -> None:
    claude = shlex.split(codes(page_of(owner, "claude-code"))["line"].replace("\\\n", ""))
    assert claude[:6] == ["claude", "mcp", "add", "--transport", "http", "inspector"]
    assert claude[6:] == [ADDRESS, "--header", "Authorization: Bearer KEY"]
    codex = codes(page_of(owner, "codex"))
    variable = "INSPECTOR_READ_KEY"
    line = f"codex mcp add inspector --url {ADDRESS} --bearer-token-env-var {variable}"
    assert codex == {"line": line, "variable": f"export {variable}=KEY"}
    headers = {"Authorization": "Bearer KEY"}
    cursor = json.loads(codes(page_of(owner, "cursor"))["file"])
    assert cursor == {"mcpServers": {"inspector": {"url": ADDRESS, "headers": headers}}}
    vscode = json.loads(codes(page_of(owner, "vscode"))["file"])
    server = {"type": "http", "url": ADDRESS, "headers": headers}
    assert vscode == {"servers": {"inspector": server}}


def test_its_key_reads_and_writes_nothing_and_is_waited_for_by_nobody(owner: Person) -> None:
    form = {"name": "agent", "way": "ask"}
    answer = owner.browser().post("/t/default/connect/key/?with=codex", form)
    page = html.unescape(answer.content.decode())
    key = ApiKey.objects.get(name="agent")
    assert key.scopes == ["read"]
    [plain] = set(re.findall(rf"{key.prefix}[\w-]+", page))
    assert f"export INSPECTOR_READ_KEY={plain}" in page
    assert "Waiting for the first capture" not in page
    assert ask("POST", "/mcp", PING, JSON, bearer(plain)).status == 200
    assert ask("POST", "/api/v1/captures/", b"{}", JSON, bearer(plain)).status == 403


def test_who_may_not_make_keys_sees_the_lines(teammate: Person) -> None:
    assert "an admin of the team makes" in page_of(teammate, "codex")
