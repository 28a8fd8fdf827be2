# SPDX-License-Identifier: Apache-2.0
"""Usual mistakes, each of which must raise what programs catch."""

import numpy as np

from .kit import draw, mistake, start


def dense(mx, units=3, **kwargs):
    return mx.gluon.nn.Dense(units, prefix="dense_", **kwargs)


def ready(mx, **kwargs):
    return start(mx, dense(mx, **kwargs), mx.nd.ones((2, 4)))


def not_initialized(mx, folder):
    return dense(mx, in_units=4)(mx.nd.ones((2, 4)))


def not_initialized_hybridized(mx, folder):
    net = dense(mx)
    net.hybridize()
    return net(mx.nd.ones((2, 4)))


def data_of_deferred(mx, folder):
    net = dense(mx)
    net.initialize()
    return net.weight.data()


def grad_of_deferred(mx, folder):
    net = dense(mx)
    net.initialize()
    return net.weight.grad()


def grad_of_frozen(mx, folder):
    net = ready(mx)
    net.weight.grad_req = "null"
    return net.weight.grad()


def list_ctx_not_initialized(mx, folder):
    return dense(mx, in_units=4).weight.list_ctx()


def data_of_other_context(mx, folder):
    return ready(mx).weight.data(mx.cpu(3))


def input_on_other_context(mx, folder):
    return ready(mx)(mx.nd.ones((2, 4), ctx=mx.cpu(3)))


def wrong_in_units(mx, folder):
    net = dense(mx, in_units=7)
    net.initialize()
    return net(mx.nd.ones((2, 4))).asnumpy()


def wrong_in_units_hybridized(mx, folder):
    net = dense(mx, in_units=7)
    net.initialize()
    net.hybridize()
    return net(mx.nd.ones((2, 4))).asnumpy()


def wrong_shape_later(mx, folder):
    return ready(mx)(mx.nd.ones((2, 5))).asnumpy()


def wrong_channels(mx, folder):
    net = mx.gluon.nn.Conv2D(3, 3, in_channels=4)
    net.initialize()
    return net(mx.nd.ones((2, 5, 8, 8))).asnumpy()


def wrong_axes(mx, folder):
    net = mx.gluon.nn.Conv2D(3, 3)
    net.initialize()
    return net(mx.nd.ones((2, 5))).asnumpy()


def numpy_input(mx, folder):
    return ready(mx)(np.ones((2, 4)))


def list_input(mx, folder):
    return ready(mx)([1.0, 2.0])


def no_input(mx, folder):
    return ready(mx)()


def too_many_inputs(mx, folder):
    return ready(mx)(mx.nd.ones((2, 4)), mx.nd.ones((2, 4)))


def arrays_and_symbols(mx, folder):
    pair = mx.gluon.nn.HybridLambda(lambda F, a, b: a + b)
    return pair(mx.nd.ones(2), mx.sym.var("x"))


def set_data_of_other_shape(mx, folder):
    ready(mx).weight.set_data(mx.nd.ones((3, 5)))


def set_data_not_initialized(mx, folder):
    dense(mx, in_units=4).weight.set_data(mx.nd.ones((3, 4)))


def grad_req_unknown(mx, folder):
    ready(mx).weight.grad_req = "sum"


def initializer_unknown(mx, folder):
    dense(mx, in_units=4).initialize("xavierr")


def initializer_for_vectors(mx, folder):
    net = dense(mx, in_units=4, bias_initializer=mx.init.Xavier())
    net.initialize()


def parameter_twice(mx, folder):
    params = mx.gluon.ParameterDict("p_")
    params.get("w", shape=(2, 3))
    return params.get("w", shape=(2, 4))


def dicts_that_clash(mx, folder):
    one, other = mx.gluon.ParameterDict(), mx.gluon.ParameterDict()
    one.get("w", shape=(2,)), other.get("w", shape=(2,))
    one.update(other)


def dict_without(mx, folder):
    return ready(mx).collect_params()["weight"]


def file_is_missing(mx, folder):
    ready(mx).load_parameters(str(folder / "nothing.params"))


def file_lacks_parameters(mx, folder):
    mx.nd.save(str(folder / "x.params"), {"weight": mx.nd.ones((3, 4)), "a.b": mx.nd.ones(1)})
    ready(mx).load_parameters(str(folder / "x.params"))


def file_has_more(mx, folder):
    net = ready(mx)
    net.save_parameters(str(folder / "x.params"))
    arrays = mx.nd.load(str(folder / "x.params"))
    mx.nd.save(str(folder / "x.params"), {**arrays, "other.weight": mx.nd.ones(1)})
    holder = mx.gluon.nn.HybridSequential()
    holder.add(net)
    net.load_parameters(str(folder / "x.params"))


def file_of_other_shapes(mx, folder):
    ready(mx, units=5).save_parameters(str(folder / "x.params"))
    ready(mx).load_parameters(str(folder / "x.params"))


def file_of_other_types(mx, folder):
    net = ready(mx)
    net.cast("float64")
    net.save_parameters(str(folder / "x.params"))
    ready(mx).load_parameters(str(folder / "x.params"))


