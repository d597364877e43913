import pytest

from development import selection
from development.selection import Parts, Request

ELSEWHERE = ["--ignore=tests/browser", "--ignore=tests/faults", "-p", "no:playwright"]
PAGES, FAULTS = "tests/browser", "tests/faults"
SCRIPTS = ["tests/static", "tests/clients/devtools", "tests/clients/node"]
WHOLE = ["-n", "auto", "--dist=worksteal"]
BESIDE = ["-n", "3", "--dist=worksteal"]
CLAIMS = "tests/archive/inspection/test_claims.py"


def parts(words: str) -> Parts:
    return selection.split(selection.requested(words.split()))


@pytest.fixture(autouse=True)
def six_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "BESIDE_OPTIONS", BESIDE)


def everything(whole: list[str], beside: list[str], *options: str) -> Parts:
    plain = [*options, "tests", *ELSEWHERE]
    # Of faults the default tier has one.
    of_faults = whole if "--all" in options else []
    return Parts(
        [*whole, *plain],
        [*beside, *options, PAGES],
        [*beside, *plain],
        [*of_faults, *options, FAULTS],
        SCRIPTS,
    )


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("", everything(WHOLE, BESIDE)),
        ("--all", everything(WHOLE, BESIDE, "--all")),
        ("-k tests", everything(WHOLE, BESIDE, "-k", "tests")),
        ("--pdb", everything([], [], "--pdb")),
        ("tests", everything([], [])),
        ("-- tests", everything([], [])),
    ],
)
def test_without_a_path_every_run_takes_part(words: str, chosen: Parts) -> None:
    assert parts(words) == chosen


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (
            f"{CLAIMS}::test_a -x --all",
            Parts(
                sqlite=["-x", "--all", f"{CLAIMS}::test_a", *ELSEWHERE],
                production=["-x", "--all", f"{CLAIMS}::test_a", *ELSEWHERE],
            ),
        ),
        ("tests/browser/conftest.py", Parts(pages=["tests/browser/conftest.py"])),
        ("tests/faults -k W2", Parts(faults=["-k", "W2", "tests/faults"])),
    ],
)
def test_a_path_reaches_the_runs_that_it_belongs_to(words: str, chosen: Parts) -> None:
    assert parts(words) == chosen


def test_our_own_options_are_taken_out_of_the_words() -> None:
    words = ["--all", "-x", "tests/core"]
    assert selection.requested(words) == Request(("-x",), ("tests/core",), is_all=True)
