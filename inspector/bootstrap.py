"""Runs before any other import: checks Python's version and prepares the virtual environment.

Standard library only, and written so that Python 2.7 and every 3 can parse it: an interpreter
that is too old must live long enough to say so. Types therefore stand in comments.

The distance between a clone and the first page is one command. What an installation runs in has no
pip: nothing uses it while the product runs. One start installs and the others wait by a lock on the
folder itself, which leaves no file.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys

MYPY = False  # What only a type checker needs may not exist where this runs.
if MYPY:
    from collections.abc import Iterator, Sequence  # noqa: F401
    from typing import Any  # noqa: F401

OLDEST_PYTHON = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOCK = "requirements.lock"
DEVELOPMENT_LOCK = "requirements-dev.lock"
DEVELOPMENT_COMMANDS = ("test", "check_all")
INSTALLING = "installing"


class BootstrapRefusal(Exception):
    """Something that the person at the terminal must change; one line."""


def ensure_environment(argv):
    # type: (list[str]) -> None
    """Return only where the packages of the lock can be imported; otherwise run ``argv`` there."""
    try:
        refuse_old_python(sys.version_info)
        refuse_without_checkout(argv, ROOT)
        if not steps_aside():
            Environment(ROOT).enter(argv)
    except BootstrapRefusal as refusal:
        sys.exit(str(refusal))
    except KeyboardInterrupt:
        sys.exit(130)


def take_data_dir(argv):
    # type: (list[str]) -> list[str]
    """Turn ``--data-dir`` into the environment: settings read it before a command is known."""
    kept = []  # type: list[str]
    rest = iter(argv)
    for argument in rest:
        if argument == "--":
            return kept + [argument] + list(rest)
        name, equals, value = argument.partition("=")
        if name != "--data-dir":
            kept.append(argument)
            continue
        value = value if equals else next(rest, "")
        if not value:
            sys.exit("--data-dir needs the name of a directory.")
        os.environ["INSPECTOR_DATA_DIR"] = os.path.abspath(os.path.expanduser(value))
    return kept


def keep_private(argv):
    # type: (list[str]) -> None
    """Files written from now on are readable by their owner alone: most contain responses."""
    # What collectstatic writes is the program's own; another user may serve it.
    if argv[1:2] != ["collectstatic"]:
        os.umask(0o077)


def refuse_old_python(version):
    # type: (Sequence[Any]) -> None
    if tuple(version[:2]) < OLDEST_PYTHON:
        raise BootstrapRefusal(
            "Response Inspector needs Python 3.11 or newer; this is %d.%d." % tuple(version[:2])
        )


def steps_aside():
    # type: () -> bool
    """Return True where somebody else looks after the packages."""
    if os.environ.get("INSPECTOR_BOOTSTRAP") == "0":
        return True
    return sys.prefix != sys.base_prefix and not Environment(ROOT).is_running()


def locks_for(argv):
    # type: (list[str]) -> list[str]
    """Return the lock to install, then what it satisfies too: the development lock holds both."""
    if is_development(argv):
        return [DEVELOPMENT_LOCK, LOCK]
    return [LOCK]


def is_development(argv):
    # type: (list[str]) -> bool
    return len(argv) > 1 and argv[1] in DEVELOPMENT_COMMANDS


def refuse_without_checkout(argv, root):
    # type: (list[str], str) -> None
    """Refuse to test or check where no checkout is: an installation holds the product alone."""
    if is_development(argv) and not os.path.isdir(os.path.join(root, "development")):
        raise BootstrapRefusal("manage.py %s needs a checkout of the repository." % argv[1])


class Environment(object):
    """The virtual environment beside manage.py, and the stamp that says what is in it."""

    def __init__(self, root):
        # type: (str) -> None
        self.root = root
        self.path = os.path.join(root, ".venv")
        self.python = os.path.join(self.path, "bin", "python")
        self.stamp = os.path.join(self.path, "inspector.stamp")

    def enter(self, argv):
        # type: (list[str]) -> None
        """Return inside the environment; outside, become ``argv`` inside it."""
        locks = locks_for(argv)
        if self.holds(locks) and self.is_running():
            return
        if not self.holds(locks):
            with only_one(self.root) as turn:
                if not self.holds(locks):
                    self.install(locks, turn)
        os.execv(self.python, [self.python] + argv)

    def is_running(self):
        # type: () -> bool
        return os.path.realpath(sys.prefix) == os.path.realpath(self.path)

    def holds(self, locks):
        # type: (list[str]) -> bool
        stamped = self.stamped()
        return self.is_usable() and all(line in stamped for line in self.lines(locks))

    def is_usable(self):
        # type: () -> bool
        """Return False also from inside when the machine's Python was upgraded: 3.12 sees
        no 3.11.
        """
        own = os.path.join(self.path, "lib", "python%d.%d" % sys.version_info[:2])
        return os.path.exists(self.python) and (not self.is_running() or os.path.isdir(own))

    def stamped(self):
        # type: () -> list[str]
        if not os.path.exists(self.stamp):
            return []
        with open(self.stamp) as stamp:
            return stamp.read().splitlines()

    def lines(self, locks):
        # type: (list[str]) -> list[str]
        return ["%s %s" % (sha256_of(os.path.join(self.root, name)), name) for name in locks]

    def install(self, locks, turn):
        # type: (list[str], int) -> None
        """Install the first of ``locks``; the stamp tells a later start how far this one came."""
        say("Installing the packages of %s into .venv; this can take a minute." % locks[0])
        if not self.is_whole():
            self.make(turn)
        self.write_stamp([INSTALLING])
        if not self.run_uv(locks[0], turn):
            self.bring_pip(turn)
            self.run_pip(locks[0], turn)
        if locks[0] == LOCK:
            self.remove_pip(turn)
        else:
            self.bring_pip(turn)
        self.write_stamp(self.lines(locks))

    def is_whole(self):
        # type: () -> bool
        """Return False where there is nothing yet, or a start was killed while it installed."""
        return self.is_usable() and INSTALLING not in self.stamped()

    def make(self, turn):
        # type: (int) -> None
        require_venv()
        shutil.rmtree(self.path, ignore_errors=True)
        try:
            os.makedirs(self.path)
        except OSError as error:
            raise BootstrapRefusal("Cannot make %s: %s." % (self.path, error.strerror))
        self.write_stamp([INSTALLING])
        code, output = run([base_python(), "-m", "venv", "--without-pip", self.path], turn)
        if code:
            raise BootstrapRefusal("Cannot make %s: %s" % (self.path, last_line(output)))

    def has_pip(self):
        # type: () -> bool
        return subprocess.call([self.python, "-c", "import pip"], stderr=subprocess.DEVNULL) == 0

    def bring_pip(self, turn):
        # type: (int) -> None
        """Install the pip that this Python brings along, without a network."""
        if self.has_pip():
            return
        code, output = run([self.python, "-m", "ensurepip", "--default-pip"], turn)
        if code:
            raise BootstrapRefusal("Cannot put pip into %s: %s" % (self.path, last_line(output)))

    def remove_pip(self, turn):
        # type: (int) -> None
        """Remove pip and setuptools: nothing uses them while the product runs, and nobody updates
        them.

        Tests and checks keep it: where Node is missing, they fetch it by pip.
        """
        if not self.has_pip():
            return
        command = [self.python, "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools"]
        code, output = run(command, turn)
        if code:
            raise BootstrapRefusal("Cannot take pip out of %s: %s" % (self.path, last_line(output)))

    def run_uv(self, lock, turn):
        # type: (str, int) -> bool
        """Install by uv, which takes a quarter of pip's time; False where it is not or fails:
        it may lack a setting that pip has, such as the address of a mirror.
        """
        uv = shutil.which("uv")
        if uv is None:
            return False
        command = [uv, "pip", "install", "--quiet", "--python", self.python]
        if sys.dont_write_bytecode:
            command.append("--compile-bytecode")
        code, output = run(command + self.packages_of(lock), turn)
        if code:
            say("uv could not install them (%s); pip tries." % last_line(output))
        return code == 0

    def run_pip(self, lock, turn):
        # type: (str, int) -> None
        quiet = ["--quiet", "--no-input", "--progress-bar", "off", "--disable-pip-version-check"]
        command = [self.python, "-m", "pip", "install"]
        # Python compiles what it imports and keeps it, unless it is told not to; to compile
        # everything would be half of the time.
        if not sys.dont_write_bytecode:
            command.append("--no-compile")
        code, output = run(command + quiet + self.packages_of(lock), turn)
        if code:
            raise BootstrapRefusal(
                "Cannot install the packages of %s: %s" % (lock, reason_of(output))
            )

    def packages_of(self, lock):
        # type: (str) -> list[str]
        # --no-deps: the lock names every package, and nobody need work that out again.
        return ["--require-hashes", "--no-deps", "-r", os.path.join(self.root, lock)]

    def write_stamp(self, lines):
        # type: (list[str]) -> None
        try:
            with open(self.stamp, "w") as stamp:
                stamp.write("\n".join(lines) + "\n")
        except OSError as error:
            raise BootstrapRefusal("Cannot write to %s: %s." % (self.path, error.strerror))


def require_venv():
    # type: () -> None
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise BootstrapRefusal(
            "This Python cannot make a virtual environment; on Debian and Ubuntu: "
            "apt-get install python3-venv"
        )


@contextlib.contextmanager
def only_one(root):
    # type: (str) -> Iterator[int]
    """One start installs, the others wait. The lock is on the directory, so no file is left over.

    Whoever is started to install inherits it: when a start is killed, the next one waits until
    the abandoned pip has ended too.
    """
    import fcntl

    turn = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("Waiting for another start that is installing packages.")
            fcntl.flock(turn, fcntl.LOCK_EX)
        yield turn
    finally:
        os.close(turn)


def base_python():
    # type: () -> str
    return getattr(sys, "_base_executable", None) or sys.executable


def sha256_of(path):
    # type: (str) -> str
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def run(command, turn):
    # type: (list[str], int) -> tuple[int, str]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        pass_fds=[turn],
    )
    output = process.communicate()[0]
    return process.returncode, output


def reason_of(output):
    # type: (str) -> str
    """pip's own error in one line; its last error is the plainest."""
    if "connection broken by" in output or "Failed to establish a new connection" in output:
        return "pip could not reach its package index; is there a network?"
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ")]
    return last_line("\n".join(errors) or output)


def last_line(output):
    # type: (str) -> str
    lines = output.strip().splitlines() or ["no output"]
    return lines[-1].strip()


def say(line):
    # type: (str) -> None
    """Write to standard error: standard output has only what the command itself prints."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
