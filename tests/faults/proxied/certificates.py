"""A certificate authority of a run's own, and what it signs, well and badly."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

VALID, EXPIRED = ("20200101000000Z", "20990101000000Z"), ("20200101000000Z", "20200102000000Z")


@dataclass(frozen=True, slots=True)
class Authority:
    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "authority.pem"

    def context(self, name: str, valid: tuple[str, str] = VALID) -> ssl.SSLContext:
        """Return the context of a server that says it is ``name``."""
        stem = self.folder / f"{name}-{valid[1]}"
        key, asked, signed = (stem.with_suffix(f".{end}") for end in ("key", "csr", "pem"))
        _openssl("req", *_new_key(key), "-subj", f"/CN={name}", "-out", asked)
        extension = stem.with_suffix(".ext")
        kind = "IP" if name[0].isdecimal() else "DNS"
        extension.write_text(f"[server]\nsubjectAltName={kind}:{name}\n")
        self._sign(asked, signed, extension, valid)
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(signed, key)
        return made

    def _sign(self, asked: Path, signed: Path, extension: Path, valid: tuple[str, str]) -> None:
        # ``openssl ca`` alone sets both dates in every version.
        configuration = self.folder / "ca.cnf"
        configuration.write_text(
            f"[ca]\ndefault_ca=own\n[own]\ndatabase={self.folder}/index.txt\nnew_certs_dir={self.folder}\n"
            "rand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n"
        )
        (self.folder / "index.txt").touch()
        dates = ("-startdate", valid[0], "-enddate", valid[1])
        signer = ("-keyfile", self.folder / "authority.key", "-cert", self.certificate)
        files = ("-in", asked, "-out", signed, "-extfile", extension, "-extensions", "server")
        _openssl("ca", "-batch", "-notext", "-config", configuration, *dates, *signer, *files)


def authority(folder: Path) -> Authority:
    folder.mkdir(parents=True, exist_ok=True)
    made = Authority(folder)
    subject = ("-subj", "/CN=authority of a test", "-days", "30")
    key = _new_key(folder / "authority.key")
    _openssl("req", "-x509", *key, *subject, "-out", made.certificate)
    return made


def _new_key(path: Path) -> tuple[object, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path)


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
