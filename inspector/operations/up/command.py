"""``up``: starts the whole installation in the foreground.

Run without Django: this process stays as long as the installation, and what it imports stays too.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from inspector.installation import command_line
from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.operator_error import OperatorError
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.start import up

HELP = "Starts web, worker, sweep and proxy on one data directory, and stops them when it ends."


def main(arguments: Sequence[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    parser = ArgumentParser(prog=command_line("up"), description=HELP)
    add_arguments(parser)
    run(parser.parse_args(arguments))


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", default="8000")
    parser.add_argument(
        "--proxy-port",
        metavar="PORT",
        help="of the capturing proxy, default: the one after --port; 0 starts none",
    )
    parser.add_argument("--open", action="store_true", help="a browser of this machine, to sign in")
    add_data_dir_argument(parser)


def run(options: Namespace) -> None:
    """End the process where it cannot start, with one line that says why."""
    try:
        web = ListenAddress(options.host, port(options.port))
        up(web, proxy_beside(web, options.proxy_port), say, opens=options.open)
    except OperatorError as refusal:
        sys.exit(str(refusal))
    except KeyboardInterrupt:
        sys.exit(130)


def proxy_beside(web: ListenAddress, chosen: str | None) -> ListenAddress | None:
    if chosen == "0":
        return None
    number = port(chosen or str(web.port + 1))
    if number == web.port:
        raise OperatorError(f"Port {number} is the one of the pages; the proxy needs its own.")
    return ListenAddress(web.host, number)


def port(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 65535:
        raise OperatorError(f"{text} is not a port; ports are the numbers from 1 to 65535.")
    return number


def say(line: str) -> None:
    print(line, flush=True)
