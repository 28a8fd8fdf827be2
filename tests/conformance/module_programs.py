# SPDX-License-Identifier: Apache-2.0
"""Programs with modules, as MXNet and mxnova both run them.

A program is called with the package and a Trace, which takes facts (JSON) and arrays in order.
"""

import logging
import os
import tempfile
import warnings
from contextlib import contextmanager

import numpy as np

N_SAMPLES, N_FEATURES, N_CLASSES = 10, 6, 3

# fmt: off
OPTIMIZERS = {
    "sgd": {"momentum": 0.9, "wd": 0.01}, "nag": {"momentum": 0.9}, "signum": {}, "adam": {},
    "adamax": {}, "nadam": {}, "ftml": {}, "adagrad": {}, "adadelta": {}, "rmsprop": {"centered": True},
    "ftrl": {}, "lars": {"momentum": 0.9}, "lamb": {}, "dcasgd": {}, "lbsgd": {"momentum": 0.9},
}
STORES = (None, "local", "device", "local_update_cpu", "local_allreduce_device")
# fmt: on


class Trace:
    """What a program gave."""

    def __init__(self):
        self.facts, self.arrays = [], []

    def tell(self, fact):
        self.facts.append(fact)

    def show(self, *arrays):
        for array in arrays:
            values = array if isinstance(array, np.ndarray) else array.asnumpy()
            self.facts.append(list(values.shape))
            self.arrays.append(values.ravel().astype(np.float32))

    def show_params(self, module):
        for params in module.get_params():
            for name in sorted(params):
                self.tell(name)
                self.show(params[name])

    def refusal(self, function, *kinds):
        """That `function` raises one of `kinds`."""
        try:
            function()
        except kinds as error:
            self.tell(next(k.__name__ for k in kinds if isinstance(error, k)))
        else:
            self.tell("nothing raised")


