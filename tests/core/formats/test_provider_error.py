"""Errors are read whatever their shape, and told in the sender's own words."""

import json
from typing import Any

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.formats.provider_error import error_message, stated_error
from inspector.core.wire.exchange import TransportOutcome
from tests.core.bodies import GOOD, GOOD_STREAM, analysis, codes, event
from tests.core.rules.answer_bodies import HI

SHAPES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"base_resp": {"status_code": 1008, "status_msg": "no balance"}}, "no balance"),
    ({"error_code": 17, "error_msg": "daily limit reached"}, "daily limit reached"),
    ({"error_code": "NOT_FOUND", "message": "no such endpoint"}, "no such endpoint"),
    ({"success": False, "errors": [{"code": 7003, "message": "no route"}]}, "no route"),
    ({"errors": {"model": ["is not known"]}}, "is not known"),
    ({"Response": {"Error": {"Code": "Auth", "Message": "wrong signature"}}}, "wrong signature"),
    ({"header": {"code": 10013, "message": "audit failed"}}, "audit failed"),
    ({"fault": {"faultstring": "quota used up"}}, "quota used up"),
    ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
    (
        {"type": "about:blank", "title": "Bad", "status": 400, "detail": "no messages"},
        "no messages",
    ),
    ({"code": "InvalidParameter", "message": "too long", "request_id": "r"}, "too long"),
    ({"code": 500, "msg": "upstream gone", "data": None, "success": False}, "upstream gone"),
    ({"statusCode": 401, "message": "wrong key"}, "wrong key"),
    ({"errorMessage": "timed out", "errorType": "Timeout"}, "timed out"),
    ({"success": False, "message": "no credit"}, "no credit"),
    ({"message": "API rate limit exceeded"}, "API rate limit exceeded"),
    ({"__type": "Throttled", "Message": "slow down"}, "slow down"),
    ({"error": "no such model"}, "no such model"),
    ({"error": True, "message": "it failed"}, "it failed"),
    ({"status": 404, "error": "Not Found", "message": "no such path"}, "no such path: Not Found"),
    ({"errcode": 40001, "errmsg": "wrong credential"}, "wrong credential"),
    ({"ok": False, "description": "wrong token"}, "wrong token"),
    ({"Code": "InvalidKey", "Message": "wrong key", "RequestId": "r"}, "wrong key"),
    ({"ResponseMetadata": {"Error": {"Code": "A", "Message": "not allowed"}}}, "not allowed"),
    ({"__type": "UnknownOperation"}, "UnknownOperation"),
    ({"base_resp": {"status_code": 1004}}, '{"status_code": 1004}'),
    (
        {"object": "error", "message": {"detail": [{"msg": "field required"}]}, "code": None},
        "field required",
    ),
    ({"type": "error", "message": "it broke", "code": None}, "it broke"),
    ({"error_message": "over quota", "status": "FAIL"}, "over quota"),
    ({"exception": "ValueError: no prompt"}, "ValueError: no prompt"),
    ({"err": "over quota"}, "over quota"),
    ({"Error": {"Code": "Throttled", "Message": "slow down"}}, "slow down"),
    ({"ret_code": 1204, "ret_msg": "key is frozen"}, "key is frozen"),
    ({"retcode": 10012, "retmsg": "no such model", "data": None}, "no such model"),
    ({"retCode": "E12", "retMsg": "no such model"}, "no such model"),
    ({"errno": 3, "errmsg": "daily limit reached"}, "daily limit reached"),
    ({"errno": 3, "msg": "daily limit reached"}, "daily limit reached"),
    ({"err_no": 6, "err_msg": "not allowed"}, "not allowed"),
    ({"errCode": "A0231", "errMsg": "token expired"}, "token expired"),
    ({"errorCode": 31, "errorMsg": "token expired"}, "token expired"),
    ({"resultCode": 7, "resultMessage": "queue is full"}, "queue is full"),
    ({"status_code": 1008, "status_msg": "no balance"}, "no balance"),
    ({"ret": -1, "msg": "signature is wrong", "data": {}}, "signature is wrong"),
    ({"code": "11200", "desc": "no licence"}, "no licence"),
    ({"error": 1, "message": "it failed"}, "it failed"),
)
NO_ERRORS: tuple[dict[str, Any], ...] = (
    {"base_resp": {"status_code": 0, "status_msg": ""}},
    {"base_resp": {"status_code": 0, "status_msg": "success"}},
    {"code": 0, "msg": "ok", "data": {"id": 1}},
    {"code": 200, "message": "success"},
    {"success": True, "message": "done"},
    {"error": None, "ok": True},
    {"errors": None, "result": {}},
    {"message": "hello", "user": "me"},
    {"detail": None},
    {"errcode": 0, "errmsg": "ok"},
    {"ok": True, "description": "done"},
    {"base_resp": {"status_code": 0}},
    {"object": "error", "message": "", "code": None},
    {"exception": None, "err": ""},
    {"code": 1000, "message": "Success", "data": {}},
    {"ret_code": 0, "ret_msg": "OK"},
    {"errno": 0, "errmsg": ""},
    {"code": "00000", "msg": "一切正常", "data": {}},
    {"code": 1, "msg": "操作成功", "data": {}},
    {"resultCode": "0000", "resultMsg": "done"},
    {"error": 0, "data": {}},
    {"success": True, "errors": [], "messages": [], "result": {}},
    {"ret_code": 1204},
    {"error": {"code": 0, "message": "", "type": None}},
)


