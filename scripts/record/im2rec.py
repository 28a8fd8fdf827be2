# SPDX-License-Identifier: Apache-2.0
"""Records the files that MXNet's im2rec makes; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/im2rec.py tests/data/im2rec/recorded.npz
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import mxnet
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "unit" / "cli"))
import im2rec_cases as cases

TOOL = Path(mxnet.__file__).parent / "tools" / "im2rec.py"


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, TOOL, *arguments], check=True, stdout=subprocess.DEVNULL)


def main(target: Path) -> None:
    cases.write_images()
    calls = {f"list/{name}": (options, None) for name, options in cases.LISTS.items()}
    calls |= {f"record/{name}": (options, text) for name, (text, options) in cases.RECORDS.items()}
    arrays = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, (options, text)) in enumerate(calls.items()):
            made = cases.files_of(run, Path(folder, str(i)), options, text)
            for file, content in made.items():
                arrays[f"{name}/{file}"] = np.frombuffer(content, np.uint8)
    np.savez_compressed(target, **arrays)
    print(len(calls), "calls,", len(arrays), "files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