def random(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def labels(n=N_SAMPLES):
    return (np.arange(n) % N_CLASSES).astype(np.float32)


def batches(mx, n=N_SAMPLES, size=4, **kwargs):
    return mx.io.NDArrayIter(random(n, N_FEATURES), labels(n), size, **kwargs)


def batch(mx, n=4, seed=0):
    return mx.io.DataBatch(
        [mx.nd.array(random(n, N_FEATURES, seed=seed))], [mx.nd.array(labels(n))]
    )


def mlp(mx, normalized=False):
    # A bias before BatchNorm has gradients of rounding alone, which some optimizers make large.
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5, no_bias=normalized, name="fc1")
    if normalized:
        net = mx.sym.BatchNorm(net, name="bn", fix_gamma=False)
    net = mx.sym.Activation(net, act_type="tanh", name="act")
    net = mx.sym.FullyConnected(net, num_hidden=N_CLASSES, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def first_params(mx, symbol, **shapes):
    """Values of all parameters of a symbol."""
    given, _, _ = symbol.infer_shape(**shapes)
    named = zip(symbol.list_arguments(), given)
    return {
        name: mx.nd.array(random(*shape, seed=i))
        for i, (name, shape) in enumerate(named)
        if name not in shapes and not name.endswith("label")
    }


def trained(mx, trace, symbol=None, epochs=2, data=None, context=None, **kwargs):
    """A module after `fit`; its metric at every batch goes to the trace."""
    symbol = mlp(mx) if symbol is None else symbol
    options = {n: kwargs.pop(n) for n in MODULE_OPTIONS if n in kwargs}
    module = mx.mod.Module(symbol, context=context or mx.cpu(), **options)

    def callback(param):
        trace.tell([param.epoch, param.nbatch, *rounded(param.eval_metric)])

    module.fit(
        data or batches(mx),
        num_epoch=epochs,
        arg_params=first_params(mx, symbol, data=(4, N_FEATURES)),
        batch_end_callback=callback,
        **{"optimizer_params": {"learning_rate": 0.1}, **kwargs},
    )
    return module


MODULE_OPTIONS = (
    "work_load_list", "fixed_param_names", "state_names", "group2ctxs", "compression_params", "logger",
)  # fmt: skip


def rounded(metric):
    return [[name, round(float(value), 3)] for name, value in metric.get_name_value()]


def bound(mx, symbol=None, size=4, context=None, initialized=True, module=(), **kwargs):
    symbol = mlp(mx) if symbol is None else symbol
    made = mx.mod.Module(symbol, context=context or mx.cpu(), **dict(module))
    made.bind([("data", (size, N_FEATURES))], [("softmax_label", (size,))], **kwargs)
    if initialized:
        made.init_params(arg_params=first_params(mx, symbol, data=(size, N_FEATURES)))
    return made


PROGRAMS = {}


def program(*cases):
    """Registers a program, by its name; for each of `cases`, with the case as further argument."""

    def register(function):
        for case in cases:
            PROGRAMS[f"{function.__name__} {case}"] = lambda mx, trace, c=case: function(
                mx, trace, c
            )
        if not cases:
            PROGRAMS[function.__name__] = function
        return function

    return register


# Training -----------------------------------------------------------------------------------------


@program(*OPTIMIZERS)
def fit(mx, trace, optimizer):
    options = {"learning_rate": 0.05, **OPTIMIZERS[optimizer]}
    module = trained(mx, trace, optimizer=optimizer, optimizer_params=options)
    trace.show_params(module)


@program(*(f"{store} {optimizer}" for store in STORES for optimizer in ("sgd", "adam")))
def fit_on_two_devices(mx, trace, case):
    store, optimizer = case.split()
    module = trained(
        mx, trace, mlp(mx, normalized=True), context=[mx.cpu(0), mx.cpu(1)], optimizer=optimizer,
        kvstore=None if store == "None" else store,
    )  # fmt: skip
    trace.tell([module._kvstore is not None, bool(module._update_on_kvstore)])
    trace.tell({str(i): name for i, name in sorted(module._optimizer.idx2name.items())})
    trace.show_params(module)


@program("0", "1")
def updates_on_the_store(mx, trace, updates):
    before = os.environ.get("MXNET_UPDATE_ON_KVSTORE")
    os.environ["MXNET_UPDATE_ON_KVSTORE"] = updates
    try:
        module = trained(mx, trace, context=[mx.cpu(0), mx.cpu(1)], kvstore="device")
    finally:
        if before is None:
            del os.environ["MXNET_UPDATE_ON_KVSTORE"]
        else:
            os.environ["MXNET_UPDATE_ON_KVSTORE"] = before
    trace.tell(bool(module._update_on_kvstore))
    trace.show_params(module)


@program()
def uneven_devices(mx, trace):
    contexts = [mx.cpu(i) for i in range(3)]
    module = trained(mx, trace, context=contexts, work_load_list=[1, 2, 4], data=batches(mx, 14, 7))
    trace.tell([[s.start, s.stop] for s in module._exec_group.slices])
    trace.tell([list(o.shape) for o in module.get_outputs(merge_multi_context=False)[0]])
    trace.show_params(module)


@program()
def compressed_gradients(mx, trace):
    compression = {"type": "2bit", "threshold": 0.05}
    contexts = [mx.cpu(0), mx.cpu(1)]
    store = mx.kv.create("device")
    module = trained(mx, trace, context=contexts, kvstore=store, compression_params=compression)
    trace.show_params(module)


@program()
def fixed_parameters_and_multipliers(mx, trace):
    weight = mx.sym.var("w", lr_mult=0.5, wd_mult=2.0)
    net = mx.sym.FullyConnected(mx.sym.var("data"), weight, num_hidden=5, name="fc1")
    net = mx.sym.FullyConnected(net, num_hidden=N_CLASSES, name="fc2")
    symbol = mx.sym.SoftmaxOutput(net, name="softmax")
    options = {"learning_rate": 0.1, "wd": 0.1, "momentum": 0.5}
    module = trained(mx, trace, symbol, fixed_param_names=["fc1_bias"], optimizer_params=options)
    trace.show_params(module)


@program()
def an_optimizer_with_a_scheduler(mx, trace):
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.2)
    optimizer = mx.optimizer.SGD(lr_scheduler=scheduler, rescale_grad=0.25, momentum=0.9, wd=0.1)
    module = trained(mx, trace, optimizer=optimizer)
    trace.tell({str(i): n for i, n in optimizer.idx2name.items()})
    trace.show_params(module)