@pytest.mark.parametrize(("body", "words"), SHAPES)
def test_an_error_of_any_shape_is_one_whatever_its_status(body: dict[str, Any], words: str) -> None:
    result = analysis(json.dumps(body).encode())
    assert (result.verdict, result.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert result.verdict_reason.endswith(words)
    assert "envelope.provider-error" in codes(result)


@pytest.mark.parametrize("body", NO_ERRORS)
def test_what_says_that_all_is_well_states_no_error(body: dict[str, Any]) -> None:
    assert stated_error(body) is None


@pytest.mark.parametrize(
    "member",
    [
        b'"base_resp":{"status_code":0}',
        b'"code":200,"msg":"fine"',
        b'"error":{"code":0,"message":""}',
    ],
)
def test_an_answer_beside_a_status_of_success_is_an_answer(member: bytes) -> None:
    result = analysis(GOOD[:-1] + b"," + member + b"}")
    assert (result.verdict, result.result) == (Verdict.COMPLETE, Result.ANSWERED)


@pytest.mark.parametrize(
    "sent",
    [
        event(b'{"code":503,"message":"overloaded","request_id":"r"}'),
        event(b'{"error_code":503,"error_msg":"overloaded"}'),
        event(b'[{"error":{"message":"overloaded"}}]'),
        b"Error: overloaded\n\n",
        b"event: error\n" + event(b"overloaded"),
        b"event: error\n" + event(b'"overloaded"'),
        b'[{\n  "error": {\n    "message": "overloaded"\n  }\n}]\n\n',
    ],
)
def test_an_error_of_another_shape_is_read_in_a_stream(sent: bytes) -> None:
    result = analysis(HI + sent)
    assert result.verdict_reason.endswith(": overloaded")
    assert "chunks.choices-missing" not in codes(result)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n"])
@pytest.mark.parametrize(
    "line",
    [
        b'{"error": {"message": "overloaded"}}',
        b'{"code":503,"message":"overloaded"}',
        b'{"detail":"overloaded"}',
    ],
)
def test_an_error_without_a_field_ends_a_stream(line: bytes, end: bytes) -> None:
    result = analysis(HI + line + end)
    assert result.verdict_reason.endswith(": overloaded")
    assert "framing.error-line" in codes(result)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_an_answer_behind_a_stream_is_not_passed_over(end: bytes) -> None:
    assert "framing.several-documents" in codes(analysis(GOOD_STREAM + GOOD + end))


def test_another_object_without_a_field_is_no_error() -> None:
    result = analysis(HI + b'{"note":"so far"}\n')
    assert not codes(result) & {"framing.error-line", "envelope.provider-error"}


def test_what_comes_in_place_of_an_error_object_is_quoted() -> None:
    assert analysis(b"upstream connect error", status_code=502).verdict_reason == (
        "The upstream answered with status 502, but no error object: “upstream connect error”."
    )


@pytest.mark.parametrize(
    ("title", "status", "words"),
    [
        (b"502 Bad Gateway", 502, "502 Bad Gateway"),
        (b"Please wait", 503, "503 “Please wait”"),
        (b"Sign in", 200, "“Sign in”"),
    ],
)
def test_a_web_page_is_called_one_with_its_title(title: bytes, status: int, words: str) -> None:
    body = b"<html><head><title>%s</title></head></html>" % title
    result = analysis(body, status_code=status)
    assert result.verdict_reason == f"A web page, not an answer: {words}."


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (b"<html><head><title>502 Bad Gateway</title></head></html>", Verdict.UPSTREAM_ERROR),
        (b'{"error":{"message":"overloaded"}}', Verdict.PROVIDER_ERROR),
    ],
)
def test_a_client_that_closes_after_a_failure_changes_nothing_of_it(
    body: bytes, verdict: Verdict
) -> None:
    closed = analysis(body, status_code=502, outcome=TransportOutcome.CLIENT_CANCELLED)
    whole = analysis(body, status_code=502)
    assert (closed.verdict, closed.verdict_reason) == (verdict, whole.verdict_reason)
    assert closed.result_reason == whole.result_reason


