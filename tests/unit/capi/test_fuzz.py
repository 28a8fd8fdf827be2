"""Some thousand calls that should not be (`scripts/fuzz_capi` has more)."""

import pytest

pytest.importorskip("cffi")

from tests.fuzz import capi_calls


@pytest.mark.parametrize("threads", [1, 4])
def test_no_call_ends_the_process(built, tmp_path, threads):
    assert capi_calls.run(built.library, 0, 4000, threads, tmp_path, 200) > 200


def test_a_process_that_ends_is_told(built, tmp_path, monkeypatch):
    """The harness notices what it is there for."""
    monkeypatch.setattr(capi_calls.subprocess, "run", lambda *a, **k: _Ended())
    (tmp_path / "last_call").write_text("MXNDArrayFree(5)")
    with pytest.raises(AssertionError, match=r"status -11 after MXNDArrayFree\(5\)"):
        capi_calls.run(built.library, 0, 1, 1, tmp_path, 200)


class _Ended:
    returncode, stdout, stderr = -11, "", "Fatal Python error: Segmentation fault"