@program()
def logs_and_callbacks(mx, trace):
    told = []

    class Logger:
        def info(self, text, *args):
            told.append(text % args)

        warning = info

    ended = []
    module = trained(
        mx, trace, eval_data=batches(mx, 6, 3), eval_metric=["acc", "ce"], begin_epoch=1, epochs=3,
        validation_metric="acc", logger=Logger(),
        epoch_end_callback=[lambda epoch, sym, args, aux: ended.append([epoch, sorted(args), sorted(aux)])],
        eval_end_callback=lambda p: trace.tell([p.epoch, p.nbatch, *rounded(p.eval_metric)]),
        eval_batch_end_callback=[lambda p: trace.tell([p.epoch, p.nbatch])],
    )  # fmt: skip
    trace.tell([text[:-3] for text in told if "Time" not in text])
    trace.tell(ended)
    trace.show_params(module)


@program()
def what_callbacks_see(mx, trace):
    def callback(param):
        names = ("self", "epoch", "nbatch", "data_batch", "eval_metric", "train_data", "eval_data")
        trace.tell([name in param.locals for name in names])

    module = trained(mx, trace, epochs=1)
    module.fit(batches(mx), num_epoch=1, batch_end_callback=callback)
    module.score(
        batches(mx), "acc", batch_end_callback=lambda p: trace.tell("eval_batch" in p.locals)
    )


# Steps --------------------------------------------------------------------------------------------


@program("write", "add", "null", "by name", "in order")
def gradient_requests(mx, trace, request):
    asked = {
        "by name": {"fc1_weight": "add", "fc2_bias": "null"},
        "in order": ["null", "write", "add", "write", "null", "null"],
    }.get(request, request)
    module = bound(mx, grad_req=asked)
    for seed in (1, 2):
        module.forward_backward(batch(mx, seed=seed))
    group = module._exec_group
    trace.tell(group.grad_req)
    for name, grads in zip(group.param_names, group.grad_arrays):
        trace.tell([name, grads[0] is None])
        if grads[0] is not None:
            trace.show(grads[0])


@program("1", "2")
def gradients_of_inputs(mx, trace, n_devices):
    contexts = [mx.cpu(i) for i in range(int(n_devices))]
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(
        mx.sym.Group([net, mx.sym.tanh(net, name="bent")]), label_names=None, context=contexts
    )
    module.bind([("data", (4, N_FEATURES))], inputs_need_grad=True)
    module.init_params(arg_params=first_params(mx, net, data=(4, N_FEATURES)))
    module.forward(mx.io.DataBatch([mx.nd.array(random(4, N_FEATURES))]), is_train=True)
    module.backward([mx.nd.array(random(4, 3, seed=5)), mx.nd.array(random(4, 3, seed=6))])
    trace.tell([module.output_names, [[n, list(s)] for n, s in module.output_shapes]])
    trace.show(*module.get_outputs(), *module.get_input_grads())
    parts = module.get_input_grads(merge_multi_context=False)[0]
    trace.tell([list(part.shape) for part in parts])


@program("1", "2")
def other_shapes(mx, trace, n_devices):
    contexts = [mx.cpu(i) for i in range(int(n_devices))]
    module = bound(mx, context=contexts)
    module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    for size in (4, 7, 2, 9, 4):
        module.forward_backward(batch(mx, size, seed=size))
        module.update()
        trace.tell([list(module.data_shapes[0].shape), list(module.label_shapes[0].shape)])
        trace.show(module.get_outputs()[0])
    module.reshape([("data", (6, N_FEATURES))], [("softmax_label", (6,))])
    trace.tell([[n, list(s)] for n, s in module.output_shapes])
    trace.show_params(module)


@program()
def data_with_time_first(mx, trace):
    symbol = mx.sym.Activation(mx.sym.var("data") * 2, act_type="tanh", __layout__="TNC")
    module = mx.mod.Module(symbol, label_names=None, context=[mx.cpu(0), mx.cpu(1)])
    module.bind([mx.io.DataDesc("data", (3, 5, 2), layout="TNC")], inputs_need_grad=True)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.array(random(3, 5, 2))]), is_train=True)
    module.backward([mx.nd.array(random(3, 5, 2, seed=1))])
    trace.tell([list(o.shape) for o in module.get_outputs(merge_multi_context=False)[0]])
    trace.show(*module.get_outputs(), *module.get_input_grads())


