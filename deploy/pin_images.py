"""Writes digests behind the images of docker-compose.yml and the Dockerfile.

    python3 deploy/pin_images.py

Needs a docker engine, which pulls each image by its tag first. Run again, it
pins what the tags mean then.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("docker-compose.yml", "Dockerfile")
# Our own has a variable in its tag, and is built here.
NAMED = re.compile(
    r"^(\s*image: |FROM )([a-z][a-z0-9./_-]*:[\w.-]+)(@sha256:[0-9a-f]+)?(?=\s|$)", re.MULTILINE
)


def images(text: str) -> list[str]:
    """By tag, each once."""
    return sorted({match[2] for match in NAMED.finditer(text)})


def pinned(text: str, digests: Mapping[str, str]) -> str:
    return NAMED.sub(lambda match: f"{match[1]}{match[2]}@{digests[match[2]]}", text)


def digest_of(image: str) -> str:
    """Return the digest of the image that the tag means now, for all machines alike."""
    docker("pull", "--quiet", image)
    found = json.loads(docker("image", "inspect", "--format", "{{json .RepoDigests}}", image))
    return str(found[0].rpartition("@")[2])


def docker(*words: str) -> str:
    return subprocess.run(("docker", *words), check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    texts = {name: (ROOT / name).read_text() for name in FILES}
    digests = {image: digest_of(image) for text in texts.values() for image in images(text)}
    for name, text in texts.items():
        (ROOT / name).write_text(pinned(text, digests))
    for image, digest in sorted(digests.items()):
        print(f"{image} {digest}")


if __name__ == "__main__":
    main()
