"""The beginning of a child's process: it has one end of a socket, and Django."""

import argparse
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable


def run_child(role: str, run: Callable[[socket.socket], None]) -> None:
    """``run`` returns when the child is to end; it imports what needs settings itself."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True, help="a socket inherited from the proxy")
    asked = parser.parse_args()
    # A signal to the whole group is for the proxy, which ends its children last, by their sockets.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Only now: settings are read at the first import, and say by the role how to wait and to log.
    os.environ["INSPECTOR_ROLE"] = role
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    import django

    django.setup()
    with socket.socket(fileno=asked.fd) as connection:
        connection.setblocking(True)
        os.set_inheritable(asked.fd, False)
        try:
            run(connection)
        except Exception:
            # What its message quotes may be of a call.
            logging.getLogger(run.__module__).exception(f"{role} failed")
            sys.exit(1)
