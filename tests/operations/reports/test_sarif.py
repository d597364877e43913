"""SARIF 2.1.0: one log for all inputs, as code scanning takes it."""

import io
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from inspector.core.rules import rules
from inspector.operations.reports.sarif import _plain, _uri
from inspector.version import VERSION
from tests.operations.reports.inspecting import (
    FAILED,
    FIRST,
    LAST,
    WARNED,
    WHOLE,
    told,
    write_reads,
)


def run_of(*arguments: object) -> dict[str, Any]:
    log = json.loads(told(*arguments, "--format", "sarif"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def location_of(result: dict[str, Any]) -> Any:
    (location,) = result["locations"]
    return location["physicalLocation"]


def test_all_inputs_are_one_document() -> None:
    Path("a.json").write_bytes(FAILED)
    Path("b.json").write_bytes(WHOLE)
    Path("c.json").write_bytes(WARNED)
    results = run_of(".")["results"]
    assert [(one["ruleId"], location_of(one)["artifactLocation"]["uri"]) for one in results] == [
        ("json.invalid", "a.json"),
        ("usage.total-mismatch", "c.json"),
    ]


def test_a_result_has_all_that_code_scanning_asks_for() -> None:
    Path("a b.sse").write_bytes(FIRST + b"Data: x\n\n" + LAST)
    result = run_of("a b.sse")["results"][0]
    fingerprint = result["partialFingerprints"].pop("primaryLocationLineHash")
    assert len(fingerprint) == 18 and fingerprint.endswith(":1")
    index = [rule.code for rule in rules()].index("framing.misspelt-field")
    assert result == {
        "ruleId": "framing.misspelt-field",
        "ruleIndex": index,
        "level": "warning",
        "message": {"text": "The line beginning 'Data' is not an event field."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a%20b.sse"},
                    "region": {
                        "startLine": 3,
                        "startColumn": 1,
                        "endLine": 4,
                        "endColumn": 1,
                        "byteOffset": 177,
                        "byteLength": 8,
                    },
                }
            }
        ],
        "partialFingerprints": {},
        "properties": {"event": 1, "byteStart": 177, "byteEnd": 185},
    }


def test_a_finding_without_bytes_is_on_line_1_and_says_its_pointer() -> None:
    Path("a.json").write_bytes(WARNED)
    (location,) = run_of("a.json")["results"][0]["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 1}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/usage/total_tokens"}]


def test_every_rule_is_described_from_its_docstring() -> None:
    Path("a.json").write_bytes(WHOLE)
    driver = run_of("a.json")["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("Response Inspector", VERSION)
    described = {rule["id"]: rule for rule in driver["rules"]}
    assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in rules()]
    assert described["json.broken-chunk"] == {
        "id": "json.broken-chunk",
        "shortDescription": {"text": "The data of an event begins like JSON but is not valid."},
        "fullDescription": {"text": "The data of an event begins like JSON but is not valid."},
        "help": {
            "text": "The data of an event begins like JSON but is not valid.\n"
            "Impact: Clients that parse every event fail or lose the chunk."
        },
        "defaultConfiguration": {"level": "error"},
    }
    levels = {rule["defaultConfiguration"]["level"] for rule in driver["rules"]}
    assert levels == {"error", "warning", "note"}


def test_a_result_that_makes_the_command_fail_is_a_result_of_the_document() -> None:
    Path("a.json").write_bytes(WHOLE)
    Path("b.json").write_bytes(WHOLE.replace(b'"Hello"', b'""'))
    arguments = [".", "--format", "sarif", "--fail-on", "result=empty", "--fail-on", "error"]
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("inspect", *arguments, stdout=out)
    (run,) = json.loads(out.getvalue())["runs"]
    failure, finding = run["results"]
    assert (failure["ruleId"], failure["level"]) == ("result/empty", "error")
    assert failure["message"] == {"text": "The answer has no text, tool call or refusal."}
    assert location_of(failure)["artifactLocation"] == {"uri": "b.json"}
    assert failure["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "/choices/0"}]
    described = run["tool"]["driver"]["rules"]
    assert described[failure["ruleIndex"]]["id"] == "result/empty"
    assert finding["ruleId"] == "choice.says-nothing"
    assert len(described) == len(rules()) + 1


def test_a_result_that_nobody_asked_to_fail_on_is_none_of_the_document() -> None:
    Path("a.json").write_bytes(WHOLE)
    run = run_of("a.json", "--fail-on", "result=empty")
    assert run["results"] == []


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def test_a_fingerprint_outlives_the_recording_and_tells_findings_apart() -> None:
    def prints(body: bytes) -> list[str]:
        Path("a.sse").write_bytes(body)
        results = run_of("a.sse")["results"]
        return [one["partialFingerprints"]["primaryLocationLineHash"] for one in results]

    wrong = b"Data: x\n\n" + b"DATA: x\n\n"
    first = prints(FIRST + wrong + LAST)
    assert prints(FIRST.replace(b"Hello", b"Another one") + b": ping\n\n" + wrong + LAST) == first
    assert len(set(first)) == len(first) == 3


def test_reads_have_lines_but_no_bytes_of_the_file() -> None:
    write_reads(Path("a.reads.jsonl"), (1, FIRST), (2, b"Data: x\n\n"), (3, LAST))
    result = run_of("a.reads.jsonl")["results"][0]
    assert location_of(result)["region"] == {"startLine": 2, "startColumn": 1}
    assert result["properties"] == {"event": 1, "byteStart": 177, "byteEnd": 185}


def test_bytes_that_are_no_text_have_an_offset_and_no_column() -> None:
    Path("a.json").write_bytes(b'\x00{"choices":[')
    regions = [location_of(one)["region"] for one in run_of("a.json")["results"]]
    assert regions and all("startColumn" not in region for region in regions)


def test_what_cannot_be_read_is_told_in_the_document_too() -> None:
    Path("a.json").write_bytes(WHOLE)
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("inspect", "a.json", "b.json", "--format", "sarif", stdout=out)
    (run,) = json.loads(out.getvalue())["runs"]
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [
                {"level": "error", "message": {"text": "b.json: No such file or directory"}}
            ],
        }
    ]
    assert run_of("a.json")["invocations"] == [{"executionSuccessful": True}]


def test_no_text_of_a_model_becomes_a_link() -> None:
    assert _plain("see [this](https://example.com)") == r"see \[this\](https://example.com)"
    assert _plain("An event came after [DONE].") == "An event came after [DONE]."


def test_a_file_outside_of_the_checkout_keeps_its_whole_address() -> None:
    assert _uri("../a b.json") == (Path.cwd().parent / "a b.json").as_uri()
    assert _uri("-") == "stdin"
    assert _uri(str(Path.cwd() / "ü.json")) == "%C3%BC.json"