@program()
def a_batch_for_each_device(mx, trace):
    module = bound(mx, size=6, context=[mx.cpu(0), mx.cpu(1)])
    parts = [batch(mx, 3, seed=seed) for seed in (3, 4)]
    module.forward(parts, is_train=True)
    module.backward()
    trace.show(*module.get_outputs())
    metric = mx.metric.create("acc")
    module.update_metric(metric, [part.label for part in parts], pre_sliced=True)
    trace.tell(rounded(metric))


@program("1", "2")
def states(mx, trace, n_devices):
    contexts = [mx.cpu(i) for i in range(int(n_devices))]
    state = mx.sym.var("state", shape=(0, 3))
    net = mx.sym.tanh(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc") + state)
    module = mx.mod.Module(net, label_names=None, state_names=["state"], context=contexts)
    module.bind([("data", (4, N_FEATURES))], for_training=False)
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module.init_params(arg_params=first_params(mx, fc, data=(4, N_FEATURES)))
    module.set_states(value=0.5)
    for _ in range(2):
        module.forward(mx.io.DataBatch([mx.nd.array(random(4, N_FEATURES))]))
        trace.show(*module.get_outputs())
        module.set_states(states=module.get_outputs(merge_multi_context=False))
    (parts,) = module.get_states(merge_multi_context=False)
    trace.tell([list(part.shape) for part in parts])
    trace.show(*parts)
    trace.tell(sorted(module.get_params()[0]))


@program()
def groups_on_devices(mx, trace):
    with mx.AttrScope(ctx_group="one"):
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5, name="fc1")
    with mx.AttrScope(ctx_group="two"):
        net = mx.sym.FullyConnected(mx.sym.tanh(net), num_hidden=N_CLASSES, name="fc2")
        net = mx.sym.SoftmaxOutput(net, name="softmax")
    contexts = [mx.cpu(0), mx.cpu(1)]
    groups = {"one": [mx.cpu(2), mx.cpu(3)], "two": mx.cpu(4)}
    module = trained(mx, trace, net, context=contexts, group2ctxs=groups)
    trace.tell([str(a.context) for a in module._exec_group.param_arrays[0]])
    trace.show_params(module)


@program()
def shared_modules(mx, trace):
    first = bound(mx)
    first.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    second = mx.mod.Module(mlp(mx))
    second.bind([("data", (2, N_FEATURES))], [("softmax_label", (2,))], shared_module=first)
    trace.tell([second.params_initialized, second.optimizer_initialized])
    for module, size in ((first, 4), (second, 2), (first, 4)):
        module.forward_backward(batch(mx, size, seed=size))
        module.update()
    trace.show_params(first)
    trace.tell(second._optimizer is first._optimizer)


@program()
def bound_again(mx, trace):
    module = bound(mx)
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    module.forward_backward(batch(mx))
    module.update()
    module.get_params()
    module.bind([("data", (2, N_FEATURES))], [("softmax_label", (2,))], force_rebind=True)
    trace.tell([module.binded, module.params_initialized, module.optimizer_initialized])
    module.forward_backward(batch(mx, 2))
    module.update()
    trace.show(*module.get_outputs())
    trace.show_params(module)


@program()
def watched(mx, trace):
    module = bound(mx)
    monitor = mx.mon.Monitor(1, stat_func=lambda x: mx.nd.sum(mx.nd.abs(x)), sort=True)
    module.install_monitor(monitor)
    monitor.tic()
    module.forward_backward(batch(mx))
    found = monitor.toc()
    trace.tell([[step, name] for step, name, _ in found])
    # The gradients of what has none are not computed; what lies there is told.
    without = ("fc1_backward_output0", "softmax_backward_output1")
    trace.show(np.array([float(value) for _, name, value in found if name not in without]))


# Parameters ---------------------------------------------------------------------------------------


