# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

import pytest

OPENCV = """
import os
import cv2, numpy as np
import mxnova.ndarray
cv2.setNumThreads(4)
cv2.GaussianBlur(np.zeros((2000, 2000, 3), np.float32), (15, 15), 3)
child = os.fork()
if not child:
    assert cv2.getNumThreads() == 4
    cv2.setNumThreads(1)
    cv2.GaussianBlur(np.zeros((500, 500, 3), np.float32), (15, 15), 3)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert cv2.getNumThreads() == 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_can_end_opencvs_threads():
    pytest.importorskip("cv2")
    ran = subprocess.run(
        # Python 3.12 and newer warn of threads beside a fork.
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", OPENCV],
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
