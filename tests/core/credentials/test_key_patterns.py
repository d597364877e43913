"""Keys that are told by their shape, in values, addresses and metadata whatever the name."""

from itertools import product

import pytest

from inspector.core.credentials import headers, key_patterns, urls
from inspector.core.credentials.json_members import MetadataCleaner
from inspector.core.credentials.names import HARMLESS, KEPT_OF_REQUESTS
from inspector.core.credentials.spans import REMOVED_MARK

CHANCE = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1bC2dE3fG4hJ5"
HEX = "0123456789abcdef0123456789abcdef"
KEYS = (
    *(f"{sign}{CHANCE}" for sign in ("sk-", "sk-proj-", "sk-ant-api03-", "csk-", "ya29.", "xai-")),
    *(f"{sign}{CHANCE}" for sign in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")),
    *(f"{sign}{CHANCE}" for sign in ("xoxb-", "xoxd-", "xoxp-", "xapp-", "glpat-", "hf_", "gsk_")),
    *(f"{sign}{CHANCE}" for sign in ("r8_", "npm_", "pypi-", "nvapi-", "pplx-", "tvly-", "fw_")),
    *(f"{sign}{CHANCE}" for sign in ("sk_live_", "rk_live_", "whsec_", "ABSK", "pcsk_", "vck_")),
    *(f"{sign}{CHANCE}" for sign in ("AQ.", "GOCSPX-", "jina_", "hvs.", "dckr_pat_", "lin_api_")),
    *(f"{sign}{HEX}" for sign in ("sk-or-v1-", "shpat_", "shpca_", "dapi", "fc-", "ls__")),
    *(f"{sign}{CHANCE}" for sign in ("sk_", "glrt-", "gldt-", "hvr.", "dckr_oat_", "glc_")),
    *(f"{sign}{CHANCE}" for sign in ("sb_secret_", "PMAK-", "HRKU-", "fm2_", "rnd_", "nfp_")),
    *(f"{sign}{CHANCE}" for sign in ("e2b_", "rpa_", "cfut_", "api_org_", "apify_api_", "NRAK-")),
    *(f"{sign}{CHANCE}" for sign in ("sess-", "dp.pt.", "secret_", "pa-", "1//0", "sha256~")),
    f"ATATT3{CHANCE}{CHANCE}=1A2B3C4D",
    f"pscale_pw_{CHANCE}",
    f"sbp_{HEX}01234567",
    f"rubygems_{HEX}0123456789abcdef",
    f"doo_v1_{HEX}{HEX}",
    f"ops_eyJ{CHANCE}",
    f"LTAI{CHANCE[:20]}",
    f"dt0c01.ABCDEFGHIJKLMNOPQRSTUVWX.{HEX}{HEX}".replace("a", "A"),
    f"AGE-SECRET-KEY-1{HEX.upper()}{HEX[:26].upper()}",
    f"hooks.slack.com/services/T0AB1CD2E/B3FG4HI5J/{CHANCE[:24]}",
    f"AIza{CHANCE[:35]}",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2ln",
    f"SG.{CHANCE[:22]}.{CHANCE[:43]}",
)
SOUND = (
    "sk-learn",
    "sk-SK",
    "task-force-of-many-words",
    "risk-0123456789abcdefABCDEF",
    "AIza",
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9",
    "ghp_",
    "xoxb-",
    "AKIA",
    "AKIAIOSFODNN7EXAMPLEandmore",
    "AQ.",
    "SG.1",
    "dapi",
    "fc-barcelona",
    "jina_embeddings_v3",
    "sk_buff_of_the_kernel",
    "secret_santa",
    "pa-rental",
    "1//0",
    "rnd_seed",
    "pscale_connect",
    "sha256~",
    "LTAIR",
    "hf_transformers",
    "npm_config_cache",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "chatcmpl-BxYz0123456789abcdefABCD",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "fp_0123456789abcdef",
    "org-AbCdEf0123456789AbCdEf01",
    "8f14e45f-ceea-467f-a8e2-3a1d5b5c2f11",
    "sess-8f14e45f-ceea-467f-a8e2-3a1d5b5c2f11",
    "01JD3V5K6M7N8P9QRSTVWXYZ01",
    "gpt-4o-mini-2024-07-18",
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
    HEX,
    "d41d8cd98f00b204e9800998ecf8427e",
    "W/xyz",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
    "bearer of news",
    "basic plan",
    "token count",
    "2026-11-27T19:00:00Z",
    "eu-west-1",
    "text/event-stream; charset=utf-8",
)


def test_a_key_goes_whatever_stands_beside_it() -> None:
    for key in KEYS:
        (_, kept), (_, named) = headers.of_request(
            (("User-Agent", f"tool/1 ({key})"), ("x-title", key))
        )
        assert (kept, named) == ("tool/1 ([removed])", "[removed]")
        assert headers.of_response((("Server", key),)) == (("Server", "[removed]"),)
        assert urls.clean_url(f"https://h/v1?x={key}&b=1") == "https://h/v1?x=[removed]&b=1"
        assert urls.clean_url(f"https://h/v1/{key}?b#c") == "https://h/v1/[removed]?b#c"
        assert MetadataCleaner(()).cleaned_object({"a": [{"note": key}]}) == {
            "a": [{"note": "[removed]"}]
        }


def test_no_header_that_is_kept_by_its_name_keeps_a_key() -> None:
    for name in {*KEPT_OF_REQUESTS, *HARMLESS, "x-stainless-os"}:
        sent = tuple((name, key) for key in KEYS)
        for kept in (headers.of_request(sent), headers.of_response(sent)):
            assert {value for _, value in kept} == {REMOVED_MARK}


def test_a_key_is_found_anywhere_in_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_patterns, "SPLIT_CHARACTERS", 100)
    for key, before in product(KEYS, range(40, 120, 7)):
        text = f"{'of ' * before}{key} and more"
        [(start, end)] = key_patterns.key_spans_in_text(text)
        assert (start, text[start:end]) == (3 * before, key)


def test_what_only_begins_like_a_key_stays() -> None:
    for text in SOUND:
        assert headers.of_request((("User-Agent", text),)) == (("User-Agent", text),)
        assert headers.of_response((("x-mood", text),)) == (("x-mood", text),)
        assert MetadataCleaner(()).cleaned_object({"note": text}) == {"note": text}
        if " " not in text:
            assert (
                urls.clean_url(f"https://h/v1/{text}?x={text}") == f"https://h/v1/{text}?x={text}"
            )


def test_a_connection_string_keeps_what_is_not_its_key() -> None:
    sent = f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={CHANCE};EndpointSuffix=e"
    [(start, end)] = key_patterns.key_spans_in_text(sent)
    assert sent[start:end] == CHANCE


def test_only_the_pattern_of_a_key_whose_sign_a_text_has_is_made() -> None:
    key_patterns._compiled.cache_clear()
    assert list(key_patterns.key_spans_in_text("There is no key in this sentence.")) == []
    assert key_patterns._compiled.cache_info().misses == 0
    [found] = key_patterns.key_spans_in_text(f"It is npm_{CHANCE}.")
    assert found.end - found.start == len(f"npm_{CHANCE}")
    assert key_patterns._compiled.cache_info().misses == 1
