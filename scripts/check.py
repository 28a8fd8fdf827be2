# SPDX-License-Identifier: Apache-2.0
"""Style, formatting, types and layers, with the tools of .venv: ``python -m scripts.check``.

``python -m scripts.check quick``: all but the types.
"""

import sys

from scripts.environment import PROGRAMS, PYTHON, ROOT, call


def main(arguments: list[str]) -> None:
    sources = [".", *scripts_without_an_ending()]
    call([PYTHON, "-m", "ruff", "check", *sources])
    call([PYTHON, "-m", "ruff", "format", "--check", *sources])
    if arguments != ["quick"]:
        call([PYTHON, "scripts/check_types"])
    call([PROGRAMS / "lint-imports"], PYTHONPATH="src")


def scripts_without_an_ending() -> list[str]:
    """Python scripts that ruff does not find by their name."""
    files = [path for path in sorted((ROOT / "scripts").iterdir()) if path.is_file()]
    found = [p for p in files if not p.suffix and is_python(p.read_bytes())]
    return [path.relative_to(ROOT).as_posix() for path in found]


def is_python(content: bytes) -> bool:
    first, _, _ = content.partition(b"\n")
    return first.startswith(b"#!") and b"python" in first


if __name__ == "__main__":
    main(sys.argv[1:])