def file_of_another_network(mx, folder):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(2, in_units=2))
    net.initialize()
    net.save_parameters(str(folder / "x.params"))
    ready(mx).load_parameters(str(folder / "x.params"))


def dict_file_lacks(mx, folder):
    mx.nd.save(str(folder / "x.params"), {"dense_weight": mx.nd.ones((3, 4))})
    ready(mx).collect_params().load(str(folder / "x.params"))


def dict_file_has_more(mx, folder):
    net = ready(mx)
    net.collect_params().save(str(folder / "x.params"))
    mx.gluon.ParameterDict("dense_").load(str(folder / "x.params"))


def saved_with_wrong_prefix(mx, folder):
    ready(mx).collect_params().save(str(folder / "x.params"), strip_prefix="conv_")


def saved_not_initialized(mx, folder):
    dense(mx).save_parameters(str(folder / "x.params"))


def exported_not_hybridized(mx, folder):
    ready(mx).export(str(folder / "x"))


def exported_before_a_call(mx, folder):
    net = dense(mx)
    net.initialize()
    net.hybridize()
    net.export(str(folder / "x"))


def child_is_not_hybrid(mx, folder):
    mx.gluon.nn.HybridSequential().add(mx.gluon.nn.Sequential())


def child_is_no_block(mx, folder):
    mx.gluon.nn.Sequential().add(3)


def child_of_another_kind(mx, folder):
    class Net(mx.gluon.Block):
        def __init__(self):
            super().__init__()
            self.layer = dense(mx)
            self.layer = 3

    Net()


def forward_not_defined(mx, folder):
    return mx.gluon.Block()(mx.nd.ones(1))


def hybrid_forward_not_defined(mx, folder):
    return mx.gluon.HybridBlock()(mx.nd.ones(1))


def init_not_called(mx, folder):
    class Net(mx.gluon.Block):
        def __init__(self):
            self.layer = dense(mx)

    Net()


def value_asked_in_a_graph(mx, folder):
    net = mx.gluon.nn.HybridLambda(lambda F, x: x if x.sum().asscalar() > 0 else -x)
    net.hybridize()
    return net(mx.nd.ones(2))


def shape_asked_in_a_graph(mx, folder):
    net = mx.gluon.nn.HybridLambda(lambda F, x: x.reshape((x.shape[0], -1)))
    net.hybridize()
    return net(mx.nd.ones((2, 3)))


def output_is_no_array(mx, folder):
    net = mx.gluon.nn.HybridLambda(lambda F, x: {"x": x})
    net.hybridize()
    return net(mx.nd.ones(2))


def summary_of_hybridized(mx, folder):
    net = ready(mx)
    net.hybridize()
    net.summary(mx.nd.ones((2, 4)))


def trainer(mx, net, optimizer="sgd", **kwargs):
    return mx.gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1}, **kwargs)


def optimizer_unknown(mx, folder):
    trainer(mx, ready(mx), "adamm")


def optimizer_argument_unknown(mx, folder):
    mx.gluon.Trainer(ready(mx).collect_params(), "sgd", {"learning_rat": 0.1})


def optimizer_with_arguments(mx, folder):
    trainer(mx, ready(mx), mx.optimizer.SGD())


def trainer_of_a_block(mx, folder):
    mx.gluon.Trainer(ready(mx), "sgd")


def trainer_of_arrays(mx, folder):
    mx.gluon.Trainer([mx.nd.ones(2)], "sgd")


def step_not_initialized(mx, folder):
    net = dense(mx)
    trainer(mx, net).step(1)


def step_before_backward(mx, folder):
    trainer(mx, ready(mx)).step(1)


def step_twice(mx, folder):
    net = ready(mx)
    made = trainer(mx, net)
    with mx.autograd.record():
        loss = net(mx.nd.ones((2, 4))).sum()
    loss.backward()
    made.step(1)
    made.step(1)


def part_has_no_gradient(mx, folder):
    one, other = ready(mx), dense(mx, in_units=4)
    other.initialize()
    made = mx.gluon.Trainer(
        [*one.collect_params().values(), *other.collect_params().values()], "sgd"
    )
    with mx.autograd.record():
        loss = one(mx.nd.ones((2, 4))).sum()
    loss.backward()
    made.step(1)


def batch_of_zero(mx, folder):
    trainer(mx, ready(mx)).step(0)


def update_on_a_store(mx, folder):
    net = ready(mx)
    made = trainer(mx, net, kvstore=mx.kv.create("local"), update_on_kvstore=True)
    made.update(1)


def rate_of_a_schedule(mx, folder):
    schedule = mx.lr_scheduler.FactorScheduler(10)
    arguments = {"lr_scheduler": schedule}
    mx.gluon.Trainer(ready(mx).collect_params(), "sgd", arguments).set_learning_rate(0.1)


def contexts_that_differ(mx, folder):
    one, other = dense(mx, in_units=4), mx.gluon.nn.Dense(2, in_units=2)
    one.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    other.initialize(ctx=mx.cpu(0))
    mx.gluon.Trainer([*one.collect_params().values(), *other.collect_params().values()], "sgd")