@program()
def first_values(mx, trace):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5, name="fc1")
    net = mx.sym.broadcast_add(net, mx.sym.var("own", init=mx.init.Constant(3), shape=(1, 5)))
    net = mx.sym.BatchNorm(net, name="bn", fix_gamma=False)
    symbol = mx.sym.SoftmaxOutput(net, name="softmax")
    module = bound(mx, symbol, initialized=False)
    module.init_params(mx.init.One())
    trace.show_params(module)
    module.init_params(mx.init.Zero(), force_init=True)
    trace.show_params(module)
    given = {"fc1_bias": mx.nd.array(random(5))}
    module.init_params(mx.init.One(), arg_params=given, allow_missing=True, force_init=True)
    trace.show_params(module)


@program()
def setting_some(mx, trace):
    module = bound(mx)
    values = {"fc2_bias": mx.nd.array(random(N_CLASSES, seed=9))}
    more = {**values, "other": mx.nd.ones(1)}
    module.set_params(values, {}, allow_missing=True)
    trace.show_params(module)
    module.set_params(more, {}, allow_missing=True, allow_extra=True)
    trace.refusal(lambda: module.set_params(more, {}, allow_missing=True), ValueError)
    trace.refusal(lambda: module.set_params(values, {}), RuntimeError)
    whole = module.get_params()[0]
    module.set_params({**whole, "other": mx.nd.ones(1)}, {})
    trace.show_params(module)


@contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield path


@program("1", "2")
def checkpoints(mx, trace, n_devices):
    contexts = [mx.cpu(i) for i in range(int(n_devices))]
    options = {"learning_rate": 0.1, "momentum": 0.9}
    module = trained(mx, trace, mlp(mx, True), context=contexts, optimizer_params=options, epochs=1)
    with folder() as path:
        module.save_checkpoint(f"{path}/m", 3, save_optimizer_states=True)
        trace.tell(sorted(os.listdir(path)))
        trace.tell(sorted(mx.nd.load(f"{path}/m-0003.params")))
        again = mx.mod.Module.load(f"{path}/m", 3, load_optimizer_states=True, context=contexts)
        trace.tell([again.binded, again.params_initialized])
        again.bind([("data", (4, N_FEATURES))], [("softmax_label", (4,))])
        again.init_optimizer(optimizer_params=options)
    for each in (module, again):
        each.forward_backward(batch(mx))
        each.update()
        trace.show_params(each)


@program()
def parameters_in_files(mx, trace):
    module = trained(mx, trace, mlp(mx, True), epochs=1)
    with folder() as path:
        module.save_params(f"{path}/p")
        trace.tell(sorted(mx.nd.load(f"{path}/p")))
        other = bound(mx, mlp(mx, True), initialized=False)
        other.load_params(f"{path}/p")
    trace.show_params(other)


# Predicting ---------------------------------------------------------------------------------------


@program("1", "2")
def predictions(mx, trace, n_devices):
    module = bound(mx, context=[mx.cpu(i) for i in range(int(n_devices))], for_training=False)
    data = batches(mx)
    trace.show(module.predict(data), module.predict(data, num_batch=2))
    trace.tell(len(module.predict(data, always_output_list=True)))
    for outputs in module.predict(data, merge_batches=False):
        trace.show(*outputs)
    for outputs, number, of_batch in module.iter_predict(data, num_batch=3):
        trace.tell([number, of_batch.pad])
        trace.show(*outputs)
    trace.show(module.predict(random(4, N_FEATURES)), module.predict(mx.nd.ones((4, N_FEATURES))))
    trace.tell([[n, round(v, 3)] for n, v in module.score(data, ["acc", "ce"])])
    trace.tell([[n, round(v, 3)] for n, v in module.score(data, "acc", num_batch=1)])
    trace.refusal(lambda: module.predict([1]), ValueError)


@program()
def several_outputs(mx, trace):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(mx.sym.Group([net, mx.sym.sum(net, axis=1)]), label_names=None)
    module.bind([("data", (4, N_FEATURES))], for_training=False)
    module.init_params(arg_params=first_params(mx, net, data=(4, N_FEATURES)))
    data = mx.io.NDArrayIter(random(10, N_FEATURES), None, 4)
    trace.show(*module.predict(data))