@pytest.mark.parametrize("body", [b'{"note":"x","why":"the tank is empty"}', b"{}", b'["no"]'])
def test_json_with_the_status_of_a_failure_is_an_error_whatever_it_holds(body: bytes) -> None:
    assert analysis(body, status_code=418).result is Result.ERROR


def test_an_empty_object_with_the_status_of_a_failure_is_quoted() -> None:
    result = analysis(b"{}", status_code=503)
    assert result.verdict_reason == "The provider sent an error: an empty object, {}"


def test_an_answer_with_the_status_of_a_failure_is_an_error_to_programs() -> None:
    result = analysis(GOOD, status_code=400)
    assert result.result is Result.ERROR
    assert result.result_reason == "It came with status 400, for which programs raise an error."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"message": "Provider returned error", "metadata": {"raw": "rate-limited upstream"}},
            "Provider returned error: rate-limited upstream"),
        ({"message": "Provider returned error", "metadata": {"raw": '{"error":{"message":"slow down"}}'}},
            "Provider returned error: slow down"),
        ({"message": "refused", "innererror": {"code": "Filtered"}}, "refused: Filtered"),
        ({"message": "too long", "cause": {"message": "too long"}}, "too long"),
        ({"message": "bad", "details": [{"reason": "KEY_INVALID"}]}, "bad: KEY_INVALID"),
        ({"message": "bad", "error": {"message": "worse"}}, "bad: worse"),
        ({"code": 7}, "7"),
        ({"details": {"inner": ["deep"]}}, "deep"),
        ({}, "an empty object, {}"),
        ([], "an empty list, []"),
        (None, "no message"),
    ],
)  # fmt: skip
def test_what_caused_an_error_is_told_with_it(error: Any, said: str) -> None:
    assert error_message(error) == said


def test_an_error_of_a_choice_that_says_nothing_is_none() -> None:
    blank = b'"finish_reason":"stop","error":{"code":0,"message":""}'
    assert analysis(GOOD.replace(b'"finish_reason":"stop"', blank)).verdict is Verdict.COMPLETE


def test_a_key_in_an_error_is_masked() -> None:
    assert error_message("wrong key sk-aB3dE5gH7jK9mN1pQ3sT") == "wrong key " + "*" * 23


@pytest.mark.parametrize("nested", ['{"error":' * 500, "[" * 500, '{"message":"' + '\\"' * 500])
def test_an_error_inside_errors_is_followed_only_so_far(nested: str) -> None:
    assert error_message({"message": nested}) != ""


@pytest.mark.parametrize("code", [[], {}, ["x"], {"a": []}])
def test_a_code_of_any_type_is_read(code: Any) -> None:
    stated = stated_error({"message": "Slow down.", "code": code})
    assert stated is not None
    assert error_message(stated[0]) == "Slow down."
