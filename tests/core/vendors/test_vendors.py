"""Vendors: told by host, header or body, and what is then known of the fields they add."""

from pathlib import Path
from typing import Any

import pytest

from inspector.core import formats, rules, vendors
from inspector.core.analysis import Analysis, Verdict
from inspector.core.findings import Severity
from inspector.core.formats import FieldsSeen
from inspector.core.reading import analyze
from inspector.core.vendors import Vendor, VendorSignals
from inspector.core.vendors.vendor import VendorLayer
from inspector.core.vendors.vendor_signals import host_of
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.core import vendors_page
from tests.core.bodies import DONE, GOOD, USAGE, analysis, choice, codes, event, reading
from tests.operations.recordings import recordings

HEX = b"0123456789abcdef0123456789abcdef"
UUID = b"0f1e2d3c-4b5a-4678-8765-0123456789ab"
OPENAI_ID = b"chatcmpl-BaselBernZugChurGlarusUriJura"


def answer(
    more: bytes = b"",
    *,
    response_id: bytes = b"chatcmpl-1",
    message: bytes = b'"role":"assistant","content":"Hi"',
    beside: bytes = b"",
    usage: bytes = b"",
    object_name: bytes = b"chat.completion",
) -> bytes:
    """A whole answer with fields beside the choices, in message, choice and usage."""
    counts = b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":5'
    only = choice(message, b'"finish_reason":"stop"' + (beside and b"," + beside))
    return (
        b'{"id":"%s","object":"%s","created":1795183339,"model":"parcel-1","choices":[%s],'
        b'"usage":{%s}%s}'
    ) % (response_id, object_name, only, counts + (usage and b"," + usage), more and b"," + more)


def chunks(*sent: bytes, object_name: bytes = b"chat.completion.chunk") -> bytes:
    """A stream of choices with what stands beside them."""
    head = b'{"id":"%s","object":"%s","created":1795183339,"model":"parcel-1","choices":[' % (
        UUID,
        object_name,
    )
    return b"".join(event(head + each + b"}") for each in sent)


SAID = b'{"index":0,"delta":{"role":"assistant","content":"Hi"}}]'
ENDED = b'{"index":0,"delta":{},"finish_reason":"stop"}]'
OPENROUTER = answer(b'"provider":"Parcel"', beside=b'"native_finish_reason":"STOP"')
XAI = answer(response_id=UUID, usage=b'"num_sources_used":0')
PERPLEXITY = chunks(SAID + b',"citations":["https://example.org"],"search_results":[]', ENDED)

RESPONSE = b'{"id":"%s","object":"response","status":"completed","model":"parcel-1","output":[]%s}'
RESPONSES: dict[str, bytes] = {
    "azure": RESPONSE % (b"resp_0" + b"a" * 49, b',"content_filters":null'),
    "bedrock": RESPONSE % (b"resp_" + b"b2" * 26, b""),
    "deepseek": RESPONSE % (UUID, b',"content_filters":null'),
    "openai": RESPONSE % (b"resp_0" + b"a" * 49, b""),
    "openrouter": RESPONSE % (b"gen-1795183339-BaselBernZugChurGlar", b""),
    "xai": RESPONSE % (UUID, b',"usage":{"num_sources_used":0}'),
}

