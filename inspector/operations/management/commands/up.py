"""``up``: starts the whole installation in the foreground."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.command_errors import OperatorError
from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.start import up


class Command(BaseCommand):
    help = "Starts web, worker, sweep and proxy on one data directory, and stops them when it ends."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", default="8000")
        parser.add_argument(
            "--proxy-port",
            metavar="PORT",
            help="of the capturing proxy, default: the one after --port; 0 starts none",
        )
        parser.add_argument(
            "--open", action="store_true", help="a browser of this machine, to sign in"
        )
        add_data_dir_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            web = ListenAddress(options["host"], port(options["port"]))
            proxy = proxy_beside(web, options["proxy_port"])
            up(web, proxy, self.say, opens=options["open"])
        except OperatorError as refusal:
            sys.exit(str(refusal))
        except KeyboardInterrupt:
            sys.exit(130)

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


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
