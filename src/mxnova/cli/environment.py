# SPDX-License-Identifier: Apache-2.0
"""The package `mxnet` in a Python environment: a name for mxnova that needs no preparation.

`PACKAGE` is a folder as `site-packages` is one: with the package, which leads to mxnova, and its
metadata. To install it is to copy it and to list, as pip does, what was copied. `mxnova run` puts
the folder itself on the path of child processes, where its `sitecustomize` is the first to run.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import sys
import sysconfig
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..core.base.errors import MXNetError
from ..formats.atomic import replacing

__all__ = ["PACKAGE", "Found", "find", "install", "remove", "site_packages"]

PACKAGE = Path(__file__).parents[1] / "as_mxnet" / "package"
_INFO = "mxnet-1.9.1.dist-info"
_INSTALLER = "mxnova"


class Found(NamedTuple):
    """The package that `import mxnet` finds without mxnova's import hook."""

    place: Path
    ours: bool


def site_packages() -> Path:
    """Return the directory of installed packages of this environment."""
    return Path(sysconfig.get_path("purelib"))


def find(folder: Path | None = None) -> Found | None:
    """The `mxnet` that is in `folder`, or else the first that this Python would import."""
    folder = folder or site_packages()
    elsewhere = (p for p in sys.path if p and Path(p).resolve() != PACKAGE.resolve())
    spec = PathFinder.find_spec("mxnet", [str(folder), *elsewhere])
    if spec is not None and spec.origin is not None:  # not a mere folder of that name
        place = Path(spec.origin)
        return Found(place, place == folder / "mxnet" / "__init__.py" and _is_ours(folder))
    if info := next(folder.glob("mxnet-*.dist-info"), None):  # metadata without a package
        return Found(info, _is_ours(folder))
    return None


def _is_ours(folder: Path) -> bool:
    """Whether mxnova put there what is in `folder`."""
    with suppress(OSError):
        return (folder / _INFO / "INSTALLER").read_text(encoding="utf-8").strip() == _INSTALLER
    return False


def install(folder: Path | None = None) -> Path:
    """Puts the package into `folder`, by default this environment's; one of ours is renewed.

    Returns:
        The folder of the package.

    Raises:
        MXNetError: there is a package `mxnet` already that is not ours.
        OSError: the folder cannot be written; then nothing new is left there.
    """
    folder = folder or site_packages()
    there = find(folder)
    if there is not None and not there.ours:
        raise MXNetError(f"alias install: {there.place} is there already, and is not mxnova's")
    files = _contents()
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(content)
    except BaseException:
        if there is None:
            _delete(folder, list(files))
        raise
    return folder / "mxnet"


def _contents() -> dict[str, bytes]:
    """Path below the folder -> bytes; the list of them all, RECORD, stands last."""
    sources = sorted(p for p in PACKAGE.glob("mxnet*/*") if p.is_file())
    files = {p.relative_to(PACKAGE).as_posix(): p.read_bytes() for p in sources}
    files |= _typed()
    files[f"{_INFO}/INSTALLER"] = f"{_INSTALLER}\n".encode()
    files[f"{_INFO}/top_level.txt"] = b"mxnet\n"
    rows = io.StringIO()
    record = csv.writer(rows, lineterminator="\n")
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record.writerow((name, f"sha256={digest}", len(content)))
    record.writerow((f"{_INFO}/RECORD", "", ""))
    return {**files, f"{_INFO}/RECORD": rows.getvalue().encode()}


def _typed() -> dict[str, bytes]:
    """What shows type checkers and editors mxnova's types under MXNet's names.

    Nothing of it is run: at run time `mxnet.x` is `mxnova.x`.
    """
    root = PACKAGE.parents[1]
    top = "from mxnova import *\nfrom mxnova import __version__ as __version__\n"
    files = {"mxnet/py.typed": b"", "mxnet/__init__.pyi": top.encode()}
    for path in sorted(p.relative_to(root) for p in root.rglob("*.pyi")):
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        if module != "__init__":
            name = f"mxnet/{path.with_suffix('.py').as_posix()}"
            files[name] = f"from mxnova.{module} import *\n".encode()
    return files


def remove(folder: Path | None = None) -> Path | None:
    """Takes the package away again, and nothing else.

    Returns:
        The folder where it was; None: there was none.

    Raises:
        MXNetError: the `mxnet` that is there is not ours.
    """
    folder = folder or site_packages()
    there = find(folder)
    if there is None:
        return None
    if not there.ours:
        raise MXNetError(f"alias remove: {there.place} is not mxnova's")
    _delete(folder, _recorded(folder))
    return folder / "mxnet"


def _recorded(folder: Path) -> list[str]:
    """Paths of what was installed, maybe by another release; no other than the package's count."""
    with suppress(OSError, UnicodeDecodeError, csv.Error):
        rows = csv.reader((folder / _INFO / "RECORD").read_text(encoding="utf-8").splitlines())
        names = [PurePosixPath(row[0]) for row in rows if row]
        return [str(n) for n in names if n.parts[0] in ("mxnet", _INFO) and ".." not in n.parts]
    return list(_contents())


def _delete(folder: Path, names: list[str]) -> None:
    """Deletes files, and what becomes empty of their folders."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    folders = {folder / parent for name in names for parent in Path(name).parents} - {folder}
    for below in sorted(folders, reverse=True):  # what is deepest first
        shutil.rmtree(below / "__pycache__", ignore_errors=True)
        with suppress(OSError):  # not empty: somebody else's files
            below.rmdir()