TOLD: dict[str, bytes] = {
    "alibaba": answer(response_id=b"chatcmpl-0f1e2d3c-4b5a-9678-8765-0123456789ab"),
    "anthropic": b'{"id":"msg_01Basel","type":"message","role":"assistant","content":[]}',
    "azure": answer(b'"prompt_filter_results":[]', beside=b'"content_filter_results":{}'),
    "bedrock": b'{"id":"msg_bdrk_01Basel","type":"message","role":"assistant","content":[]}',
    "cerebras": answer(b'"time_info":{"total_time":0.1}'),
    "deepinfra": answer(usage=b'"estimated_cost":0.0001'),
    "deepseek": answer(
        b'"system_fingerprint":"fp_0a1b2c3d4e_prod0101_fp8_kvcache"',
        usage=b'"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":3',
    ),
    "fireworks": answer(b'"perf_metrics":{}'),
    "gemini": answer(
        message=b'"role":"assistant","content":"Hi","extra_content":{"google":{"thought":true}}'
    ),
    "gpustack": answer(
        b'"timings":{}',
        usage=b'"time_to_first_token_ms":9,"time_per_output_token_ms":1,"tokens_per_second":9.5',
    ),
    "groq": answer(b'"x_groq":{"id":"req_1"}'),
    "heroku": answer(b'"system_fingerprint":"heroku-inf-1a2b"'),
    "huggingface": answer(b'"system_fingerprint":"3.0.1-sha-0a1b2c3"'),
    "llamacpp": answer(b'"timings":{"prompt_n":3},"system_fingerprint":"b1234-0a1b2c3d"'),
    "minimax": answer(b'"base_resp":{"status_code":0}'),
    "mistral": answer(response_id=HEX),
    "moonshot": answer(response_id=b"chatcmpl-0123456789abcdef01234567", usage=b'"cached_tokens":1'),
    "novita": answer(b'"system_fingerprint":""', beside=b'"content_filter_results":{"hate":{}}'),
    "ollama": answer(b'"system_fingerprint":"fp_ollama"', response_id=b"chatcmpl-7"),
    "openai": answer(b'"service_tier":"default"', response_id=OPENAI_ID),
    "openrouter": OPENROUTER,
    "perplexity": PERPLEXITY,
    "pydantic-gateway": answer(usage=b'"pydantic_ai_gateway":{"cost_estimate":0.1}'),
    "sambanova": answer(b'"system_fingerprint":"fastcoe"'),
    "sglang": answer(beside=b'"matched_stop":"."'),
    "snowflake": answer(
        b'"system_fingerprint":"","service_tier":""', response_id=b"", message=b'"content":"4","refusal":""'
    ),
    "together": answer(b'"prompt":[]', beside=b'"seed":7'),
    "vercel-gateway": answer(
        b'"generationId":"gen_1"',
        response_id=b"gen_0123456789ABCDEFGHJKMNPQRS",
        usage=b'"num_sources_used":0',
    ),
    "vertexai": b'{"candidates":[{"finishReason":"STOP"}],"createTime":"2026-11-21T00:00:00Z"}',
    "vllm": answer(beside=b'"stop_reason":null'),
    "workflowai": answer(beside=b'"cost_usd":0.1'),
    "writer": answer(message=b'"content":"Hi","graph_data":null,"web_search_data":null'),
    "xai": XAI,
    "zai": answer(response_id=b"20261121180000f0e1d2c3b4a59687"),
}  # fmt: skip


def called(url: str, *headers: str) -> dict[str, Any]:
    """What is known of an exchange whose request went to this address."""
    return {"request": Request(url=url), "headers": tuple((name, "x") for name in headers)}


def test_a_vendor_is_told_by_what_only_it_sends() -> None:
    assert {slug: analysis(body).vendor for slug, body in TOLD.items()} == {
        slug: slug for slug in TOLD
    }


ERRORS: dict[str, bytes] = {
    "anthropic": b'{"type":"error","error":{"type":"overloaded_error","message":"no"}}',
    "azure": b'{"error":{"message":"no","code":"content_filter","innererror":{}}}',
    "groq": b'{"error":{"message":"no","code":"tool_use_failed","failed_generation":"maybe"}}',
    "huggingface": b'{"error":"no","error_type":"validation"}',
    "openrouter": b'{"error":{"message":"no","code":429,"metadata":{"provider_name":"Parcel"}}}',
    "together": b'{"id":"0f1e2d3c4b5a6978","error":{"message":"no","type":"t"}}',
}


@pytest.mark.parametrize(("slug", "body"), ERRORS.items())
def test_a_vendor_is_told_by_the_errors_that_only_it_sends(slug: str, body: bytes) -> None:
    assert [vendor.slug for vendor in told(body)] == [slug]


@pytest.mark.parametrize(("slug", "body"), RESPONSES.items())
def test_a_vendor_is_told_by_its_responses_whole_and_streamed(slug: str, body: bytes) -> None:
    assert analysis(body).vendor == slug
    last = event(b'{"type":"response.completed","response":%s}' % body)
    assert analysis(last).vendor == slug


def test_every_vendor_can_be_told() -> None:
    for vendor in vendors.vendors().values():
        by_address = [called(f"https://api.{host.lstrip('-')}/v1") for host in vendor.hosts]
        by_header = [called("", f"{name}x" if name[-1] == "-" else name) for name in vendor.headers]
        for known in (*by_address, *by_header):
            assert analysis(GOOD, **known).vendor == vendor.slug
        assert by_address or by_header or vendor.slug in TOLD


@pytest.mark.parametrize(
    "body", [GOOD, b'{"error":{"message":"no","type":"t","code":1}}', b"", b"x"]
)
def test_where_nothing_tells_the_vendor_it_is_null(body: bytes) -> None:
    assert analysis(body).vendor is None


def test_no_recording_is_two_vendors() -> None:
    for slug, body in TOLD.items():
        assert [vendor.slug for vendor in told(body)] == [slug]


def test_no_sample_is_two_vendors() -> None:
    for arrival in recordings():
        assert len(told_of(arrival.exchange)) < 2


def told(body: bytes) -> tuple[Vendor, ...]:
    return told_of(Exchange.of_body(body))