# Buckets, rows of modules, Python -----------------------------------------------------------------


def bucket_symbol(mx, name=None):
    def made(key):
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, flatten=False, name="fc1")
        net = mx.sym.FullyConnected(mx.sym.mean(net, axis=1), num_hidden=N_CLASSES, name=name)
        return mx.sym.SoftmaxOutput(net, name="softmax"), ("data",), ("softmax_label",)

    return made


def bucket_batches(mx, keys, size=4):
    class Batches(mx.io.DataIter):
        default_bucket_key = max(keys)

        def __init__(self):
            super().__init__(size)
            self.provide_data = [("data", (size, max(keys), 2))]
            self.provide_label = [("softmax_label", (size,))]
            self.reset()

        def reset(self):
            self.left = list(enumerate(keys))

        def next(self):
            if not self.left:
                raise StopIteration
            seed, key = self.left.pop(0)
            data = mx.nd.array(random(size, key, 2, seed=seed))
            shapes = [("data", data.shape)]
            return mx.io.DataBatch(
                [data], [mx.nd.array(labels(size))], 0, None, key, shapes, self.provide_label
            )

    return Batches()


def bucket_params(mx, name=None):
    with mx.name.NameManager():
        return first_params(mx, bucket_symbol(mx, name)(3)[0], data=(4, 3, 2))


@program("sgd", "adam", "2 devices")
def buckets(mx, trace, case):
    contexts = [mx.cpu(i) for i in range(2 if "devices" in case else 1)]
    optimizer = "sgd" if "devices" in case else case
    module = mx.mod.BucketingModule(bucket_symbol(mx), 5, context=contexts)
    data = bucket_batches(mx, [5, 3, 4, 3, 5])
    module.fit(
        data, num_epoch=2, arg_params=bucket_params(mx), optimizer=optimizer,
        optimizer_params={"learning_rate": 0.1},
        batch_end_callback=lambda p: trace.tell([p.nbatch, *rounded(p.eval_metric)]),
    )  # fmt: skip
    trace.tell([sorted(module._buckets), module._curr_bucket_key])
    trace.show_params(module)
    data.reset()
    trace.tell([[n, round(v, 3)] for n, v in module.score(data, "acc")])
    data.reset()
    trace.show(module.predict(data))
    module.switch_bucket(4, None)
    trace.tell([list(module.data_shapes[0].shape), module.output_names, module.data_names])


@program("write", "add")
def gradients_of_buckets(mx, trace, request):
    module = mx.mod.BucketingModule(bucket_symbol(mx), 5)
    module.bind([("data", (4, 5, 2))], [("softmax_label", (4,))], grad_req=request)
    module.init_params(arg_params=bucket_params(mx))
    for each in bucket_batches(mx, [5, 3, 4, 3]):
        module.forward_backward(each)
    trace.show(*(grads[0] for grads in module._curr_module._exec_group.grad_arrays))


@program()
def buckets_in_files(mx, trace):
    made = bucket_symbol(mx, "fc2")
    module = mx.mod.BucketingModule(made, 5)
    module.fit(bucket_batches(mx, [5, 3]), num_epoch=1, arg_params=bucket_params(mx, "fc2"))
    with folder() as path:
        module.save_checkpoint(f"{path}/b", 2)
        trace.tell(sorted(os.listdir(path)))
        trace.show(*mx.nd.load(f"{path}/b.buckets"))
        again = mx.mod.BucketingModule.load(f"{path}/b", 2, sym_gen=made, default_bucket_key=5)
    again.bind([("data", (4, 5, 2))], [("softmax_label", (4,))])
    trace.show_params(again)
    again.fit(bucket_batches(mx, [5, 4, 3]), num_epoch=1, optimizer_params={"learning_rate": 0.1})
    trace.show_params(again)


