"""A recorder that only passes on, between the proxy and the test that plays the recorder.

Started by the proxy in the recorder's place: ``python relay.py PORT --fd N``.
"""

import contextlib
import socket
import sys
import threading


def pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


proxy = socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1]))
test = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
back = threading.Thread(target=pump, args=(test, proxy))
back.start()
pump(proxy, test)
back.join()
