# SPDX-License-Identifier: Apache-2.0
"""What a release consists of: one version, its changelog, recipe, archives, and the files around."""

from __future__ import annotations

import email
import re
import subprocess

import pytest

import mxnova
from mxnova.as_mxnet import __file__ as as_mxnet
from scripts import release
from tests.pages.page import ROOT

yaml = pytest.importorskip("yaml")
tomllib = pytest.importorskip("tomllib")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_the_version_stands_in_one_place():
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "mxnova.__version__"}
    assert release.version() == mxnova.__version__


def test_the_changelog_knows_the_version():
    headings = re.findall(r"^## \[(.+?)\](.*)$", CHANGELOG, re.M)
    assert headings[0] == ("Unreleased", "")
    assert headings[1][0] == mxnova.__version__
    assert all(re.fullmatch(r" - \d{4}-\d\d-\d\d", date) for _, date in headings[1:-1])


@pytest.mark.parametrize("tag", [f"v{mxnova.__version__}", mxnova.__version__, "v0.0.1"])
def test_tags_must_name_the_version(tag):
    if tag == f"v{mxnova.__version__}":
        release.check_tag(tag, release.version())
    else:
        with pytest.raises(SystemExit, match=f"tag {tag}"):
            release.check_tag(tag, release.version())


def test_archives_have_no_trace_of_the_machine(tmp_path):
    import tarfile

    contents = []
    for number, name in enumerate(("a", "b")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "run").write_text("x")
        (folder / "run").chmod((0o775, 0o755)[number])
        archive = tmp_path / f"{name}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(folder, "top")
        release.normalize(archive, 1_700_000_000)
        contents.append(archive.read_bytes())
    assert contents[0] == contents[1]


def test_an_archive_that_lacks_a_file_is_refused(tmp_path):
    import zipfile

    wheel = tmp_path / "mxnova.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("mxnova/__init__.py", "")
    release.check_complete([wheel], ["src/mxnova/__init__.py", "README.md"])
    with pytest.raises(SystemExit, match=r"lacks 1 files: mxnova/page\.html"):
        release.check_complete([wheel], ["src/mxnova/__init__.py", "src/mxnova/page.html"])


def test_the_conda_recipe_needs_what_the_package_needs():
    text = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    blocks = re.sub(r"\{%.*?%\}", "", text, flags=re.S)
    recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "x", blocks))
    needed = [d.replace("torch", "pytorch") for d in PYPROJECT["project"]["dependencies"]]
    python = f"python{PYPROJECT['project']['requires-python']}"
    stated = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    assert sorted(stated) == sorted([python, *needed])
    (pattern,) = re.findall(r"regex_pattern='(.+)'", text)
    found = re.search(pattern, (ROOT / "src/mxnova/__init__.py").read_text("utf-8"))
    assert found[1] == mxnova.__version__


@pytest.mark.parametrize("path", ["Containerfile", "examples/serve/Containerfile"])
def test_containers_copy_what_is_there(path):
    text = (ROOT / path).read_text("utf-8")
    for words in re.findall(r"^COPY (?!--from)(.+)$", text, re.M):
        assert all((ROOT / word).exists() for word in words.split()[:-1])
    extras = re.findall(r'"/source\[(.+?)\]"', text)
    assert {*",".join(extras).split(",")} - {""} <= {*PYPROJECT["project"]["optional-dependencies"]}


def test_the_container_that_serves_has_all_packages_but_torch():
    text = (ROOT / "examples/serve/Containerfile").read_text("utf-8")
    project = PYPROJECT["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["serve"]]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in needed}
    assert names - {"torch"} <= {*text.split()}


def test_the_alias_says_that_it_is_not_apaches():
    path = f"{as_mxnet.rpartition('__init__')[0]}package/mxnet-1.9.1.dist-info/METADATA"
    with open(path, encoding="utf-8") as file:
        metadata = email.message_from_file(file)
    assert metadata["Name"] == "mxnet"
    assert "Not Apache MXNet" in metadata["Summary"]
    assert "none of the Apache Software Foundation" in metadata.get_payload()


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_whole(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": False}
        return
    assert form["name"] and form["description"]
    ids = [element["id"] for element in form["body"]]
    assert len(ids) == len({*ids})
    assert all(element["attributes"]["label"] for element in form["body"])


def test_the_source_archive_takes_all_folders():
    listed = (ROOT / "MANIFEST.in").read_text("utf-8").split()
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    tops = {line.partition("/")[0] for line in tracked.stdout.splitlines()}
    by_setuptools = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"}
    assert tops - by_setuptools - {*release.LEFT_OUT} <= {*listed}
