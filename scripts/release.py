# SPDX-License-Identifier: Apache-2.0
"""Builds the archives of a release in dist, twice, and checks them: ``python -m scripts.release``.

Both builds must be equal byte by byte: times of files are those of the commit (SOURCE_DATE_EPOCH).
The source archive must hold all files of the repository, the wheel all files of the package;
``--tag v1.0.0`` must name the version and its section of CHANGELOG.md. Needs build, setuptools and
twine: .github/release.txt.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
LEFT_OUT = (".gitignore", ".gitattributes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tag", help="of the release; checked against version and changelog")
    options = parser.parse_args()
    if options.tag:
        check_tag(options.tag, version())
    files = git("ls-files").splitlines()
    epoch = git("log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory() as scratch:
        first, second = (build(Path(scratch, name), files, epoch) for name in ("first", "second"))
        for path in first:
            other = second[0].parent / path.name
            if digest(path) != digest(other):
                sys.exit(f"{path.name}: two builds differ: {digest(path)}, {digest(other)}")
        check_complete(first, files)
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *first], check=True)
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for path in first:
            shutil.copy2(path, DIST)
            print(f"{digest(path)}  {path.name}")


def git(*arguments: str) -> str:
    """What a command of git prints."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def version() -> str:
    """The version that the package states, read without importing it."""
    text = (ROOT / "src" / "mxnova" / "__init__.py").read_text("utf-8")
    (found,) = re.findall(r'^__version__ = "(.+)"$', text, re.M)
    return found


def check_tag(tag: str, version: str) -> None:
    """Exits where the tag is not the version's, or the changelog does not know the version."""
    if tag != f"v{version}":
        sys.exit(f"tag {tag}: the version is {version}, its tag v{version}")
    if f"\n## [{version}]" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        sys.exit(f"CHANGELOG.md has no section [{version}]")


def build(folder: Path, files: list[str], epoch: str) -> list[Path]:
    """The archives, built of a copy of the repository's files: nothing else can get in."""
    source = folder / "source"
    for name in files:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
        os.utime(source / name, (int(epoch), int(epoch)))
    environ = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist"]
    done = subprocess.run(
        [*command, source], env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(done.stdout)
    archives = sorted((folder / "dist").iterdir())
    for path in archives:
        if path.name.endswith(".tar.gz"):
            normalize(path, int(epoch))
    return archives


def normalize(archive: Path, epoch: int) -> None:
    """Writes a source archive again, without owners, times and modes of this machine's files."""
    with tarfile.open(archive) as old:
        members = sorted(old.getmembers(), key=lambda member: member.name)
        contents = [(m, old.extractfile(m).read() if m.isfile() else b"") for m in members]
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member, content in contents:
            fresh = tarfile.TarInfo(member.name)
            fresh.type, fresh.size, fresh.mtime = member.type, len(content), epoch
            fresh.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(fresh, io.BytesIO(content))
    with open(archive, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed:
        packed.write(plain.getvalue())


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_complete(archives: list[Path], files: list[str]) -> None:
    """Exits where an archive lacks a file of the repository, or of the package."""
    for path in archives:
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                inside = set(wheel.namelist())
            wanted = {f.removeprefix("src/") for f in files if f.startswith("src/")}
        else:
            with tarfile.open(path) as source:
                inside = {member.name.partition("/")[2] for member in source if member.isfile()}
            wanted = {f for f in files if f not in LEFT_OUT}
        if missing := sorted(wanted - inside):
            sys.exit(f"{path.name} lacks {len(missing)} files: {', '.join(missing[:10])}")


if __name__ == "__main__":
    main()
