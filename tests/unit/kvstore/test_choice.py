# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.kvstore import KVStore
from mxnova.kvstore.choice import updates_by_rows


class Distributed(KVStore):
    """As a store of several processes calls itself."""

    type = "dist_sync"


@pytest.mark.parametrize("asked, updates", [(None, False), (False, False), (True, True)])
def test_devices_update_by_sparse_gradients_themselves(asked, updates):
    assert updates_by_rows(mx.kv.create("device"), asked) is updates


def test_stores_of_several_processes_update_by_sparse_gradients():
    store = object.__new__(Distributed)
    assert updates_by_rows(store, None) and updates_by_rows(store, True)
    with pytest.raises(ValueError, match="update_on_kvstore=False.*dist_sync.*sparse gradients"):
        updates_by_rows(store, False)