@program()
def modules_in_a_row(mx, trace):
    one = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc1")
    two = mx.sym.FullyConnected(mx.sym.var("scores"), num_hidden=N_CLASSES, name="fc2")
    two = mx.sym.SoftmaxOutput(two, name="softmax")
    row = mx.mod.SequentialModule()
    row.add(mx.mod.Module(one, label_names=None))
    row.add(mx.mod.Module(two, data_names=["scores"]), take_labels=True, auto_wiring=True)
    params = first_params(mx, one, data=(4, N_FEATURES))
    params.update(first_params(mx, two, scores=(4, 4)))
    row.fit(batches(mx), num_epoch=2, arg_params=params, optimizer_params={"learning_rate": 0.1})
    trace.tell([row.data_names, row.output_names, [[n, list(s)] for n, s in row.output_shapes]])
    trace.show_params(row)
    trace.show(row.predict(batches(mx)))


@program()
def a_loss_in_python(mx, trace):
    def gradient(scores, wanted):
        return mx.nd.softmax(scores) - mx.nd.one_hot(wanted, N_CLASSES)

    one = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=N_CLASSES, name="fc1")
    row = mx.mod.SequentialModule().add(mx.mod.Module(one, label_names=None))
    row.add(mx.mod.PythonLossModule(grad_func=gradient), take_labels=True, auto_wiring=True)
    params = first_params(mx, one, data=(4, N_FEATURES))
    row.fit(batches(mx), num_epoch=2, arg_params=params, optimizer_params={"learning_rate": 0.1})
    trace.tell(row.output_names)
    trace.show_params(row)


# Sparse -------------------------------------------------------------------------------------------


@program("1", "2")
def sparse_embedding(mx, trace, n_devices):
    weight = mx.sym.var("e_weight", stype="row_sparse", shape=(8, 3))
    data = mx.sym.var("data")
    net = mx.sym.contrib.SparseEmbedding(data, weight, input_dim=8, output_dim=3, name="e")
    net = mx.sym.SoftmaxOutput(mx.sym.mean(net, axis=1), name="softmax")
    module = mx.mod.Module(net, context=[mx.cpu(i) for i in range(int(n_devices))])
    numbers = np.random.RandomState(0).randint(0, 8, (10, 2))
    iterator = mx.io.NDArrayIter(numbers.astype(np.float32), labels(10), 5)
    module.bind(iterator.provide_data, iterator.provide_label)
    module.init_params(mx.init.One())
    module.init_optimizer(mx.kv.create("local"), "sgd", {"learning_rate": 0.1})
    for each in iterator:
        module.prepare(each, sparse_row_id_fn=lambda b: {"e_weight": b.data[0]})
        module.forward_backward(each)
        module.update()
        trace.show(module.get_outputs()[0])
    trace.tell(module.get_params()[0]["e_weight"].stype)
    trace.show_params(module)


@program("sgd", "adam")
def sparse_linear_model(mx, trace, optimizer):
    weight = mx.sym.var("w", stype="row_sparse", shape=(12, 1), init=mx.init.One())
    net = mx.sym.dot(mx.sym.var("data", stype="csr"), weight)
    net = mx.sym.LinearRegressionOutput(net, mx.sym.var("label"))
    dense = random(8, 12) * (random(8, 12, seed=1) > 0.5)
    data = mx.nd.array(dense).tostype("csr")
    iterator = mx.io.NDArrayIter(
        data, {"label": random(8, 1, seed=2)}, 4, last_batch_handle="discard"
    )
    module = mx.mod.Module(net, label_names=["label"])
    module.fit(
        iterator, num_epoch=3, optimizer=optimizer, eval_metric="mse",
        optimizer_params={"learning_rate": 0.1},
    )  # fmt: skip
    trace.tell(module.get_params()[0]["w"].stype)
    trace.show_params(module)


# What came before ---------------------------------------------------------------------------------


