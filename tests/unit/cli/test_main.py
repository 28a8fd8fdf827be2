# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

import mxnova as mx


@pytest.mark.parametrize("option", ["--version"])
def test_the_version_needs_nothing(mxnova, option):
    code = "import sys; sys.modules.update(dict.fromkeys(['torch', 'numpy', 'rich', 'cv2']))\n"
    code += f"sys.argv = ['mxnova', {option!r}]\nfrom mxnova.cli import main\nmain()"
    done = mxnova.python("-c", code)
    assert (done.returncode, done.stdout) == (0, f"mxnova {mx.__version__}\n")


@pytest.mark.parametrize(
    "args", [("inspct",), ("inspect",), ("inspect", "--x\x1b[2J"), ("predict", "net"), ("run",)]
)
def test_bad_usage_is_one_line_and_status_2(mxnova, args):
    done = mxnova(*args)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr[:-1].isprintable()


@pytest.mark.parametrize("command", ["inspect", "predict", "run", "alias"])
def test_every_command_has_help(mxnova, command):
    done = mxnova(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: mxnova {command}")


def test_without_a_command_there_is_help(mxnova):
    done = mxnova()
    assert done.returncode == 2
    assert "inspect" in done.stderr


def test_a_fault_is_one_line_unless_asked_for(mxnova):
    code = (
        "import sys, mxnova.cli.inspect as inspect\n"
        "inspect.describe = lambda *a, **k: 1 / 0\n"
        "sys.argv = ['mxnova', 'inspect', 'x']\n"
        "from mxnova.cli import main\nmain()"
    )
    done = mxnova.python("-c", code)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ZeroDivisionError")
    assert done.stderr.count("\n") == 1
    assert "Traceback" in mxnova.python("-c", code, MXNOVA_TRACEBACK="full").stderr


def test_a_reader_that_goes_is_no_error(mxnova, folder):
    code = "import sys; sys.argv[0] = 'mxnova'; from mxnova.cli import main; main()"
    names = ["net-0001.params"] * 2000
    process = subprocess.Popen(
        [sys.executable, "-c", code, "inspect", *names],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1
