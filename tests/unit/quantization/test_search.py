# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.quantization.search import fewest


@pytest.mark.parametrize("most", (1, 2, 3, 7, 20))
def test_the_smallest_number_is_found_with_few_questions(most):
    for answer in range(most + 2):
        asked = []

        def is_enough(n, answer=answer, asked=asked):
            asked.append(n)
            return n >= answer

        found = fewest(most, is_enough)
        assert found == (answer if answer < most else None)
        assert max(asked) < most
        assert len(asked) == len(set(asked)) <= 2 * most.bit_length() + 2