@program("1", "2")
def feed_forward(mx, trace, n_devices):
    contexts = [mx.cpu(i) for i in range(int(n_devices))]
    symbol = mlp(mx, True)
    params = first_params(mx, symbol, data=(4, N_FEATURES))
    model = mx.model.FeedForward(
        symbol, contexts, num_epoch=2, arg_params=params, learning_rate=0.1, momentum=0.9
    )
    model.fit(
        batches(mx), eval_data=batches(mx, 7), work_load_list=[1, 3][: len(contexts)],
        batch_end_callback=lambda p: trace.tell([p.epoch, p.nbatch, *rounded(p.eval_metric)]),
    )  # fmt: skip
    for name in sorted(model.arg_params):
        trace.show(model.arg_params[name])
    for name in sorted(model.aux_params):
        trace.show(model.aux_params[name])
    outputs, data, label = model.predict(batches(mx), return_data=True)
    trace.show(outputs, data, label, model.predict(random(5, N_FEATURES)))
    trace.tell(round(float(model.score(batches(mx))), 3))
    with folder() as path:
        model.save(f"{path}/f")
        trace.tell(sorted(os.listdir(path)))
        again = mx.model.FeedForward.load(f"{path}/f", 2, num_epoch=3, learning_rate=0.1)
    again.fit(batches(mx))
    trace.show(*(again.arg_params[name] for name in sorted(again.arg_params)))


@program("2", "5", "None")
def epochs_of_feed_forward(mx, trace, size):
    symbol = mlp(mx)
    params = first_params(mx, symbol, data=(4, N_FEATURES))
    model = mx.model.FeedForward(
        symbol, num_epoch=2, epoch_size=None if size == "None" else int(size), arg_params=params
    )
    ended = []
    model.fit(
        batches(mx), epoch_end_callback=lambda epoch, *_: ended.append(epoch),
        batch_end_callback=lambda p: trace.tell([p.epoch, p.nbatch]),
    )  # fmt: skip
    trace.tell(ended)


@program()
def refusals(mx, trace):
    symbol = mlp(mx)

    def new():
        return mx.mod.Module(symbol)

    shapes = [("data", (4, N_FEATURES))], [("softmax_label", (4,))]
    cases = [
        (lambda: mx.mod.Module(symbol, data_names=["x"]), ValueError),
        (lambda: mx.mod.Module(symbol, fixed_param_names=["x"]), ValueError),
        (lambda: mx.mod.Module(symbol, work_load_list=[1, 2]), AssertionError),
        (lambda: new().init_params(), AssertionError),
        (lambda: new().forward(batch(mx)), AssertionError),
        (lambda: new().bind([("x", (4, 2))]), ValueError),
        (lambda: new().bind("data"), TypeError),
        (lambda: new().bind(*shapes, for_training=False, inputs_need_grad=True), AssertionError),
        (lambda: new().bind(shapes[0], [("softmax_label", (5,))]), AssertionError),
        (lambda: new().bind(*shapes, grad_req="all"), RuntimeError),
        (lambda: new().bind(*shapes, grad_req=1), ValueError),
        (lambda: new().bind(*shapes, shared_module=new()), AssertionError),
        (lambda: bound(mx).init_optimizer(optimizer="none"), ValueError),
        (lambda: bound(mx).init_optimizer(optimizer=3), AssertionError),
        (lambda: bound(mx).init_optimizer(kvstore=3), TypeError),
        (lambda: bound(mx).update(), AssertionError),
        (lambda: bound(mx).get_input_grads(), AssertionError),
        (lambda: bound(mx).get_states(), AssertionError),
        (lambda: bound(mx).borrow_optimizer(bound(mx)), AssertionError),
        (lambda: bound(mx, for_training=False).backward(), AssertionError),
        (lambda: bound(mx, initialized=False).init_params(arg_params={}), RuntimeError),
        (lambda: new().fit(batches(mx)), AssertionError),
        (lambda: mx.mod.BucketingModule(lambda key: None), AssertionError),
        (lambda: mx.mod.SequentialModule().add(new(), label=True), AssertionError),
        (lambda: mx.mod.SequentialModule().bind(*shapes), AssertionError),
        (lambda: mx.mod.PythonLossModule(grad_func=1), AssertionError),
        (lambda: mx.mod.Module(symbol, context=[mx.cpu(i) for i in range(5)]).bind(*shapes), ValueError),
    ]  # fmt: skip
    for function, kind in cases:
        trace.refusal(function, kind)


def trace_of(mx, name):
    """Facts and numbers of a program."""
    trace = Trace()
    np.random.seed(0)
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            PROGRAMS[name](mx, trace)
    finally:
        logging.disable(logging.NOTSET)
    values = np.concatenate(trace.arrays) if trace.arrays else np.zeros(0, np.float32)
    return trace.facts, values
