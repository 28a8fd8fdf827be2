# SPDX-License-Identifier: Apache-2.0
"""Training steps with every optimizer, as MXNet and mxnova both run them."""

import numpy as np

# Arguments of its own -> what it is tried with; "" is all defaults.
OPTIMIZERS = {
    "sgd": {"": {}, "momentum": {"momentum": 0.9}, "eager": {"momentum": 0.9, "lazy_update": False}},
    "ccsgd": {"": {"momentum": 0.5}},
    "nag": {"": {}, "momentum": {"momentum": 0.9}},
    "signum": {"": {}, "sign": {"momentum": 0.0}, "wd_lh": {"momentum": 0.8, "wd_lh": 0.02}},
    "dcasgd": {"": {}, "momentum": {"momentum": 0.9, "lamda": 0.2}},
    "adam": {"": {"learning_rate": 0.05}, "eager": {"lazy_update": False, "beta1": 0.6, "beta2": 0.9, "epsilon": 1e-3}},
    "adamax": {"": {"learning_rate": 0.05}, "betas": {"beta1": 0.6, "beta2": 0.9}},
    "nadam": {"": {"learning_rate": 0.05}, "betas": {"beta1": 0.6, "beta2": 0.9, "epsilon": 1e-3, "schedule_decay": 0.1}},
    "ftml": {"": {}, "betas": {"beta1": 0.4, "beta2": 0.9, "epsilon": 1e-3}},
    "adagrad": {"": {}, "eps": {"eps": 1e-2}},
    "adadelta": {"": {}, "rho": {"rho": 0.7, "epsilon": 1e-2}},
    "rmsprop": {"": {}, "gammas": {"gamma1": 0.6, "epsilon": 1e-3}, "centered": {"centered": True, "gamma2": 0.8}, "clip_weights": {"clip_weights": 0.5}},
    "ftrl": {"": {}, "lamda": {"lamda1": 0.1, "beta": 2.0, "learning_rate": 0.2}},
    "lars": {"": {"eta": 0.1}, "momentum": {"momentum": 0.9, "eta": 0.1, "eps": 1e-3}, "uncorrected": {"momentum": 0.9, "eta": 0.1, "momentum_correction": False}},
    "lamb": {"": {"learning_rate": 0.05}, "bounds": {"lower_bound": 0.1, "upper_bound": 2.0, "bias_correction": False, "beta1": 0.6, "beta2": 0.9}},
    "lbsgd": {"": {}, "momentum": {"momentum": 0.9}, **{w: {"momentum": 0.9, "warmup_strategy": w, "batch_scale": 2, "updates_per_epoch": 2, "warmup_epochs": 2} for w in ("linear", "power2", "sqrt", "lars")}},
    "groupadagrad": {"": {}, "eps": {"eps": 1e-2}},
    "test": {"": {}},
}  # fmt: skip

# Arguments of every optimizer.
COMMON = {
    "plain": {},
    "wd": {"wd": 0.1},
    "clip": {"clip_gradient": 0.3, "rescale_grad": 0.7},
    "all": {"wd": 0.1, "clip_gradient": 0.3, "rescale_grad": 0.7, "begin_num_update": 3},
}

# How the program runs: "half" float16 weights, "master" with float32 copies, "rows" row_sparse
# gradients, "sparse" row_sparse weights, "listed" all weights in one call, "named" multipliers by
# names, "scheduled" with a scheduler. With which arguments, for the first setting of an optimizer
# and for the others.
WAYS = {
    "": (("plain", "wd", "clip", "all"), ("all",)),
    "half": (("all",), ()),
    "master": (("plain", "all"), ("all",)),
    "master listed": (("all",), ()),
    "rows": (("clip", "all"), ("clip",)),
    "rows sparse": (("clip", "all"), ()),
    "listed": (("plain", "all"), ("wd",)),
    "listed rows": (("clip",), ()),
    "listed named": (("all",), ("wd",)),
    "named": (("wd",), ()),
    "scheduled": (("wd",), ("plain",)),
    "listed scheduled": (("plain",), ()),
}

SHAPES = {"fc_weight": (4, 3), "fc_bias": (5,), "bn_gamma": (2, 2, 2)}
MATRICES = {"fc_weight": (4, 3), "embed_weight": (5, 2)}  # GroupAdaGrad takes no others
N_STEPS, SHOWN = 5, (0, 4)


def cases():
    """Name -> (optimizer, its arguments, way)."""
    for optimizer, own in OPTIMIZERS.items():
        for at, (setting, arguments) in enumerate(own.items()):
            for way, commons in WAYS.items():
                for common in commons[at > 0]:
                    name = "/".join((optimizer, setting, way, common))
                    yield name, optimizer, {**arguments, **COMMON[common]}, way.split()


def trace(mx, optimizer, arguments, way):
    """Values of all weights, then of all states, after the shown steps; what states are like."""
    random = np.random.RandomState(7)
    arguments = dict(arguments)
    if "master" in way:
        arguments["multi_precision"] = True
    if "scheduled" in way:
        rate = arguments.pop("learning_rate", 0.1)
        scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=rate, warmup_steps=2)
        arguments["lr_scheduler"] = scheduler
        arguments["learning_rate"] = rate
    shapes = MATRICES if optimizer == "groupadagrad" else SHAPES
    if "named" in way:
        arguments["param_idx2name"] = dict(enumerate(shapes))
    made = mx.optimizer.create(optimizer, **arguments)
    if "named" in way:
        made.set_lr_mult({"fc_weight": 0.5, 1: 2.0})
        made.set_wd_mult({"fc_bias": 3.0})
    updater = mx.optimizer.get_updater(made)
    dtype = "float16" if {"half", "master"} & set(way) else "float32"
    weights = [mx.nd.array(random.randn(*s), dtype=dtype) for s in shapes.values()]
    if "sparse" in way:
        weights = [w.tostype("row_sparse") for w in weights]
    shown = []
    for step in range(N_STEPS):
        grads = [gradient(mx, random, s, dtype, "rows" in way) for s in shapes.values()]
        if "listed" in way and updater.aggregate_updates:
            updater(list(range(len(grads))), grads, weights)
        else:
            for i, grad in enumerate(grads):
                updater(i, grad, weights[i])
        if step in SHOWN:
            shown.append(values(mx, [*weights, *updater.states.values()]))
    kinds = [kind(mx, updater.states[i]) for i in range(len(weights))]
    return np.concatenate(shown), [made.num_update, *kinds]


def gradient(mx, random, shape, dtype, by_rows):
    grad = random.randn(*shape) * random.choice([0.01, 1.0, 3.0])
    present = random.rand(shape[0]) < 0.6
    if by_rows:
        grad[~present] = 0
    array = mx.nd.array(grad, dtype=dtype)
    return array.tostype("row_sparse") if by_rows else array


def values(mx, tree):
    """The numbers of nested arrays, in order, as float32."""
    if isinstance(tree, (list, tuple)):
        return np.concatenate([np.zeros(0, np.float32), *(values(mx, t) for t in tree)])
    if isinstance(tree, mx.nd.NDArray):
        return tree.asnumpy().astype(np.float32).ravel()
    return np.zeros(0 if tree is None else 1, np.float32)


def kind(mx, tree):
    """What nested arrays are like: as text."""
    if isinstance(tree, (list, tuple)):
        return f"{type(tree).__name__}({', '.join(kind(mx, t) for t in tree)})"
    if isinstance(tree, mx.nd.NDArray):
        return f"{np.dtype(tree.dtype).name}{list(tree.shape)} {tree.stype}"
    return type(tree).__name__
