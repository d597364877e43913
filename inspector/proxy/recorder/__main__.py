"""``python -m inspector.proxy.recorder --fd N``: started by the proxy, with one end of a socket."""

import argparse
import logging
import os
import signal
import socket
import sys

from inspector.loading import loading


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True, help="a socket inherited from the proxy")
    asked = parser.parse_args()
    # A signal to the whole group is for the proxy, which ends its children last, by their sockets.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Only now: settings are read at the first import, and say by the role how to wait and to log.
    os.environ["INSPECTOR_ROLE"] = "recorder"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    with loading():
        import django

        django.setup()
        from django.conf import settings

        from inspector.proxy.recorder.process import run
    with socket.socket(fileno=asked.fd) as connection:
        connection.setblocking(True)
        os.set_inheritable(asked.fd, False)
        try:
            run(connection, settings.DATA_DIR / "proxy-spool", settings.PROXY_SPOOL_BYTES)
        except Exception:
            # What its message quotes may be of a call.
            logging.getLogger(__name__).exception("recorder failed")
            sys.exit(1)


if __name__ == "__main__":
    main()
