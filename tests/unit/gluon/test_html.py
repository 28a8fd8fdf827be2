# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of blocks, and of what trains them."""

import mxnova as mx
from mxnova import gluon
from tests.unit.base.test_html import Text


def net():
    made = gluon.nn.HybridSequential(prefix="net_")
    with made.name_scope():
        made.add(gluon.nn.Dense(3, in_units=4), gluon.nn.Dense(2))
    made.initialize()
    return made


def text(shown):
    return " | ".join(Text(shown._repr_html_()).text)


def test_blocks_show_their_parameters_and_no_number_that_is_not_known():
    made = net()
    assert text(made).endswith(
        "0 | Dense | weight (3, 4), bias (3) | 15 | 1 | Dense | weight (2, ?), bias (2) | not known yet"
        " | 17 parameters known; 1 arrays get their shapes by the first forward"
    )
    made(mx.nd.ones((1, 4)))
    assert text(made).endswith("weight (2, 3), bias (2) | 8 | 23 parameters known")


def test_shared_parameters_count_once():
    first = gluon.nn.Dense(3, in_units=4)
    both = gluon.nn.HybridSequential()
    both.add(first, gluon.nn.Dense(3, in_units=4, params=first.params))
    assert text(both).endswith("15 parameters known")


def test_symbol_blocks_show_theirs():
    data = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    shown = text(gluon.SymbolBlock(data, mx.sym.var("data")))
    assert "fc_weight ?" in shown
    assert "0 parameters known; 2 arrays" in shown


def test_trainers_and_optimizers_show_what_they_do():
    made = net()[0]
    trainer = gluon.Trainer(made.collect_params(), "adam", {"learning_rate": 0.5})
    for _ in range(2):
        with mx.autograd.record():
            loss = made(mx.nd.ones((1, 4)))
        loss.backward()
        trainer.step(1)
    for shown in (text(trainer), text(trainer._optimizer)):
        assert "learning_rate | 0.5 | updates | 2 | " in shown
        assert "beta1 | 0.9 | beta2 | 0.999" in shown
    assert "optimizer | Adam" in text(trainer)
    scheduler = mx.lr_scheduler.FactorScheduler(1)
    assert "lr_scheduler | FactorScheduler" in text(mx.optimizer.SGD(lr_scheduler=scheduler))


def test_metrics_show_their_values():
    metric = mx.metric.create(["acc", "mae"])
    metric.update([mx.nd.array([1])], [mx.nd.array([[0.0, 1.0]])])
    assert text(metric).startswith("CompositeEvalMetric | metric | value | accuracy | 1 | mae | ")


def test_iterators_show_what_they_give():
    batches = mx.io.NDArrayIter(mx.nd.ones((4, 2)), mx.nd.ones(4), 2)
    assert text(batches) == (
        "NDArrayIter, batches of 2 |  | name | shape | dtype | data | data | (2, 2) | float32"
        " | label | softmax_label | (2,) | float32"
    ).replace("|  |", "|")
    loader = gluon.data.DataLoader(gluon.data.SimpleDataset([1.0, 2.0, 3.0]), 2)
    assert (
        text(loader)
        == "DataLoader | dataset | SimpleDataset | samples | 3 | batches | 2 | workers | 0 processes"
    )
