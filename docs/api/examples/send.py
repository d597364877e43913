"""Sends one recorded response and prints its analysis. Standard library only.

INSPECTOR_URL=http://127.0.0.1:8000 INSPECTOR_KEY=ri_… python3 send.py FILE
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

TRIES = 8
AGAIN = {408, 429, 500, 502, 503, 504}


def send(body: bytes, content_type: str) -> dict:
    # One key for all tries: however often the network asks for another, one capture is stored.
    headers = {
        "Authorization": f"Bearer {os.environ['INSPECTOR_KEY']}",
        "Content-Type": content_type,
        "Idempotency-Key": str(uuid.uuid4()),
    }
    address = f"{os.environ['INSPECTOR_URL']}/api/v1/captures/?wait=10"
    for number in range(TRIES):
        request = urllib.request.Request(address, body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in AGAIN or number == TRIES - 1:
                raise SystemExit(error.read().decode()) from error
            pause = error.headers.get("Retry-After")
        except OSError as error:
            if number == TRIES - 1:
                raise SystemExit(str(error)) from error
            pause = None
        # Retry-After is the least; without it the waits double, and nobody waits in step.
        time.sleep(float(pause) if pause else random.uniform(0, min(30, 0.5 * 2**number)))
    raise AssertionError("the last try returned or ended")


path = sys.argv[1]
with open(path, "rb") as file:
    kind = "text/event-stream" if path.endswith(".sse") else "application/json"
    print(json.dumps(send(file.read(), kind)))
