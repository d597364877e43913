"""Variables that a command is told, without an archive."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from inspector.operations.run.variables import (
    VARIABLES,
    changed_variables,
    direct_hosts,
    with_options,
)

PAGE = Path("docs/run.md").read_text()


def through(address: str, is_chosen: bool) -> str | None:
    if "unknown" in address or (not is_chosen and "127.0.0.1" in address):
        return None
    return f"http://proxy/{address.partition('://')[2]}"


def changed(environ: Mapping[str, str]) -> dict[str, str]:
    return dict(changed_variables(environ, through))


def test_a_variable_that_is_not_set_leads_to_where_its_readers_call_without_it() -> None:
    found = changed({})
    assert found["OPENAI_BASE_URL"] == "http://proxy/api.openai.com/v1"
    assert found["ANTHROPIC_BASE_URL"] == "http://proxy/api.anthropic.com"


def test_a_variable_that_is_set_leads_to_where_it_led_before() -> None:
    found = changed({"OPENAI_BASE_URL": " http://127.0.0.1:1234/v1 ", "OLLAMA_HOST": "box:11434"})
    assert found["OPENAI_BASE_URL"] == "http://proxy/127.0.0.1:1234/v1"
    assert found["OLLAMA_HOST"] == "http://proxy/box:11434"


@pytest.mark.parametrize("name", ["OLLAMA_BASE_URL", "AZURE_OPENAI_ENDPOINT"])
def test_a_variable_without_an_address_to_call_stays_unset(name: str) -> None:
    assert name not in changed({})
    assert name not in changed({name: ""})


def test_an_address_that_may_not_be_called_stays_as_it_is() -> None:
    assert "OPENAI_BASE_URL" not in changed({"OPENAI_BASE_URL": "https://unknown.example"})


def test_connections_to_the_proxy_go_around_a_proxy_of_the_network() -> None:
    environ = {"HTTPS_PROXY": "http://10.0.0.1:3128", "no_proxy": "intranet"}
    found = dict(direct_hosts(environ, "http://127.0.0.1:8001"))
    assert found == {"NO_PROXY": "intranet,127.0.0.1", "no_proxy": "intranet,127.0.0.1"}
    assert dict(direct_hosts({"no_proxy": "intranet"}, "http://127.0.0.1:8001")) == {}


def options(environ: Mapping[str, str], *command: str) -> list[str]:
    return [*with_options(command, environ, through)][1:]


def test_codex_which_reads_no_variable_is_given_an_option() -> None:
    assert options({"HOME": "/nowhere"}, "/usr/bin/codex", "exec", "hi") == [
        "-c",
        'openai_base_url="http://proxy/api.openai.com/v1"',
        "exec",
        "hi",
    ]


def test_codex_with_an_account_calls_where_accounts_do(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text(json.dumps({"auth_mode": "chatgpt", "tokens": {}}))
    given = options({"CODEX_HOME": str(tmp_path)}, "codex")
    assert given == ["-c", 'openai_base_url="http://proxy/chatgpt.com/backend-api/codex"']


@pytest.mark.parametrize(
    "command", [("claude", "-p", "hi"), ("codex", "-c", 'openai_base_url="http://mine"')]
)
def test_other_commands_and_those_that_say_it_themselves_stay_as_they_are(
    command: tuple[str, ...],
) -> None:
    assert with_options(command, {}, through) == command


def test_the_page_has_every_variable_with_its_source() -> None:
    rows = re.findall(r"^\| (`[A-Z_`, ]+`) \| .+ \| .+ \|$", PAGE, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"[A-Z_]+", row)}
    assert told == {variable.name for variable in VARIABLES}
