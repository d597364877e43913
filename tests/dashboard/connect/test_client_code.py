"""Code that is pasted so that a program's calls go through the proxy."""

import ast
import json
import shlex

import pytest

from inspector.dashboard.connect.client_code import client_codes, proxy_url, shell_line
from inspector.teams.upstream_presets import PRESETS, ClientStyle

PROXY = "https://inspector.example"
OPENAI = "https://inspector.example/proxy/ri_k/openai/v1"
ANTHROPIC = "https://inspector.example/proxy/ri_k/anthropic"
GEMINI = "https://inspector.example/proxy/ri_k/gemini"
STYLES = {ClientStyle.OPENAI: OPENAI, ClientStyle.ANTHROPIC: ANTHROPIC, ClientStyle.GEMINI: GEMINI}


def code_of(style: ClientStyle, slug: str) -> str:
    (found,) = [each.code for each in client_codes(style, STYLES[style]) if each.slug == slug]
    return found


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("openai", f"export OPENAI_BASE_URL={OPENAI}"),
        ("anthropic", f"export ANTHROPIC_BASE_URL={ANTHROPIC}"),
        ("gemini", f"export GOOGLE_GEMINI_BASE_URL={GEMINI}"),
        ("groq", "export OPENAI_BASE_URL=https://inspector.example/proxy/ri_k/groq/openai/v1"),
        ("cohere", "https://inspector.example/proxy/ri_k/cohere"),
    ],
)
def test_line_of_a_preset_has_the_base_url_that_its_client_expects(name: str, line: str) -> None:
    preset = PRESETS[name]

    url = f"{proxy_url(PROXY, 'ri_k', name)}{preset.client_path}"

    assert shell_line(preset.style, url) == line


@pytest.mark.parametrize(
    ("style", "clients"),
    [
        (
            ClientStyle.OPENAI,
            ["openai-python", "openai-node", "litellm", "langchain", "vercel", "curl"],
        ),
        (
            ClientStyle.ANTHROPIC,
            ["anthropic-python", "anthropic-node", "litellm", "langchain", "vercel", "curl"],
        ),
        (ClientStyle.GEMINI, ["gemini-python", "gemini-node", "langchain", "vercel", "curl"]),
        (ClientStyle.OTHER, []),
    ],
)
def test_each_style_has_the_clients_that_speak_it(style: ClientStyle, clients: list[str]) -> None:
    assert [each.slug for each in client_codes(style, "https://x.example")] == clients


@pytest.mark.parametrize("style", STYLES)
def test_python_code_parses_and_has_the_address_once(style: ClientStyle) -> None:
    for each in client_codes(style, STYLES[style]):
        assert each.code.count(STYLES[style]) == 1
        if each.slug in ("litellm", "langchain") or each.slug.endswith("-python"):
            ast.parse(each.code)


@pytest.mark.parametrize(
    ("style", "slug", "address"),
    [
        # Its client appends /messages, others /v1/messages.
        (ClientStyle.ANTHROPIC, "vercel", f'"{ANTHROPIC}/v1"'),
        (ClientStyle.ANTHROPIC, "anthropic-node", f'"{ANTHROPIC}"'),
        (ClientStyle.GEMINI, "vercel", f'"{GEMINI}/v1beta"'),
        (ClientStyle.GEMINI, "gemini-python", f'"{GEMINI}"'),
        (ClientStyle.OPENAI, "vercel", f'"{OPENAI}"'),
    ],
)
def test_a_client_gets_the_part_of_the_path_that_it_does_not_append(
    style: ClientStyle, slug: str, address: str
) -> None:
    assert address in code_of(style, slug)


@pytest.mark.parametrize(
    ("style", "path"),
    [
        (ClientStyle.OPENAI, "/chat/completions"),
        (ClientStyle.ANTHROPIC, "/v1/messages"),
        (ClientStyle.GEMINI, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"),
    ],
)
def test_curl_is_one_command_with_a_json_body(style: ClientStyle, path: str) -> None:
    words = shlex.split(code_of(style, "curl"))

    assert words[:2] == ["curl", "-N"] and words[2] == f"{STYLES[style]}{path}"
    assert json.loads(words[words.index("-d") + 1])
