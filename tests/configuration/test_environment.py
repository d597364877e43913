"""Values of the environment, and that a mistake in them ends every program with one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.configuration import environment
from inspector.configuration.environment import EnvironmentMistake
from tests.tiers import mostly_thorough

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = "INSPECTOR_EXAMPLE"
GOOD = {
    "DATABASE_URL": "postgresql://somebody:hunter2@127.0.0.1:1/archive",
    "REDIS_URL": "redis://:hunter2@127.0.0.1:1/0",
    "INSPECTOR_SECRET_KEY": "hunter2" * 5,
}
PROGRAMS = {
    "command": ("manage.py", "check"),
    "up": ("manage.py", "up", "--port", "1"),
    "migrate": ("manage.py", "migrate"),
    "web": ("manage.py", "web"),
    "worker": ("manage.py", "worker"),
    "sweep": ("manage.py", "sweep", "--once"),
    "proxy": ("manage.py", "proxy"),
    "celery": ("-m", "celery", "-A", "inspector.celery", "worker"),
    "wsgi": ("-c", "import inspector.wsgi"),
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_known", set(environment.known_variables()))


def run(program: tuple[str, ...], **variables: str) -> tuple[int, str]:
    given = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_", "REDIS_"))}
    command = [sys.executable, *program]
    done = subprocess.run(
        command, cwd=ROOT, env=given | variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize("program", mostly_thorough((words,) for words in PROGRAMS.values()))
def test_a_mistake_ends_every_program_with_one_line(program: tuple[str, ...]) -> None:
    code, told = run(program, **GOOD | {"DATABASE_URL": "mysql://somebody:hunter2@host/archive"})
    assert code == 1
    assert told == (
        "DATABASE_URL must be an address that begins with postgresql:// or postgres://.\n"
    )


@pytest.mark.parametrize(
    ("variables", "told"),
    mostly_thorough(
        [
            (GOOD | {"INSPECTOR_SECRET_KEY": ""}, "INSPECTOR_SECRET_KEY is missing"),
            (
                GOOD | {"INSPECTOR_SECRET_KEY": "hunter2" * 4},
                "INSPECTOR_SECRET_KEY is shorter than 32",
            ),
            ({"INSPECTOR_TRUSTED_PROXIES": "10.0.0.1/8"}, "INSPECTOR_TRUSTED_PROXIES must be"),
            (GOOD | {"INSPECTOR_TRUSTED_PROXIES": "10.0.0.0/8"}, "is for the embedded stack"),
            (GOOD | {"REDIS_URL": ""}, "REDIS_URL is missing"),
            (GOOD | {"DATABASE_URL": ""}, "DATABASE_URL is missing"),
            (GOOD | {"REDIS_URL": "amqp://host"}, "REDIS_URL must be an address"),
            (GOOD | {"DATABASE_URL_FILE": "x"}, "DATABASE_URL and DATABASE_URL_FILE are both set"),
            (
                {"INSPECTOR_ORIGNI": "x"},
                "INSPECTOR_ORIGNI is no setting; is INSPECTOR_ORIGIN meant?",
            ),
            ({"INSPECTOR_ORIGIN": "inspector.example"}, "INSPECTOR_ORIGIN must be"),
            ({"INSPECTOR_PROXY_ORIGIN": "http://host/proxy"}, "INSPECTOR_PROXY_ORIGIN must be"),
            ({"INSPECTOR_PROXY_NETWORKS": "models.example"}, "INSPECTOR_PROXY_NETWORKS must be"),
            ({"INSPECTOR_PROXY_IDLE_SECONDS": "5 min"}, "INSPECTOR_PROXY_IDLE_SECONDS must be"),
            ({"INSPECTOR_MAX_BODY_BYTES": "32 MB"}, "INSPECTOR_MAX_BODY_BYTES must be a number"),
            ({"INSPECTOR_SECRET_KEY": "", "INSPECTOR_SECRET_KEY_FILE": "/none"}, "cannot be read"),
        ],
        by_default=2,
    ),
)
def test_a_mistake_is_named_without_its_value(variables: dict[str, str], told: str) -> None:
    code, line = run(("manage.py", "check"), **variables)
    assert code == 1
    assert told in line and line.count("\n") == 1
    assert "hunter2" not in line


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXAMPLE, " ")
    assert environment.text(EXAMPLE, "usual") == "usual"
    assert environment.number(EXAMPLE, 7) == 7
    monkeypatch.setenv(EXAMPLE, "a, b,")
    assert environment.texts(EXAMPLE) == ["a", "b"]


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e3", "many", "٣", "9" * 19])
def test_a_number_counts_from_one_on(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXAMPLE, text)
    with pytest.raises(EnvironmentMistake, match=EXAMPLE):
        environment.number(EXAMPLE, 1)


def test_a_secret_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("hunter2\n")
    monkeypatch.setenv(f"{EXAMPLE}_FILE", str(file))
    assert environment.secret(EXAMPLE) == "hunter2"
    file.write_text("\n")
    with pytest.raises(EnvironmentMistake, match="is empty"):
        environment.secret(EXAMPLE)


@pytest.mark.parametrize(
    "text",
    [
        "inspector.example",
        "ftp://inspector.example",
        "https://",
        "https://a/path",
        "https://a?b",
        "https://user@a",
        "http://a:99999",
        "http://[::1",
    ],
)
def test_an_origin_is_scheme_and_host(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXAMPLE, "https://inspector.example:8443/")
    assert environment.origin(EXAMPLE, "") == "https://inspector.example:8443"
    monkeypatch.setenv(EXAMPLE, text)
    with pytest.raises(EnvironmentMistake, match=EXAMPLE):
        environment.origin(EXAMPLE, "")


def test_an_origin_that_nobody_gave_may_be_none() -> None:
    assert environment.origin(EXAMPLE, "") == ""


def test_a_header_begins_and_ends_with_no_space_however_it_is_spelt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(EXAMPLE, "authorization=%20Bearer%20abc%20, x-tenant = a")
    assert environment.pairs(EXAMPLE) == {"authorization": "Bearer abc", "x-tenant": "a"}
