# SPDX-License-Identifier: Apache-2.0
"""Packages that were written for MXNet, on mxnova: ``python -m scripts.downstream [NAME …]``.

Each package is installed in an environment of its own, build/downstream/NAME, with the pins below,
the alias package, and the packages of .venv beneath. Then `mxnova run` runs
tests/downstream/with_NAME.py; its last line must be the one below, whose figures follow from the
task. The exit status is 1 if one differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from scripts.environment import PYTHON, ROOT, install

FOLDER = ROOT / "build" / "downstream"


class Package(NamedTuple):
    """A package that uses MXNet.

    Attributes:
        pins: requirements that are installed without what they require in turn: the packages name
            MXNet, or an old NumPy, which must not come in.
        beside: requirements that are installed with what they require.
        prints: the last line of the program.
        options: of `mxnova run`.
    """

    pins: tuple[str, ...]
    beside: tuple[str, ...]
    prints: str
    options: tuple[str, ...] = ()


PACKAGES = {
    "gluoncv": Package(
        ("gluoncv==0.10.5.post0", "autocfg==0.0.8"),
        (
            "matplotlib",
            "pandas",
            "pillow",
            "portalocker",
            "pyyaml",
            "requests",
            "scipy",
            "tqdm",
            "yacs",
        ),
        "5 networks, the loss falls",
    ),
    "gluonts": Package(
        ("gluonts==0.8.1",),
        ("holidays", "numpy<2", "pandas<2", "pydantic<2", "toolz", "tqdm", "ujson"),
        "forecast of 24 steps, 100 samples, error below 0.3",
    ),
    "tensorly": Package(("tensorly==0.6.0",), ("nose", "scipy"), "parafac: error below 0.001"),
    "foolbox": Package(
        ("foolbox==2.4.0",),
        ("gitpython", "requests", "scipy"),
        "the gradient is that of the network",
    ),
    "mxboard": Package(
        ("mxboard==0.1.0",),
        ("pillow", "protobuf<3.21", "six"),
        "10 scalars, 1 histogram",
        ("--numpy-compat",),
    ),
    "d2l": Package(
        ("d2l==0.17.6",),
        ("ipython", "matplotlib", "matplotlib-inline", "pandas", "requests"),
        "weights within 0.01",
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"of {', '.join(PACKAGES)}; default: all")
    names = parser.parse_args().name or list(PACKAGES)
    if unknown := [name for name in names if name not in PACKAGES]:
        parser.error(f"no package {unknown[0]!r}; there are {', '.join(PACKAGES)}")
    install("dev")
    results = {name: passes(name, PACKAGES[name]) for name in names}
    print(f"{sum(results.values())} passed, {len(results) - sum(results.values())} failed")
    return int(not all(results.values()))


def passes(name: str, package: Package) -> bool:
    """Whether the program of a package prints what it should; tells what it prints."""
    python = environment(name, package)
    program = ROOT / "tests" / "downstream" / f"with_{name}.py"
    command = [python, "-m", "mxnova", "run", *package.options, program]
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    done = subprocess.run(
        command, cwd=FOLDER / name, env=environ, capture_output=True, text=True, check=False
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    good = done.returncode == 0 and last == package.prints
    print(f"{name:10} {'passed' if good else 'FAILED'}: {last}", flush=True)
    if not good:
        print(f"expected: {package.prints}\n{done.stderr[-3000:]}", flush=True)
    return good


def environment(name: str, package: Package) -> Path:
    """The interpreter of a package's environment, made when it is not there."""
    folder = FOLDER / name
    python = folder / PYTHON.relative_to(PYTHON.parents[1])
    if not (folder / "ready").exists():
        run(PYTHON, "-m", "venv", "--clear", folder)
        inside = 'import sysconfig; print(sysconfig.get_path("purelib"))'
        own, beneath = (Path(output(program, inside)) for program in (python, PYTHON))
        sources = f"{ROOT / 'src'}\n{ROOT}\n"
        (own / "beneath.pth").write_text(f"{sources}{beneath}\n", "utf-8")
        pip = [python, "-m", "pip", "install", "--quiet"]
        run(*pip, "--no-deps", *package.pins)
        torch = next(
            line for line in (ROOT / "constraints.txt").read_text().splitlines()
            if line.startswith("torch==")
        )  # fmt: skip
        (folder / "constraints.txt").write_text(f"{torch}\n", "utf-8")
        run(*pip, "-c", folder / "constraints.txt", *package.beside)
        run(python, "-m", "mxnova", "alias", "install")
        (folder / "ready").touch()
    return python


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True)


def output(python: Path, code: str) -> str:
    done = subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
