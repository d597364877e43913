"""``python -m inspector.proxy.recorder --fd N``: started by the proxy, with one end of a socket."""

import socket

from inspector.proxy.run_child import run_child


def run(connection: socket.socket) -> None:
    from django.conf import settings

    from inspector.proxy.recorder import process

    process.run(connection, settings.DATA_DIR / "proxy-spool", settings.PROXY_SPOOL_BYTES)


if __name__ == "__main__":
    run_child("recorder", run)