def told_of(exchange: Exchange) -> tuple[Vendor, ...]:
    """All vendors that are left, where a mistake in the signs leaves more than one."""
    clues: list[VendorSignals] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vendors, "detect_vendor", lambda each: clues.append(each))
        analyze(exchange)
    return vendors.detect_vendors(clues[0])


def test_a_model_never_tells_the_vendor() -> None:
    names = (b"grok-4", b"deepseek-chat", b"mistral-large", b"accounts/fireworks/models/parcel")
    for name in names:
        assert analysis(GOOD.replace(b"parcel-1", name)).vendor is None


def test_the_host_says_more_than_the_body() -> None:
    assert (
        analysis(TOLD["groq"], **called("https://router.huggingface.co/v1")).vendor == "huggingface"
    )
    assert analysis(XAI, **called("https://basel.openai.azure.com/openai/v1")).vendor == "azure"


def test_a_header_says_more_than_the_body_and_less_than_the_host() -> None:
    assert analysis(TOLD["openai"], **called("", "X-Portkey-Trace-Id")).vendor == "portkey"
    known = called("https://api.groq.com/openai/v1", "x-portkey-trace-id")
    assert analysis(GOOD, **known).vendor == "groq"


def test_a_host_that_only_ends_alike_is_another() -> None:
    assert analysis(GOOD, **called("https://notgroq.com/v1")).vendor is None
    assert analysis(GOOD, **called("https://groq.com.example.org/v1")).vendor is None


@pytest.mark.parametrize(
    "url", [None, "", "/v1/chat", "http://[::1", "http://\x00", "http://a:b:c"]
)
def test_an_address_without_a_host_tells_nothing(url: str | None) -> None:
    assert host_of(url) in ("", "\x00", "a")
    assert analysis(GOOD, request=Request(url=url)).vendor is None


def test_a_gateway_wins_over_whoever_stands_behind_it() -> None:
    body = answer(
        b'"provider":"Groq","x_groq":{"id":"req_1"},"prompt_filter_results":[]',
        beside=b'"native_finish_reason":"stop","matched_stop":null',
        usage=b'"num_sources_used":1',
    )
    assert analysis(body).vendor == "openrouter"


def test_two_vendors_of_which_neither_wins_are_none() -> None:
    body = answer(b'"time_info":{},"x_groq":{"id":"req_1"}')
    assert {vendor.slug for vendor in told(body)} == {"cerebras", "groq"}
    assert analysis(body).vendor is None


def test_a_keep_alive_comment_tells_its_sender() -> None:
    body = b": OPENROUTER PROCESSING\n\n" + chunks(SAID, ENDED) + DONE
    assert analysis(body).vendor == "openrouter"
    assert analysis(b": keep-alive\n\n" + chunks(SAID, ENDED) + DONE).vendor is None


def test_usage_inside_x_groq_tells_groq_and_is_its_usage() -> None:
    result = analysis(chunks(SAID, ENDED + b',"x_groq":{"id":"req_1",%s}' % USAGE) + DONE)
    assert (result.vendor, result.usage.total_tokens) == ("groq", 5)


def test_an_error_inside_x_groq_is_the_verdict() -> None:
    result = analysis(chunks(SAID, ENDED + b',"x_groq":{"id":"req_1","error":"over capacity"}'))
    assert result.verdict is Verdict.PROVIDER_ERROR
    assert result.verdict_reason.endswith("over capacity")


def test_fields_of_a_known_vendor_stay_extras() -> None:
    result = analysis(OPENROUTER)
    assert result.extras["/provider"] == "Parcel"
    assert result.choices[0].extras["/native_finish_reason"] == "STOP"


def test_a_meaning_is_known_per_level() -> None:
    groq = vendors.vendors()["groq"]
    assert groq.meaning("usage", "queue_time") == "time in the queue in s"
    assert groq.meaning("top", "queue_time") is None


# -- what rules and verdict know of it -------------------------------------------------------------


def test_a_finish_reason_of_the_vendor_is_known() -> None:
    odd = answer().replace(b'"stop"', b'"eos"')
    asked_at = Request(url="https://api.together.xyz/v1/chat/completions")
    assert "choice.finish-unknown" not in codes(analysis(odd, request=asked_at))
    assert "choice.finish-unknown" in codes(analysis(odd))


APART = b'"completion_tokens_details":{"reasoning_tokens":7}'
ARITHMETIC = {"usage.total-mismatch", "usage.part-exceeds-whole"}


def test_reasoning_counted_beside_the_completion_adds_up_where_the_vendor_counts_so() -> None:
    body = answer(response_id=UUID, usage=b'"num_sources_used":0,' + APART).replace(b":5,", b":12,")
    assert not ARITHMETIC & codes(analysis(body))
    azure = body.replace(b'"usage"', b'"prompt_filter_results":[],"usage"')
    assert analysis(azure).vendor == "azure"
    assert not ARITHMETIC & codes(analysis(azure))
    nobody = analysis(body.replace(UUID, b"1"))
    assert nobody.vendor is None
    assert {*ARITHMETIC, "usage.counted-beside"} & codes(nobody) == {"usage.counted-beside"}


