"""Prints a script that completes commands and their options in a shell; files stay the shell's."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.operations.remote import commands

EXAMPLES = (
    ("completion bash > ~/.local/share/bash-completion/completions/inspector", "bash"),
    ("completion zsh >> ~/.zshrc", "zsh"),
    ("completion fish > ~/.config/fish/completions/inspector.fish", "fish"),
)
FUNCTION = """\
_inspector() {{
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{names}"; else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _inspector inspector"""
ZSH_HEAD = "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(options: Namespace) -> int:
    known = {name: _options(name) for name in commands.SUMMARIES}
    names = sorted({*known, *_managed(), "help"})
    if options.shell == "fish":
        print("\n".join(_fish(names, known)))
    else:
        print((ZSH_HEAD if options.shell == "zsh" else "") + _function(names, known))
    return 0


def _managed() -> list[str]:
    """The commands of an installation, by their files: nothing of them is imported."""
    folder = Path(__file__).parent.parent / "management" / "commands"
    return [file.stem for file in folder.glob("*.py") if not file.stem.startswith("_")]


def _options(name: str) -> list[str]:
    parser = commands.command_parser(name, commands.command_of(name))
    flags = (flag for action in parser._actions for flag in action.option_strings)
    return sorted(flag for flag in flags if flag.startswith("--"))


def _function(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> str:
    cases = (f'      {name}) words="{" ".join(flags)}" ;;' for name, flags in known.items())
    return FUNCTION.format(names=" ".join(names), cases="\n".join(cases))


def _fish(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> list[str]:
    first = f"complete -c inspector -f -n __fish_use_subcommand -a '{' '.join(names)}'"
    return [first] + [
        f"complete -c inspector -n '__fish_seen_subcommand_from {name}' -l {flag[2:]}"
        for name, flags in known.items()
        for flag in flags
    ]
