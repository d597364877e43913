from development.inventory import inventory, report

BEFORE = {
    "inspector/teams/authorisation.py": 'ROWS = ["dashboard:home"]\n',
    "api/operations/captures.py": 'CAPTURES = Endpoint("api:captures", "api/v1/captures/")\n',
    "tests/teams/test_matrix.py": 'ASKERS = ("owner", "key")\n',
    "tests/core/rules/rule_cases.py": 'CASES = {"json.invalid": ("{", "{}")}\n',
    "tests/core/test_a.py": 'HOSTILE = ["<b>", b"\\xff"]\ndef test_x():\n    assert "long input"\n',
    "tests/faults/web.py": '@row("W2", "production")\ndef kill(): ...\n',
}


def test_everything_that_is_covered_is_listed() -> None:
    found = inventory(BEFORE)
    assert found["tests"] == {"test_a::test_x"}
    assert found["rules with cases"] == {"json.invalid"}
    assert found["routes x principals"] == {
        *("api:captures as owner", "api:captures as key"),
        *("dashboard:home as owner", "dashboard:home as key"),
    }
    assert found["hostile inputs"] == {"<b>", str(b"\xff")}
    assert found["fault rows"] == {"W2"}
    assert "long input" in found["literal inputs"]


def test_what_is_gone_is_named_and_what_moved_is_not() -> None:
    after = {
        **{path: text for path, text in BEFORE.items() if "test_a" not in path},
        "tests/elsewhere/test_a.py": 'HOSTILE = ["<b>"]\ndef test_x():\n    assert "long input"\n',
    }
    lines = list(report(inventory(BEFORE), inventory(after)))
    assert "tests: 1 before, 1 now" in lines
    gone = lines.index("hostile inputs: 2 before, 1 now") + 1
    assert lines[gone] == "  gone: " + repr(str(b"\xff"))
