# SPDX-License-Identifier: Apache-2.0
"""Some hundred good and hostile requests at the same time; `scripts/stress_serve` sends more."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fuzz import http_requests

pytest.importorskip("uvicorn")


def test_good_requests_are_answered_and_hostile_ones_refused(client, predictors):
    def answer(values):
        return predictors["dense"].predict(data=values)[0]

    def check(number):
        return http_requests.check(client.port, http_requests.make(0, number), answer)

    with ThreadPoolExecutor(4) as pool:
        found = [text for text in pool.map(check, range(400)) if text]
    assert found == []


def test_requests_are_reproducible():
    assert repr(http_requests.make(1, 5)) == repr(http_requests.make(1, 5))
    kinds = {http_requests.make(1, number).kind for number in range(400)}
    assert len(kinds) > 25