def test_any_other_difference_stays_a_mismatch() -> None:
    body = answer(response_id=UUID, usage=b'"num_sources_used":0,' + APART).replace(b":5,", b":13,")
    assert "usage.total-mismatch" in codes(analysis(body))


def test_a_closing_object_of_the_vendor_ends_the_stream() -> None:
    body = chunks(SAID) + chunks(ENDED, object_name=b"chat.completion.done")
    result = analysis(body)
    assert (result.vendor, result.verdict) == ("perplexity", Verdict.COMPLETE)
    assert result.verdict_reason.endswith("the stream ended with chat.completion.done.")
    assert "envelope.object-unexpected" not in codes(result)


def test_a_promise_that_the_vendor_is_known_to_break_is_information() -> None:
    repeated = SAID.replace(b'"delta"', b'"message":{"content":"Hi"},"delta"')
    cited = b',"citations":[],"search_results":[]'
    (found,) = in_stream(analysis(chunks(repeated + cited, ENDED)))
    assert found.severity is Severity.INFO
    assert found.message.endswith(
        "Known for Perplexity: every chunk repeats the message so far beside its delta."
    )
    (found,) = in_stream(analysis(chunks(repeated, ENDED)))
    assert found.severity is Severity.WARNING


def in_stream(result: Analysis) -> list[Any]:
    return [finding for finding in result.findings if finding.code == "message.in-stream"]


def test_known_breaks_are_rules_that_no_verdict_needs() -> None:
    known = {rule.code for rule in rules.rules()}
    for vendor in vendors.vendors().values():
        assert set(vendor.breaks) <= known
        assert not any(code.startswith("ending.") for code in vendor.breaks)


# -- the file --------------------------------------------------------------------------------------


def test_a_vendor_names_dialects_that_exist_and_is_over_vendors_of_its_own_layer() -> None:
    known = vendors.vendors()
    for vendor in known.values():
        assert set(vendor.bases) <= set(formats.dialects())
        assert all(known[slug].layer is vendor.layer for slug in vendor.over)


def test_slugs_and_hosts_are_nobody_elses() -> None:
    hosts = [host for vendor in vendors.vendors().values() for host in vendor.hosts]
    assert len(hosts) == len(set(hosts))
    assert all(host == host.lower() for host in hosts)


def test_the_page_of_the_vendors_says_what_their_values_say() -> None:
    written = Path(__file__).parents[3] / "docs" / "vendors.md"
    assert written.read_text() == vendors_page.page()


INVENTED = """
[parcel]
title = "Parcel"
layer = "gateway"
hosts = ["parcel.example"]
signs.top = ["parcel_weight"]
top_fields.parcel_weight = "weight in g"
"""


def _forget_vendors() -> None:
    vendors.vendors.cache_clear()
    vendors.addresses.cache_clear()
    vendors.body_index.cache_clear()


def test_a_table_in_the_file_is_a_vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = tmp_path / "vendors.toml"
    tables.write_text(vendors.TABLES.read_text() + INVENTED)
    with monkeypatch.context() as patched:
        patched.setattr(vendors, "TABLES", tables)
        _forget_vendors()
        result = analysis(answer(b'"parcel_weight":7'))
        elsewhere = analysis(GOOD, **called("https://eu.parcel.example/v1"))
    _forget_vendors()
    assert (result.vendor, elsewhere.vendor) == ("parcel", "parcel")
    assert result.extras == {"/parcel_weight": 7}
    assert analysis(answer(b'"parcel_weight":7')).vendor is None


def test_layers_go_from_the_engine_to_the_client() -> None:
    assert list(VendorLayer) == [
        VendorLayer.ENGINE,
        VendorLayer.MAKER,
        VendorLayer.CLOUD,
        VendorLayer.GATEWAY,
    ]


def test_clues_of_nothing_tell_nobody() -> None:
    nothing: frozenset[str] = frozenset()
    signs = FieldsSeen(top=nothing, choice=nothing, message=nothing, objects=nothing, types=nothing)
    assert all(
        vendors.detect_vendor(VendorSignals(dialect=slug, signs=signs)) is None
        for slug in ("", "openai-chat")
    )


def test_a_vendor_shows_itself_as_soon_as_its_sign_has_come() -> None:
    machine = reading(chunks(SAID))
    assert machine.analysis().vendor is None
    machine.feed(Read(None, chunks(ENDED + b',"time_info":{}')))
    assert machine.analysis().vendor == "cerebras"
