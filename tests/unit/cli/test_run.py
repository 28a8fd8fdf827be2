# SPDX-License-Identifier: Apache-2.0
"""``mxnova run`` against what Python itself does with the same program."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

STATE = """
import sys, warnings
import mxnet as mx, helper
print(__name__, __file__, __spec__ and __spec__.name, __package__, __cached__, type(__loader__).__name__)
print(sys.argv, sys.path[0], helper.X, sys.modules["__main__"].__file__)
print([f for f in warnings.filters if f[0] == "default"])
"""
CHILDREN = """
import multiprocessing, subprocess, sys
import numpy as np
LIMIT = np.float(3)

def work(i):
    import mxnet as mx
    from mxnet import recordio
    return mx.__version__, LIMIT, recordio.__name__, i

if __name__ == "__main__":
    code = "import mxnet, mxnet.name; print(mxnet.name is mxnet.name, mxnet.__version__)"
    print(subprocess.check_output([sys.executable, "-c", code], text=True), end="")
    for method in sys.argv[1:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(work, [5]))
"""
FAILING = """
import mxnet as mx

def inner(x):
    return CALL

inner(mx.nd.ones((2,)))
"""
CALLS = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "x.reshape((3,))": "Reshape",
    "mx.nd.Convolutoin(x)": "did you mean 'Convolution'",
    "mx.tvmop": "mxnova does not have mxnet.tvmop yet",
    "x.no_such_method()": "AttributeError",
    "mx.nd.concat(x, mx.nd.ones((2, 3)))": "Concat",
    "mx.sym.load('none.json')": "none.json",
    "__import__('mxnet.tvmop')": "mxnova does not have mxnet.tvmop yet",
    "mx.nd.load('[red]none[/x]')": "[red]none[/x]",
}
EXITS = {
    "import sys; sys.exit()": 0,
    "import sys; sys.exit(7)": 7,
    "import sys; sys.exit('bye [red]')": 1,
    "raise SystemExit(True)": 1,
    "raise KeyboardInterrupt": -2,
    "raise ValueError('[bold]x[/nope]')": 1,
    "def f(:": 1,
    "import os; os._exit(3)": 3,
    "import threading; threading.Thread(target=print, args=('late',)).start()": 0,
    "import sys; sys.excepthook = lambda *a: print('hook', a[0], a[2].tb_lineno); 1 / 0": 1,
    "import atexit; atexit.register(lambda: print(__name__))": 0,
    "class A: pass\nimport pickle; print(pickle.loads(pickle.dumps(A())).__class__)": 0,
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "helper.py").write_text("X = 5\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "module.py").write_text(STATE + "print(__spec__.name)\n")
    (tmp_path / "package" / "__main__.py").write_text("import sys\nprint('main', sys.argv)\n")
    return tmp_path


def script(folder, text):
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return path


def without_mxnet(text):
    return text.replace("import mxnet as mx, helper", "import helper")


@pytest.mark.parametrize("name", ["script.py", "./script.py", "package/../script.py"])
def test_a_script_finds_itself_as_under_python(mxnova, folder, name):
    path = script(folder, without_mxnet(STATE))
    want = mxnova.python(name, "--help", "-x", "--", "run")
    path.write_text(STATE)
    done = mxnova("run", name, "--help", "-x", "--", "run")
    assert done.stderr == want.stderr == ""
    assert done.stdout.replace("/./", "/").replace("/package/..", "") == want.stdout.replace(
        "/./", "/"
    ).replace("/package/..", "")


@pytest.mark.parametrize("args", [("package.module", "--help"), ("package", "-x", "run")])
def test_a_module_finds_itself_as_under_python(mxnova, folder, args):
    (folder / "package" / "module.py").write_text(without_mxnet(STATE))
    assert mxnova("run", "-m", *args).stdout == mxnova.python("-m", *args).stdout != ""


@pytest.mark.parametrize("code, status", EXITS.items())
def test_the_end_is_as_under_python(mxnova, folder, code, status):
    script(folder, code)
    want, done = mxnova.python("script.py"), mxnova("run", "script.py")
    assert done.returncode == want.returncode == status
    assert done.stdout == want.stdout
    assert done.stderr == want.stderr


@pytest.mark.parametrize("code, fact", CALLS.items())
def test_a_traceback_ends_in_the_programs_own_line(warm, folder, code, fact):
    path = script(folder, FAILING.replace("CALL", code))
    done = warm("run", "script.py")
    assert done.returncode == 1
    assert fact in done.stderr.splitlines()[-1]
    frames = [line for line in done.stderr.splitlines() if line.startswith('  File "')]
    assert frames == [
        f'  File "{path}", line 7, in <module>',
        f'  File "{path}", line 5, in inner',
    ]


ADVISED = {  # what today's NumPy says, and what the last line tells
    "only 0-dimensional arrays can be converted to Python scalars": "numpy<2.4",
    "setting an array element with a sequence. The requested array has an inhomogeneous shape "
    "after 1 dimensions": "dtype=object",
    "Unable to avoid copy while creating an array as requested.": "np.asarray",
    "'numpy.ndarray' object has no attribute 'tostring'": "tobytes",
}


@pytest.mark.parametrize("full", ["short", "full"])
@pytest.mark.parametrize("text, advice", ADVISED.items())
def test_below_errors_of_todays_numpy_it_is_told_what_to_do(
    mxnova, folder, monkeypatch, text, advice, full
):
    monkeypatch.setenv("MXNOVA_TRACEBACK", full)
    script(folder, f"raise TypeError({text!r})")
    *_, error, last = mxnova("run", "script.py").stderr.splitlines()
    assert text in error
    assert last.startswith("mxnova run: NumPy ")
    assert advice in last


def test_what_an_error_came_from_is_without_our_frames_too(warm, folder):
    script(
        folder,
        """
        import mxnet as mx
        try:
            mx.nd.ones((2,)).reshape((3,))
        except mx.MXNetError as error:
            raise ValueError("x") from error
        """,
    )
    done = warm("run", "script.py")
    assert "direct cause" in done.stderr
    assert {line.split('"')[1] for line in done.stderr.splitlines() if "  File" in line} == {
        str(folder / "script.py")
    }


def test_a_callback_of_the_program_is_shown(warm, folder):
    script(
        folder,
        """
        import mxnet as mx
        def body(x, states):
            raise KeyError("mine")
        mx.nd.contrib.foreach(body, mx.nd.ones((2,)), [])
        """,
    )
    lines = warm("run", "script.py").stderr.splitlines()
    assert [line.strip() for line in lines if "File" in line or line.startswith("Key")] == [
        f'File "{folder / "script.py"}", line 5, in <module>',
        f'File "{folder / "script.py"}", line 4, in body',
        "KeyError: 'mine'",
    ]


def test_all_frames_are_shown_when_asked_for(warm, folder):
    script(folder, "import mxnet as mx\nmx.nd.ones((2,)).reshape((3,))\n")
    done = warm("run", "script.py", MXNOVA_TRACEBACK="full")
    assert os.path.join("mxnova", "core", "") in done.stderr


def test_a_module_that_fails_shows_its_own_lines(mxnova, folder):
    (folder / "package" / "__init__.py").write_text("1 / 0\n")
    lines = mxnova("run", "-m", "package.module").stderr.splitlines()
    assert [line.split(",")[0] for line in lines if "File" in line] == [
        f'  File "{folder / "package" / "__init__.py"}"'
    ]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_child_processes_find_mxnet(mxnova, folder, method):
    script(folder, CHILDREN)
    done = mxnova("run", "script.py", method)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True 1.9.1\n[('1.9.1', 3.0, 'mxnova.recordio', 5)]\n"


def test_other_places_of_programs(mxnova, folder):
    code = "import sys, mxnet\nprint(sys.argv, mxnet.__version__)\n"
    (folder / "inside").mkdir()
    (folder / "inside" / "__main__.py").write_text(code)
    assert mxnova("run", "inside", "-x").stdout == "['inside', '-x'] 1.9.1\n"
    assert mxnova("run", "-", "-x", stdin=code).stdout == "['-', '-x'] 1.9.1\n"


@pytest.mark.parametrize(
    "args", [("none.py",), ("package/none\x1b[2J.py",), ("-m", "none"), ("-m", "package.none")]
)
def test_a_program_that_is_not_there_is_one_line_and_status_2(mxnova, args):
    done = mxnova("run", *args)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr[:-1].isprintable()


def test_names_that_numpy_dropped_can_be_left_out(mxnova, folder):
    script(folder, "import numpy as np\nprint(np.float(1))\n")
    assert mxnova("run", "script.py").stdout == "1.0\n"
    assert "no attribute 'float'" in mxnova("run", "--no-numpy-names", "script.py").stderr


def test_arrays_of_one_element_are_numbers_when_asked_for(mxnova, folder):
    lines = "import subprocess, sys, mxnet as mx\nprint(float(mx.nd.ones((1, 1)).asnumpy()))\n"
    child = "subprocess.run([sys.executable, '-W', 'ignore', sys.argv[1]])"
    script(folder, lines + "if sys.argv[1:]: " + child)
    done = mxnova("run", "--numpy-compat", "script.py", "script.py", PYTHONWARNINGS="ignore")
    assert sorted(done.stdout.split()) == ["1.0", "1.0"], done.stderr


OLD_PACKAGE = """
from collections import Iterable  # before the package imports mxnet
from inspect import getargspec
from time import clock
import numpy as np
LIMIT = np.float(3)
import mxnet as mx
"""


def test_pytest_runs_a_package_that_needs_dropped_names_before_mxnet(mxnova, folder):
    (folder / "old_package.py").write_text(OLD_PACKAGE)
    (folder / "test_old.py").write_text(
        "import old_package\n\n"
        "def test_it():\n"
        "    assert isinstance([], old_package.Iterable)\n"
        "    assert old_package.mx.__version__ == '1.9.1'\n"
    )
    args = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_old.py")
    done = mxnova("run", *args)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


NAMES = ["a\nb.py", "-x.py", 'it\'s "q".py', "a b\t.py", "\u202e.py", "$(touch y).py", "[red].py"]


@pytest.mark.skipif(os.name == "nt", reason="no such names")
@pytest.mark.parametrize("name", NAMES)
def test_names_of_scripts_are_names(mxnova, folder, name):
    (folder / name).write_text("import mxnet, sys; print(ascii(sys.argv[0])); mxnet.nope")
    done = mxnova("run", f"./{name}")
    assert done.stdout == ascii(f"./{name}") + "\n"
    assert "no attribute 'nope'" in done.stderr.splitlines()[-1] + done.stderr
    assert not (folder / "y").exists()


def test_a_folder_of_the_programs_cannot_take_the_place_of_mxnet(mxnova, folder):
    (folder / "mxnet").mkdir()
    (folder / "mxnet" / "__init__.py").write_text("print('not this one')\n")
    script(folder, "import mxnet\nprint(mxnet.__version__)\n")
    assert mxnova("run", "script.py").stdout == "1.9.1\n"


@pytest.mark.parametrize(
    "name", ["numpy", "torch", "base64", "fractions", "inspect", "multiprocessing"]
)
def test_modules_beside_the_program_come_first_as_under_python(mxnova, folder, name):
    if name == "inspect" and sys.version_info >= (3, 12):
        pytest.skip("no module of Python's that uses dataclasses can be run by -m beside it")
    (folder / f"{name}.py").write_text("print('mine')\n")
    script(folder, f"import {name}\nprint({name}.__file__)\n")
    done, want = mxnova("run", "script.py"), mxnova.python("script.py")
    assert done.stdout == want.stdout == f"mine\n{folder / name}.py\n"


def test_a_variable_that_cannot_be_read_is_one_line(mxnova, folder):
    script(folder, "print(1)")
    done = mxnova("run", "script.py", MXNOVA_NUMPY_NAMES="perhaps")
    assert done.returncode == 2
    assert done.stderr.startswith("error: environment: MXNOVA_NUMPY_NAMES='perhaps'")


def test_what_starts_with_python_starts_in_children_too(mxnova, folder):
    """A `sitecustomize` behind ours runs; a Python without mxnova goes on to its own `mxnet`."""
    other = folder / "other"
    (other / "mxnet").mkdir(parents=True)
    (other / "mxnet" / "__init__.py").write_text("from . import real\n")
    (other / "mxnet" / "real.py").write_text("X = 'real'\n")
    (other / "sitecustomize.py").write_text("print('site')\n")
    script(
        folder,
        """
        import os, subprocess, sys
        code = "import sys; sys.stdout.flush(); import mxnet; print(mxnet.__name__, mxnet.__file__)"
        path = os.environ["PYTHONPATH"] + os.pathsep + "other"
        def run(path):
            sys.stdout.flush()
            subprocess.run([sys.executable, "-S", "-c", "import sitecustomize;" + code],
                           env={**os.environ, "PYTHONPATH": path})
        run(path)
        run(path.split(os.pathsep)[0] + os.pathsep + "other")
        """,
    )
    import mxnova as package

    lines = mxnova("run", "script.py").stdout.splitlines()
    assert lines == [
        "site",
        f"mxnet {package.__file__}",
        "site",
        f"mxnet {other / 'mxnet' / '__init__.py'}",
    ]


def test_nothing_is_imported_before_the_program(mxnova, folder):
    script(folder, "import sys\nprint({'numpy', 'torch', 'rich', 'typer'} & set(sys.modules))\n")
    assert mxnova("run", "script.py").stdout == "set()\n"


def test_mxnova_is_found_where_only_the_starting_folder_told(folder):
    """``python -m mxnova`` from a checkout: the path's first entry is the program's folder now."""
    import mxnova

    path = script(folder, CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "mxnova", "run", path, "spawn"],
        cwd=next(iter(mxnova.__path__)) + "/..",
        env={"PATH": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
