#!/bin/sh
# What pre-commit runs, from its clone of this repository: the wheel that only inspects, in an
# environment beside it that the first run makes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
environment="$here/.environment"
if [ ! -x "$environment/bin/inspect-responses" ]; then
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$here[all]"
fi
exec "$environment/bin/inspect-responses" "$@"
