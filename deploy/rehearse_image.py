"""The steps of the Dockerfile on this machine, without an engine: each in a root of its own.

    .venv/bin/python deploy/rehearse_image.py

A root is this machine's, with a layer over it that takes every change (overlayfs, in a mount
namespace: root alone may do that) and is thrown away. Stages begin with a fresh layer, the context
is what .dockerignore leaves, and the last user runs the command against an archive of its own until
it answers. What it cannot tell: whether the image of Python has what this machine has besides.
"""

import argparse
import http.client
import json
import os
import re
import secrets
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INSIDE = "--inside"
OF_THE_MACHINE = re.compile(r"(PIP_\w+|SSL_CERT_FILE|https?_proxy|no_proxy)", re.IGNORECASE)
"""How packages are reached is not the image's matter."""
PYTHON = Path(sys.base_prefix)
BASE_ENVIRONMENT = {"PATH": f"{PYTHON}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
LIMIT_SECONDS = 120.0
DATA_DIR = "/tmp/rehearsed-data"


@dataclass(frozen=True, slots=True)
class Instruction:
    name: str
    words: str


@dataclass
class Stage:
    """A root under construction, and what is set for its next steps."""

    root: Path
    environment: dict[str, str]
    folder: str = "/"
    user: str = ""
    command: list[str] = field(default_factory=list)


def instructions(dockerfile: str) -> Iterator[Instruction]:
    lines = (line for line in dockerfile.splitlines() if not line.lstrip().startswith("#"))
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, words = line.strip().partition(" ")
            yield Instruction(name.upper(), " ".join(words.split()))


def with_variables(words: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that ``ENV`` sets; all of its values see what was set before it."""
    pairs = (word.partition("=") for word in shlex.split(words))
    return {
        name: re.sub(r"\$(\w+)", lambda found: environment.get(found[1], ""), value)
        for name, _, value in pairs
    }


def context(dockerignore: str) -> list[str]:
    """Return the names that are sent; the file leaves out everything but these."""
    lines = dockerignore.split()
    if lines[0] != "*":
        raise SystemExit(".dockerignore no longer begins with *: this script reads no other form.")
    return [line[1:] for line in lines if line.startswith("!")]


class Rehearsal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stages: dict[str, Stage] = {}
        self.stage: Stage | None = None

    def take(self, step: Instruction) -> None:
        print(f"{step.name} {step.words}"[:160], flush=True)
        if step.name == "FROM":
            self._begin(step.words)
            return
        assert self.stage is not None, "a Dockerfile begins with FROM"
        {
            "ENV": self._set,
            "COPY": self._copy,
            "RUN": self._run,
            "WORKDIR": self._enter,
            "USER": self._become,
            "CMD": self._note_command,
            "EXPOSE": lambda stage, words: None,
        }[step.name](self.stage, step.words)

    def _begin(self, words: str) -> None:
        name = words.partition(" AS ")[2] or str(len(self.stages))
        place = self.folder / name
        for each in ("changes", "work", "root"):
            (place / each).mkdir(parents=True)
        layers = f"lowerdir=/,upperdir={place}/changes,workdir={place}/work"
        root = place / "root"
        run("mount", "-t", "overlay", "overlay", "-o", layers, str(root))
        run("mount", "-t", "proc", "proc", f"{root}/proc")
        run("mount", "--rbind", "/dev", f"{root}/dev")
        lend_python(root)
        kept = {name: value for name, value in os.environ.items() if OF_THE_MACHINE.fullmatch(name)}
        self.stage = self.stages[name] = Stage(root, {**BASE_ENVIRONMENT, **kept})

    def _set(self, stage: Stage, words: str) -> None:
        stage.environment |= with_variables(words, stage.environment)

    def _copy(self, stage: Stage, words: str) -> None:
        *options, source, target = words.split()
        origin = ROOT / source
        if options:
            [option] = options
            origin = self.stages[option.removeprefix("--from=")].root / source.lstrip("/")
        elif source not in context((ROOT / ".dockerignore").read_text()):
            raise SystemExit(f"{source} is not sent: .dockerignore leaves it out.")
        place = stage.root / os.path.normpath(f"{stage.folder}/{target}").lstrip("/")
        if origin.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
            shutil.copytree(origin, place, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        else:
            place = place / origin.name if target.endswith("/") else place
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, place)

    def _run(self, stage: Stage, words: str) -> None:
        run(*inside(stage, words), environment=stage.environment)

    def _enter(self, stage: Stage, words: str) -> None:
        stage.folder = words
        (stage.root / words.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def _become(self, stage: Stage, words: str) -> None:
        stage.user = words

    def _note_command(self, stage: Stage, words: str) -> None:
        stage.command = json.loads(words)


def lend_python(root: Path) -> None:
    """Let every user of the root reach what stands for the interpreter of the image."""
    for folder in (PYTHON, *PYTHON.parents):
        place = root / str(folder).lstrip("/")
        place.chmod(place.stat().st_mode | stat.S_IXOTH)


def inside(stage: Stage, words: str) -> list[str]:
    who = [f"--userspec={stage.user}"] if stage.user else []
    return ["chroot", *who, str(stage.root), "/bin/sh", "-ec", f"cd {stage.folder}; {words}"]


def run(*command: str, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check(stage: Stage) -> None:
    """Hold the image to what its file says of it."""
    if not stage.user:
        raise SystemExit("the image runs as root")
    told = run(*inside(stage, "! python -m pip --version 2>&1"), environment=stage.environment)
    print(f"no pip: {told.strip()}")
    writable = "find . -writable -not -type l -not -path './var/proxy-spool*'"
    writable += " -not -path './var/metrics*'"
    found = run(*inside(stage, writable), environment=stage.environment).split()
    if found:
        raise SystemExit(f"{stage.user} may write {found[:5]}")
    volumes = "var/proxy-spool and var/metrics"
    print(f"{stage.user} may write nothing below {stage.folder} but {volumes}")


def answers(stage: Stage) -> None:
    """Return the command, on loopback and a free port, against a new archive."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [*stage.command]
    for option, value in (("--host", "127.0.0.1"), ("--port", str(port))):
        command[command.index(option) + 1] = value
    environment = {
        **stage.environment,
        "INSPECTOR_DATA_DIR": DATA_DIR,
        "INSPECTOR_SECRET_KEY": secrets.token_urlsafe(50),
    }
    # A copy: with SQLite the user must be able to write where the image lets nobody.
    made = f"cp -r var {DATA_DIR}; chmod 700 {DATA_DIR}; python manage.py migrate --verbosity 0"
    run(*inside(stage, made), environment=environment)
    began = time.monotonic()
    served = inside(stage, f"exec {shlex.join(command)}")
    with subprocess.Popen(served, env=environment, stdout=subprocess.DEVNULL) as program:
        try:
            wait_for(port, program, began + LIMIT_SECONDS)
        finally:
            program.terminate()
    print(f"{shlex.join(stage.command)} answers {time.monotonic() - began:.1f} s after its start")


def wait_for(port: int, program: subprocess.Popen[bytes], until: float) -> None:
    while time.monotonic() < until:
        if program.poll() is not None:
            raise SystemExit(f"the command ended with {program.returncode}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/livez")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"no answer within {LIMIT_SECONDS:.0f} s")


def rehearse(folder: Path) -> None:
    # As engines build, whatever mask the program has that started this.
    os.umask(0o022)
    run("mount", "--make-rprivate", "/")
    rehearsal = Rehearsal(folder)
    for step in instructions((ROOT / "Dockerfile").read_text()):
        rehearsal.take(step)
    assert rehearsal.stage is not None
    check(rehearsal.stage)
    answers(rehearsal.stage)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(INSIDE, type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        rehearse(options.inside)
        return
    if os.geteuid():
        raise SystemExit("Only root may lay a layer over a root.")
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        # All that is mounted and started ends with the namespaces.
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        command = [*namespaces, sys.executable, __file__, INSIDE, folder]
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