def states_are_missing(mx, folder):
    trainer(mx, ready(mx)).load_states(str(folder / "nothing.states"))


def backward_not_recorded(mx, folder):
    ready(mx)(mx.nd.ones((2, 4))).sum().backward()


def backward_twice(mx, folder):
    net = ready(mx)
    with mx.autograd.record():
        loss = net(mx.nd.ones((2, 4))).sum()
    loss.backward()
    loss.backward()


def labels_of_other_shapes(mx, folder):
    return mx.gluon.loss.L2Loss()(mx.nd.ones((2, 3)), mx.nd.ones((2, 4))).asnumpy()


def split_unevenly(mx, folder):
    return mx.gluon.utils.split_and_load(draw(5, 2), [mx.cpu(0), mx.cpu(1)])


def split_too_finely(mx, folder):
    return mx.gluon.utils.split_and_load(draw(1, 2), [mx.cpu(0), mx.cpu(1)])


def clip_nothing(mx, folder):
    return mx.gluon.utils.clip_global_norm([], 1.0)


def activation_unknown(mx, folder):
    net = dense(mx, activation="gelu2", in_units=4)
    net.initialize()
    return net(mx.nd.ones((2, 4))).asnumpy()


def hidden_sizes_that_differ(mx, folder):
    cell = mx.gluon.rnn.LSTMCell(4)
    cell.initialize()
    return cell(mx.nd.ones((2, 3)), [mx.nd.ones((2, 5)), mx.nd.ones((2, 5))])[0].asnumpy()


def states_that_are_missing(mx, folder):
    cell = mx.gluon.rnn.LSTMCell(4)
    cell.initialize()
    return cell(mx.nd.ones((2, 3)))


def unrolled_too_far(mx, folder):
    cell = mx.gluon.rnn.RNNCell(4)
    cell.initialize()
    return cell.unroll(5, mx.nd.ones((2, 3, 3)), layout="NTC")


def model_unknown(mx, folder):
    return mx.gluon.model_zoo.vision.get_model("resnet19")


def item_beyond_the_end(mx, folder):
    return mx.gluon.data.ArrayDataset(draw(3, 2))[3]


def arrays_of_other_lengths(mx, folder):
    return mx.gluon.data.ArrayDataset(draw(3, 2), draw(4, 2))


def loader_without_batches(mx, folder):
    return mx.gluon.data.DataLoader(draw(3, 2))


def loader_with_both(mx, folder):
    data = mx.gluon.data
    sampler = data.BatchSampler(data.SequentialSampler(3), 2)
    return data.DataLoader(draw(3, 2), batch_size=2, batch_sampler=sampler)


def last_batch_unknown(mx, folder):
    data = mx.gluon.data
    return len(data.BatchSampler(data.SequentialSampler(3), 2, "cut"))


def error_in_a_transform(mx, folder):
    data = mx.gluon.data.SimpleDataset([1, 2, 0]).transform(lambda x: 1 // x)
    return [*mx.gluon.data.DataLoader(data, batch_size=2)]


def metric_unknown(mx, folder):
    return mx.metric.create("acuracy")


def metric_of_other_lengths(mx, folder):
    mx.metric.Accuracy().update([mx.nd.ones(2)], [mx.nd.ones(2), mx.nd.ones(2)])


def metric_of_other_shapes(mx, folder):
    mx.metric.Accuracy().update([mx.nd.ones(3)], [mx.nd.ones((2, 4))])


def constant_with_a_gradient(mx, folder):
    mx.gluon.Constant("c", mx.nd.ones(2)).grad_req = "write"


def cast_to_nothing(mx, folder):
    ready(mx).cast("float33")


def reset_ctx_not_initialized(mx, folder):
    dense(mx, in_units=4).weight.reset_ctx(mx.cpu(1))


def shape_changed(mx, folder):
    ready(mx).weight.shape = (5, 5)


def imports_without_parameters(mx, folder):
    net = ready(mx)
    net.hybridize()
    net(mx.nd.ones((2, 4)))
    net.export(str(folder / "x"))
    block = mx.gluon.SymbolBlock.imports(str(folder / "x-symbol.json"), ["data"])
    return block(mx.nd.ones((2, 4))).asnumpy()


def imports_with_wrong_input(mx, folder):
    net = ready(mx)
    net.hybridize()
    net(mx.nd.ones((2, 4)))
    net.export(str(folder / "x"))
    args = str(folder / "x-symbol.json"), ["input"], str(folder / "x-0000.params")
    return mx.gluon.SymbolBlock.imports(*args)(mx.nd.ones((2, 4))).asnumpy()


def import_of_nothing(mx, folder):
    mx.gluon.SymbolBlock.imports(str(folder / "x-symbol.json"), ["data"])


for _name, _run in list(globals().items()):
    if getattr(_run, "__module__", "") == __name__ and _name not in ("dense", "ready", "trainer"):
        mistake(_name, _run)
