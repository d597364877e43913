#!/bin/sh
# Sends one recorded response and prints its analysis.
#     INSPECTOR_URL=http://127.0.0.1:8000 INSPECTOR_KEY=ri_… sh send.sh FILE
set -eu

case "$1" in
    *.sse) type=text/event-stream ;;
    *) type=application/json ;;
esac
# One key for all tries: however often the network asks for another, one capture is stored.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

for try in 1 2 3 4 5 6 7 8; do
    # --retry goes on after 408, 429, 5xx and time-outs, and keeps to Retry-After.
    curl --silent --show-error --fail-with-body \
        --retry 8 --retry-connrefused --max-time 30 --retry-max-time 120 \
        --header "Authorization: Bearer $INSPECTOR_KEY" \
        --header "Content-Type: $type" \
        --header "Idempotency-Key: $key" \
        --data-binary "@$1" \
        "$INSPECTOR_URL/api/v1/captures/?wait=10" && exit 0 || code=$?
    # 22 is an answer that refuses; anything else is a connection that broke.
    [ "$code" -ne 22 ] || exit 22
    sleep "$try"
done
exit "$code"
