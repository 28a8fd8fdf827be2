# SPDX-License-Identifier: Apache-2.0
"""FeedForward learns, predicts, is saved and refused; tests/conformance compares it with MXNet."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError

pytestmark = pytest.mark.filterwarnings("ignore:FeedForward is deprecated:DeprecationWarning")

rng = np.random.RandomState(0)
DATA = rng.standard_normal((60, 4)).astype(np.float32)
LABELS = (DATA.sum(axis=1) > 0).astype(np.float32)


def network():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def model(**options):
    given = {"num_epoch": 8, "learning_rate": 0.5, "numpy_batch_size": 10, **options}
    return mx.model.FeedForward(network(), ctx=mx.cpu(), **given)


@pytest.fixture(scope="module")
def learnt():
    with pytest.warns(DeprecationWarning, match="Module"):
        made = model()
    mx.random.seed(0)
    np.random.seed(0)
    made.fit(DATA, LABELS, kvstore=None)
    return made


@pytest.mark.parametrize("context", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]], ids=["one", "two"])
@pytest.mark.parametrize("kvstore", [None, "local", "device"])
def test_it_learns_arrays(context, kvstore):
    np.random.seed(0)
    made = mx.model.FeedForward.create(
        network(),
        DATA,
        LABELS,
        ctx=context,
        num_epoch=8,
        learning_rate=0.5,
        numpy_batch_size=10,
        kvstore=kvstore,
        eval_data=(DATA, LABELS),
    )
    assert made.score(mx.io.NDArrayIter(DATA, LABELS, 10)) > 0.9


def test_a_prediction_has_no_padded_samples(learnt):
    whole = learnt.predict(DATA)
    assert whole.shape == (60, 2)
    batches = mx.io.NDArrayIter(DATA, LABELS, 16)  # the last has a pad of 4
    outputs, data, labels = learnt.predict(batches, return_data=True)
    np.testing.assert_allclose(outputs, whole, rtol=1e-5)
    np.testing.assert_array_equal(data, DATA)
    np.testing.assert_array_equal(labels, LABELS)
    assert learnt.predict(batches, num_batch=2).shape == (32, 2)


def test_a_checkpoint_goes_on_where_it_ended(learnt, tmp_path):
    prefix = str(tmp_path / "net")
    learnt.save(prefix)
    loaded = mx.model.FeedForward.load(prefix, 8, ctx=mx.cpu(), num_epoch=9)
    # MKL's sums depend on where arrays lie.
    np.testing.assert_allclose(loaded.predict(DATA), learnt.predict(DATA), rtol=1e-5)
    epochs = []
    loaded.fit(DATA, LABELS, epoch_end_callback=lambda epoch, *_: epochs.append(epoch))
    assert epochs == [8]


def test_it_travels_as_a_pickle(learnt):
    again = pickle.loads(pickle.dumps(learnt))
    np.testing.assert_array_equal(again.predict(DATA), learnt.predict(DATA))


def test_callbacks_come_at_batches_epochs_and_measurements():
    calls = []
    made = model(num_epoch=2)
    made.fit(
        DATA,
        LABELS,
        eval_data=mx.io.NDArrayIter(DATA[:20], LABELS[:20], 10),
        batch_end_callback=[lambda p: calls.append(("batch", p.epoch, p.nbatch))],
        epoch_end_callback=lambda epoch, symbol, args, aux: calls.append(("epoch", sorted(args))),
        eval_batch_end_callback=lambda p: calls.append(("eval batch", p.nbatch)),
        eval_end_callback=lambda p: calls.append(("eval", p.nbatch)),
    )
    epoch = [("epoch", ["fc_bias", "fc_weight"])]
    measured = [("eval batch", 0), ("eval batch", 1), ("eval", 2)]
    assert calls == [
        *[("batch", 0, n) for n in range(1, 7)], *epoch, *measured,
        *[("batch", 1, n) for n in range(1, 7)], *epoch, *measured,
    ]  # fmt: skip


def test_an_epoch_may_be_longer_than_the_data():
    counts = []
    made = model(num_epoch=1, epoch_size=9)
    made.fit(DATA, LABELS, batch_end_callback=lambda p: counts.append(p.nbatch))
    assert counts == [*range(1, 10)]


def test_training_starts_at_the_first_batch():
    data = mx.io.NDArrayIter(DATA, LABELS, 10)
    data.next()
    counts = []
    model(num_epoch=1).fit(data, batch_end_callback=lambda p: counts.append(p.nbatch))
    assert counts == [*range(1, 7)]


def test_surplus_parameters_are_left_out_where_that_is_allowed(learnt):
    given = {**learnt.arg_params, "other": mx.nd.ones(1)}
    made = model(arg_params=given, aux_params={}, allow_extra_params=True)
    assert sorted(made.arg_params) == ["fc_bias", "fc_weight"]
    np.testing.assert_array_equal(made.predict(DATA), learnt.predict(DATA))


def test_buckets_share_parameters():
    def symbol(length):
        data = mx.sym.mean(mx.sym.var("data"), axis=1, keepdims=True)
        net = mx.sym.FullyConnected(data, num_hidden=2, name="fc")
        return mx.sym.SoftmaxOutput(net, name=f"softmax{length}", label=mx.sym.var("softmax_label"))

    class Buckets(mx.io.DataIter):
        default_bucket_key, turn = 6, 0
        provide_label = [mx.io.DataDesc("softmax_label", (4,))]
        provide_data = [mx.io.DataDesc("data", (4, 6))]

        def reset(self):
            self.turn = 0

        def next(self):
            if self.turn == 4:
                raise StopIteration
            length = (6, 3)[self.turn % 2]
            self.turn += 1
            data = [mx.io.DataDesc("data", (4, length))]
            return mx.io.DataBatch(
                [mx.nd.ones((4, length))],
                [mx.nd.array([1, 1, 1, 1])],
                pad=0,
                bucket_key=length,
                provide_data=data,
                provide_label=self.provide_label,
            )

    made = mx.model.FeedForward(symbol, ctx=mx.cpu(), num_epoch=3, learning_rate=0.5)
    made.fit(Buckets(4))
    assert made.arg_params["fc_bias"].asnumpy()[1] > 0.1


def test_descriptions_may_be_pairs():
    class Pairs(mx.io.DataIter):
        provide_data, provide_label = [("data", (60, 4))], [("softmax_label", (60,))]
        left = 1

        def reset(self):
            self.left = 1

        def next(self):
            if not self.left:
                raise StopIteration
            self.left -= 1
            return mx.io.DataBatch([mx.nd.array(DATA)], [mx.nd.array(LABELS)], pad=0)

    made = model(num_epoch=2)
    made.fit(Pairs(60), eval_data=Pairs(60))
    assert made.predict(Pairs(60)).shape == (60, 2)


@pytest.mark.parametrize(
    "data, labels, error, text",
    [
        (DATA, None, ArgumentError, "y must be given"),
        (DATA, LABELS[:-1], ArgumentError, "60 samples, y has 59"),
        (DATA, np.ones((60, 2)), ArgumentError, "y has shape"),
        ([[1, 2]], [1], TypeError, "must be a DataIter"),
    ],
)
def test_data_that_do_not_fit_are_refused(data, labels, error, text):
    with pytest.raises(error, match=text):
        model().fit(data, labels)


def test_what_is_not_given_is_named():
    with pytest.raises(TypeError, match="num_epoch"):
        model(num_epoch=None).fit(DATA, LABELS)
    with pytest.raises(AssertionError, match="symbol=3"):
        mx.model.FeedForward(3)
    with pytest.raises(AssertionError, match="epoch must be given"):
        model(num_epoch=None).save("never")
