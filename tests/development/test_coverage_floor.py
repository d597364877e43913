from development import coverage_floor
from development.coverage_floor import Share

REPORT = {
    "files": {
        "inspector/core/wire/sse.py": {
            "summary": {
                "num_statements": 8,
                "missing_lines": 1,
                "num_branches": 2,
                "missing_branches": 1,
            }
        },
        "inspector/core/wire/framing.py": {
            "summary": {
                "num_statements": 2,
                "missing_lines": 0,
                "num_branches": 0,
                "missing_branches": 0,
            }
        },
        "inspector/urls.py": {"summary": {"num_statements": 3, "missing_lines": 3}},
        "api/openapi/components.py": {"summary": {"num_statements": 1, "missing_lines": 0}},
    }
}


def test_files_are_summed_up_by_package() -> None:
    assert [*coverage_floor.shares(REPORT)] == [
        Share("api", 1, 0, 0, 0),
        Share("inspector", 3, 3, 0, 0),
        Share("inspector/core", 10, 1, 2, 1),
    ]


def test_the_percentage_is_of_lines_and_branches_together() -> None:
    assert round(Share("inspector/core", 10, 1, 2, 1).percent, 2) == 83.33
    assert Share("empty", 0, 0, 0, 0).percent == 100
