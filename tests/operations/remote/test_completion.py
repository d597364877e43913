"""``completion``: the script of a shell, run by that shell where it is installed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from inspector.operations.remote.commands import SUMMARIES, run_remote


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run_remote(["inspector", "completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["inspector", "se"], "send"),
        (["inspector", "ins"], "inspect"),
        (["inspector", "send", "--dry"], "--dry-run"),
        (["inspector", "watch", "--c"], "--count"),
        (["inspector", "delete", "--c"], "--confirm-captures"),
        (["inspector", "export_a"], "export_archive"),
        (["inspector", "imp"], "import import_archive"),
        (["inspector", "backup", "--x"], ""),
    ],
)
def test_bash_completes_commands_and_options(
    words: list[str], completed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _inspector; echo "${{COMPREPLY[@]}}"'
    told = subprocess.run(
        ["bash", "-c", script("bash", capsys) + "\n" + ask],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (told.stdout.strip(), told.stderr) == (completed, "")


def test_the_scripts_of_other_shells_name_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in ("zsh", "fish"):
        text = script(shell, capsys)
        assert all(name in text for name in (*SUMMARIES, "up", "inspect"))
    assert "__fish_seen_subcommand_from send' -l dry-run" in text
