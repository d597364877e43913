"""``export`` and ``delete`` against a server with captures in it, by a key alone."""

import io
from pathlib import Path

import pytest

from inspector.configuration import environment
from inspector.operations.remote import client, delete
from inspector.operations.remote.commands import SUMMARIES, run_remote
from tests.api.serving import Server, keep_one

ANSWER = b'{"object":"chat.completion","model":"%s","choices":[]}'


@pytest.fixture(scope="session")
def manager_key(server: Server) -> str:
    scopes = ("ingest", "read", "delete", "export")
    options = [word for scope in scopes for word in ("--scope", scope)]
    made = server.manage("create_api_key", "--team", "default", "--name", "manager", *options)
    return made.strip()


@pytest.fixture
def managing(server: Server, manager_key: str, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Return a server, asked with a key that may do all three; it sweeps while a command waits."""
    monkeypatch.setenv("INSPECTOR_URL", server.url)
    monkeypatch.setenv("INSPECTOR_KEY", manager_key)
    monkeypatch.setattr(client, "pause", lambda seconds: server.manage("sweep", "--once"))
    return server


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_remote(["inspector", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def kept(server: Server, model: str, number: int) -> None:
    for _ in range(number):
        keep_one(server, ANSWER % model.encode())


def found(capsys: pytest.CaptureFixture[str], query: str) -> int:
    return len(ran(capsys, "list", query, "--json", "--limit", "50")[1].splitlines())


@pytest.mark.thorough
def test_what_is_exported_is_stored_once_however_often_it_is_sent(
    managing: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept(managing, "carried-1", 2)
    file = tmp_path / "all.jsonl"
    code, _, err = ran(capsys, "export", "model:carried-1", "-o", str(file))
    assert (code, err.split(",")[0]) == (0, "2 captures")
    assert len(file.read_bytes().splitlines()) == 2

    for words in ("2 stored", "2 stored before"):
        code, out, _ = ran(capsys, "send", str(file))
        assert (code, out.splitlines()[0]) == (0, f"{file}: envelopes, {words}")


def test_captures_are_deleted_when_their_number_is_given_and_else_none(
    managing: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(managing, "trial-1", 3)
    code, _, err = ran(capsys, "delete", "model:trial-1", "--confirm-captures", "2")
    assert code == 2
    assert "3 captures match" in err
    assert found(capsys, "model:trial-1") == 3

    code, out, _ = ran(capsys, "delete", "model:trial-1", "--confirm-captures", "3")
    assert (code, out.split(",")[0]) == (0, "3 captures deleted")
    assert found(capsys, "model:trial-1") == 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.thorough
@pytest.mark.parametrize(("typed", "left"), [("1\n", 0), ("2\n", 1), ("yes\n", 1), ("\n", 1)])
def test_somebody_at_a_terminal_types_the_number(
    managing: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    left: int,
) -> None:
    model = f"typed-{typed.strip() or 'nothing'}"
    kept(managing, model, 1)
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    code, _, err = ran(capsys, "delete", f"model:{model}")
    assert "1 captures match. Deleted is for good." in err
    assert code == (2 if left else 0)
    assert found(capsys, f"model:{model}") == left


def test_without_a_terminal_and_a_number_nothing_is_deleted(
    managing: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(managing, "piped-1", 1)
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    code, _, err = ran(capsys, "delete", "model:piped-1")
    assert code == 2
    assert "1 captures match: give that number with --confirm-captures" in err
    assert found(capsys, "model:piped-1") == 1


def test_a_key_without_the_scope_is_told_so(
    managing: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("INSPECTOR_KEY", managing.key)
    for arguments in (
        ("export", "-o", str(tmp_path / "all")),
        ("delete", "model:x", "--confirm-captures", "0"),
    ):
        code, out, err = ran(capsys, *arguments)
        assert (code, out) == (2, "")
        assert "scope" in err
    assert not list(tmp_path.iterdir())


def test_the_commands_of_a_host_have_other_names() -> None:
    folder = Path(delete.__file__).parent.parent / "management" / "commands"
    assert not SUMMARIES.keys() & {file.stem for file in folder.glob("*.py")}


def test_who_set_the_variables_of_these_commands_or_of_a_client_can_run_those_of_a_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert {client.URL_VARIABLE, client.KEY_VARIABLE} < environment.CLIENT_VARIABLES
    for name in environment.CLIENT_VARIABLES:
        monkeypatch.setenv(name, "x")
    environment.require_known_variables()
