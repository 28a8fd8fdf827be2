# SPDX-License-Identifier: Apache-2.0
"""All commands: help, examples, suggestions, completion, and what is imported before them."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest

import mxnova as mx
from mxnova.cli.arguments import PROGRAM, parse
from mxnova.cli.command import COMMANDS, Option
from mxnova.cli.program import options_of

COMMAND_OF = {name: PROGRAM.get_command(None, name) for name in COMMANDS}
EXAMPLES = [(name, line) for name, command in COMMAND_OF.items() for line in command.examples]
RUN = [  # examples that are run as they are written, where there is a model `net`
    "mxnova inspect net --stats --nodes",
    "mxnova diff net-0001.params net-0002.params",
    "mxnova convert net net.safetensors",
    "mxnova diff net net.safetensors --tolerance 1e-6",
    "mxnova predict net -i data=x.npy",
    "mxnova predict net -i data=x.npy --explain --json",
    "mxnova plot net -s data=N,2",
    "mxnova plot net-symbol.json -o net.html",
    "mxnova check train.py",
    "mxnova rec2idx train.rec train.idx",
    "mxnova alias status",
    "mxnova completion fish > ~/.config/fish/completions/mxnova.fish",
]
NEEDS = {  # what is run before, in the same folder
    "mxnova diff net net.safetensors --tolerance 1e-6": ["mxnova convert net net.safetensors"]
}


def act(words):
    options = parse(words)
    return options.act(options)


def words_of(line):
    """The words of an example before what a shell takes from it."""
    line = line.removeprefix('eval "$(').partition(')"')[0].partition(" | ")[0].partition(" > ")[0]
    return shlex.split(line)[1:]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_and_explains_its_arguments(name, capsys):
    with pytest.raises(SystemExit) as ended:
        act(["help", name])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: mxnova {name} ")
    assert "Examples:\n  " in text
    command = COMMAND_OF[name]
    assert command.name == name
    assert all(param.help for param in command.params if isinstance(param, Option))


@pytest.mark.parametrize("name, line", EXAMPLES)
def test_examples_are_understood(name, line):
    words = words_of(line)
    options = options_of(words) if name == "run" else parse(words)
    assert options.command == name
    assert callable(options.act)


@pytest.fixture
def place(folder, tmp_path):
    place = tmp_path / "examples"
    place.mkdir()
    for name in ("net-0001.params", "net-symbol.json", "x.npy"):
        shutil.copy(folder / name, place / name)
    shutil.copy(folder / "net-0001.params", place / "net-0002.params")
    shutil.copy(folder / "x.rec", place / "train.rec")
    (place / "train.py").write_text("import mxnet as mx\nmx.nd.array([1])\n")
    return place


@pytest.mark.parametrize("line", RUN)
def test_examples_work(line, place, monkeypatch):
    assert line in {line for _, line in EXAMPLES}
    monkeypatch.chdir(place)
    for before in NEEDS.get(line, ()):
        assert not act(words_of(before))
    assert not act(words_of(line))


@pytest.mark.parametrize(
    "words, text",
    [
        (["lanch"], "no command 'lanch'; did you mean 'launch'? (see mxnova --help)"),
        (["instal"], "no command 'instal'"),
        (["help", "predct"], "no command 'predct'; did you mean 'predict'"),
        (["inspect", "x", "--jsn"], "no option --jsn; did you mean '--json'"),
        (["predict", "net", "--epohc", "1"], "no option --epohc; did you mean '--epoch'? (see mxnova predict --help)"),
        (["predict", "net", "--epoch", "x", "f"], "--epoch"),
        (["predict", "net", "f", "--precision", "int8"], "--precision"),
        (["serve", "--prot", "1"], "did you mean '--port'"),
        (["run", "--numpy-nmaes", "x.py"], "did you mean '--numpy-names'"),
        (["launch", "-n", "2"], "which command? mxnova launch -n 2 python train.py (see mxnova launch --help)"),
        (["quantize", "net", "--data", "x", "--samples", "9", "--batches", "1"], "do not go together"),
        (["launch", "x.py"], "how many processes? -n/--num-workers, or --min and --max"),
        (["inspect"], "error: Missing argument FILES ("),
        (["\x1b[2J"], "no command"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(words, text, capsys):
    with pytest.raises(SystemExit) as ended:
        act(words)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert text in told
    assert told.count("\n") == 1
    assert told[:-1].isprintable()


def test_what_stands_behind_a_program_is_its_own():
    options = options_of(["run", "--no-numpy-names", "train.py", "--help", "-m", "--", "run", "-x"])
    assert (options.script, options.module) == ("train.py", None)
    assert options.args == ["--help", "-m", "--", "run", "-x"]
    assert (options.numpy_names, options.numpy_compat) == (False, False)
    for words in (["run", "-m", "a.b", "-m"], ["run", "-ma.b", "-m"]):
        assert (options_of(words).module, options_of(words).args) == ("a.b", ["-m"])
    assert options_of(["run"]) is options_of(["run", "--help"]) is options_of(["inspect"]) is None
    options = options_of(["run", "--numpy-compat", "--", "x.py", "--", "-m"])
    assert (options.script, options.args, options.numpy_compat) == ("x.py", ["--", "-m"], True)
    line = parse(["launch", "-n", "2", "python", "x.py", "-n", "3", "--", "--help"]).line
    assert [*line] == ["python", "x.py", "-n", "3", "--", "--help"]
    assert [*parse(["launch", "-n", "2", "--", "-x", "--"]).line] == ["-x", "--"]
    options = parse(["im2rec", "p", "r", "--exts", ".a", ".b", "--list"])
    assert (options.exts, options.list) == ((".a", ".b"), True)


COMPLETIONS = {
    "mxnova pre": "plain,predict",
    "mxnova predict --ba": "plain,--backend\nplain,--batch",
    "mxnova predict x": "file,x",
    "mxnova predict x f --precision b": "plain,bfloat16",
    "mxnova plot net -o dra": "file,dra",
    "mxnova run tr": "file,tr",
    "mxnova launch -n 2 tr": "file,tr",
    "mxnova help ver": "plain,verify",
    "mxnova predct --ba": "",
}


@pytest.mark.parametrize("line", COMPLETIONS)
def test_shells_complete(line, monkeypatch, capsys):
    monkeypatch.setenv("_MXNOVA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit) as ended:
        parse([])
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip() == COMPLETIONS[line]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_the_script(mxnova, tmp_path):
    script = mxnova("completion", "bash").stdout
    program = tmp_path / "mxnova"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mxnova "$@"\n')
    program.chmod(0o755)
    script += (
        '\nCOMP_WORDS=(mxnova pre) COMP_CWORD=1; _mxnova_completion mxnova; echo "${COMPREPLY[@]}"'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    python_path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        ["bash", "-c", script],
        env={"PATH": path, "PYTHONPATH": python_path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "predict\n", done.stderr


@pytest.mark.parametrize(
    "words", [["--help"], ["predict", "--help"], ["predict", "nofile", "x"], ["help"]]
)
def test_help_and_errors_import_neither_torch_nor_rich(mxnova, words):
    code = "import sys; sys.modules.update(torch=None, rich=None, cv2=None)\n"
    done = mxnova.python("-c", f"{code}from mxnova.cli import main; main()", *words)
    assert "Error" not in done.stderr
    assert done.returncode == (1 if "nofile" in words else 0)


def test_help_that_nobody_reads_ends_without_a_traceback(mxnova):
    code = (
        "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n"
        "from mxnova.cli import main; main()"
    )
    done = mxnova.python("-c", code, "predict", "--help")
    assert (done.returncode, done.stderr) == (1, "")


def test_the_version(capsys):
    with pytest.raises(SystemExit):
        parse(["--version"])
    assert capsys.readouterr().out == f"mxnova {mx.__version__}\n"
