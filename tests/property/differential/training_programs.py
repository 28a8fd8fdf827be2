# SPDX-License-Identifier: Apache-2.0
"""Programs of what training is made of: optimizers, metrics, losses, initializers, iterators."""

from __future__ import annotations

from random import Random

# Optimizers ---------------------------------------------------------------------------------------

_OPTIMIZERS: dict[str, dict[str, tuple]] = {
    "sgd": {"momentum": (0, 0.9), "lazy_update": (True, False)},
    "nag": {"momentum": (0, 0.9)},
    "adam": {"beta1": (0.9, 0.5), "beta2": (0.999, 0.9), "epsilon": (1e-8, 1e-3), "lazy_update": (True, False)},
    "adamax": {"beta1": (0.9, 0.5)},
    "nadam": {"beta1": (0.9, 0.5), "schedule_decay": (0.004, 0.1)},
    "adagrad": {"eps": (1e-7, 1e-3)},
    "adadelta": {"rho": (0.9, 0.5), "epsilon": (1e-5, 1e-2)},
    "rmsprop": {"gamma1": (0.9, 0.5), "centered": (True, False), "clip_weights": (None, 0.9)},
    "ftrl": {"lamda1": (0.01, 0.5), "beta": (1, 0.1)},
    "ftml": {"beta1": (0.6, 0.9), "epsilon": (1e-8, 1e-3)},
    "signum": {"momentum": (0, 0.9), "wd_lh": (0, 0.1)},
    "dcasgd": {"momentum": (0.0,), "lamda": (0.04, 0.5)},
    "lamb": {"lower_bound": (None, 0.1), "upper_bound": (None, 10), "bias_correction": (True, False)},
    "lars": {"momentum": (0, 0.9), "eta": (0.001, 0.1)},
    "lbsgd": {"momentum": (0.9,), "warmup_strategy": ("linear", "lars"), "batch_scale": (1, 2)},
    "groupadagrad": {"eps": (1e-5, 1e-2)},
}  # fmt: skip
_SPARSE = ("sgd", "adam", "adagrad", "ftrl", "groupadagrad", "rmsprop", "nag")
_SCHEDULERS = (
    "None", "mx.lr_scheduler.FactorScheduler(2, 0.5)", "mx.lr_scheduler.MultiFactorScheduler([1, 3], 0.1)",
    "mx.lr_scheduler.PolyScheduler(5, base_lr=0.1, warmup_steps=2)", "mx.lr_scheduler.CosineScheduler(4, final_lr=0.01)",
)  # fmt: skip


def optimizers(rng: Random) -> list[str]:
    """Several steps of one optimizer with its states, dense or with rows, in float32 or float16."""
    name = rng.choice(list(_OPTIMIZERS))
    given = {k: rng.choice(v) for k, v in _OPTIMIZERS[name].items() if rng.random() < 0.7}
    given["learning_rate"] = rng.choice((0.1, 0.01, 0.5))
    if name != "groupadagrad" and rng.random() < 0.5:
        given["wd"] = rng.choice((0.0, 0.01, 0.1))
    if rng.random() < 0.4:
        given["rescale_grad"] = rng.choice((0.5, 2.0))
    if rng.random() < 0.4 and name != "dcasgd":
        given["clip_gradient"] = rng.choice((0.5, 1.0))
    if name in ("sgd", "lbsgd", "lars") or rng.random() < 0.3:
        given["multi_precision"] = rng.random() < 0.5
    rows = name in _SPARSE and rng.random() < 0.4
    dtype = (
        "float32"
        if rows or not given.get("multi_precision")
        else rng.choice(("float16", "float32"))
    )
    arguments = ", ".join(f"{k}={v!r}" for k, v in given.items())
    scheduler = (
        rng.choice(_SCHEDULERS) if name not in ("lars", "lbsgd") and rng.random() < 0.3 else "None"
    )
    gradient = f"nd.array(data((4, 3), {dtype!r}, i){' * data((4, 1), ' + chr(39) + 'bool' + chr(39) + ', i + 50)' if rows else ''}, dtype={dtype!r})"
    if rows:
        gradient += ".tostype('row_sparse')"
    weight = f"nd.array(data((4, 3), {dtype!r}, {rng.randrange(999)}), dtype={dtype!r})"
    if rows and rng.random() < 0.5:
        weight += ".tostype('row_sparse')"
    return [
        f"o = mx.optimizer.create({name!r}, {arguments}, lr_scheduler={scheduler}, param_idx2name={{0: 'a_weight', 1: 'b_bias'}})",
        f"o.set_lr_mult({{'a_weight': {rng.choice((1, 0.5))}}})",
        f"o.set_wd_mult({{'b_bias': {rng.choice((0, 1))}}})",
        "u = mx.optimizer.get_updater(o)",
        f"w = {weight}",
        f"v = {weight}",
        *[f"i = {i}; u(0, {gradient}, w); u(1, {gradient}, v)" for i in range(rng.randint(2, 5))],
        "w",
        "v",
        "w.stype",
        "u.states.get(0)",
        "o.num_update",
        "o.learning_rate",
        "n = mx.optimizer.get_updater(mx.optimizer.create(" + repr(name) + f", {arguments}))",
        "n.set_states(u.get_states())",
        # mxnova keeps the numbers of updates behind the states, which MXNet does not.
        f"n.optimizer = mx.optimizer.create({name!r}, {arguments})",
        f"i = 9; n(0, {gradient}, w)",
        "w",
        "sorted(o._index_update_count.items())",
    ]


# Metrics ------------------------------------------------------------------------------------------

_METRICS = (
    ("mx.metric.Accuracy({axis})", "classes"), ("mx.metric.TopKAccuracy(top_k={k})", "classes"),
    ("mx.metric.F1(average={average!r})", "two"), ("mx.metric.MCC(average={average!r})", "two"),
    ("mx.metric.MAE()", "values"), ("mx.metric.MSE()", "values"), ("mx.metric.RMSE()", "values"),
    ("mx.metric.CrossEntropy()", "classes"), ("mx.metric.NegativeLogLikelihood()", "classes"),
    ("mx.metric.Perplexity(ignore_label={ignore})", "classes"), ("mx.metric.PearsonCorrelation()", "values"),
    ("mx.metric.Loss()", "values"), ("mx.metric.PCC()", "classes"),
    ("mx.metric.CustomMetric(lambda l, p: float(abs(l - p.reshape(l.shape) if l.size == p.size else l.sum()).sum()), name='c')", "values"),
    ("mx.metric.create(['acc', 'ce'])", "classes"), ("mx.metric.CompositeEvalMetric([mx.metric.MAE(), mx.metric.MSE()])", "values"),
    ("mx.metric.create('top_k_accuracy', top_k=2)", "classes"), ("mx.metric.np(lambda l, p: (l.sum(), 3))", "values"),
)  # fmt: skip


def _batch(rng: Random, kind: str) -> str:
    seed, rows = rng.randrange(9999), rng.randint(2, 5)
    if kind == "values":
        shape = rng.choice(((rows,), (rows, 1)))
        return f"[nd.array(data({shape}, 'float32', {seed}))], [nd.array(data({rng.choice((shape, (rows, 1)))}, 'float32', {seed + 1}))]"
    classes = 2 if kind == "two" else 3
    label = f"nd.array(onp.random.RandomState({seed}).randint(0, {classes}, {rows}))"
    return f"[{label}], [nd.softmax(nd.array(data(({rows}, {classes}), 'float32', {seed + 1})) + nd.arange({classes}) * 0.01)]"


def metrics(rng: Random) -> list[str]:
    """Metrics over several batches, reset in between."""
    steps = []
    for text, kind in rng.sample(_METRICS, 4):
        made = text.format(
            axis=rng.choice(("", "axis=1", "axis=-1")),
            k=rng.choice((2, 3)),
            average=rng.choice(("macro", "micro")),
            ignore=rng.choice(("None", "0")),
        )
        steps += ["", f"m = {made}"]
        steps.append("m.get()")
        for _ in range(rng.randint(1, 3)):
            steps += [f"m.update({_batch(rng, kind)})", "m.get()"]
            if rng.random() < 0.2:
                steps += ["m.reset_local()", "m.get()", "m.get_global()"]
        steps += [
            "m.get_name_value()",
            "m.get_global()",
            "m.get_global_name_value()",
            "m.reset()",
            "m.get()",
        ]
        if "micro" not in made:
            steps.append(
                "{k: v for k, v in m.get_config().items() if isinstance(v, (int, str, float))}"
            )
    return steps


# Losses -------------------------------------------------------------------------------------------

_LOSSES = (
    ("L1Loss(weight={w})", "same"), ("L2Loss(weight={w})", "same"), ("HuberLoss(rho={r})", "same"),
    ("SigmoidBCELoss(from_sigmoid={t})", "truth"), ("SoftmaxCELoss(axis=-1, from_logits={t})", "classes"),
    ("SoftmaxCELoss(sparse_label=False)", "spread"), ("KLDivLoss(from_logits={t})", "spread"), ("HingeLoss(margin={r})", "signs"),
    ("SquaredHingeLoss(margin={r})", "signs"), ("LogisticLoss(label_format={f!r})", "signs"), ("TripletLoss(margin={r})", "three"),
    ("PoissonNLLLoss(from_logits={t})", "same"), ("CosineEmbeddingLoss(margin={m})", "pair"), ("CTCLoss(layout={c!r})", "ctc"),
)  # fmt: skip


def losses(rng: Random) -> list[str]:
    """Losses and their gradients, with weights of samples, hybridized or not."""
    steps = []
    for text, kind in rng.sample(_LOSSES, 3):
        made = text.format(
            w=rng.choice((1, 0.5)),
            r=rng.choice((1, 0.5)),
            t=rng.random() < 0.5,
            f=rng.choice(("signed", "binary")),
            m=rng.choice((0, 0.5)),
            c=rng.choice(("NTC", "TNC")),
        )
        seed = rng.randrange(9999)
        labels = {
            "same": f"nd.array(data((3, 4), 'float32', {seed}, 0, 2))",
            "truth": f"nd.array(data((3, 4), 'bool', {seed}))",
            "classes": f"nd.array([0, {rng.randrange(4)}, 3])",
            "spread": f"nd.softmax(nd.array(data((3, 4), 'float32', {seed})))",
            "signs": f"nd.sign(nd.array(data((3, 4), 'float32', {seed})) + 0.01)",
            "three": f"nd.array(data((3, 4), 'float32', {seed}))",
            "pair": f"nd.array(data((3, 4), 'float32', {seed}))",
            "ctc": "nd.array([[1, 0], [0, 1]]) if x.shape[0] == 2 else nd.array([[1, 0], [0, 1], [1, 1], [0, 0]])",
        }[kind]
        size = (
            (2, 4, 3) if kind == "ctc" and "NTC" in made else (3, 4, 3) if kind == "ctc" else (3, 4)
        )
        positive = (
            "0.1, 0.9"
            if "from_sigmoid=True" in made
            else "0.2, 2"
            if "KLD" in made or "Poisson" in made
            else "-2, 2"
        )
        more = (
            ", nd.array(data((3, 4), 'float32', 77))"
            if kind == "three"
            else ", nd.array([1, -1, 1])"
            if kind == "pair"
            else ""
        )
        if not more and kind != "ctc" and rng.random() < 0.4:
            more = ", nd.array([[1], [0.5], [0]])"
        steps += [
            "",
            f"l = gluon.loss.{made}",
            "l.hybridize()" if rng.random() < 0.5 else "None",
            f"x = nd.array(data({size}, 'float32', {seed + 1}, {positive}))",
            f"label = {labels}",
            "x.attach_grad()",
            f"with autograd.record():\n    y = l(x, label{more})",
            "y.backward()",
            "y",
            "x.grad",
            "repr(l)",
        ]
    return steps


# Initializers -------------------------------------------------------------------------------------

_INITIALIZERS = (
    "Zero()", "One()", "Constant({c})", "Constant(nd.array([[1, 2]]))", "Bilinear()", "LSTMBias({c})", "Uniform({c})", "Normal({c})", "Xavier(magnitude={c})",
    "Xavier(rnd_type='gaussian', factor_type='in')", "MSRAPrelu()", "Orthogonal()", "Mixed(['.*bias', '.*'], [mx.init.Zero(), mx.init.Constant({c})])",
)  # fmt: skip
_NAMES = "a_weight a_bias a_gamma a_beta a_moving_mean a_running_var a_moving_var upsampling_weight a_min a_max a_parameters x i2h_bias".split()


def initializers(rng: Random) -> list[str]:
    """What initializers put into arrays of all names; of random ones, shapes and descriptions."""
    steps = []
    for text in rng.sample(_INITIALIZERS, 4):
        made = text.format(c=rng.choice((0.5, 1, 2)))
        fixed = not any(n in made for n in ("Uniform", "Normal", "Xavier", "MSRA", "Orthogonal"))
        size = rng.choice(((1, 2), (4,), (2, 1, 4, 4), (8,), (2, 3)))
        size = (2, 1, 4, 4) if "Bilinear" in made else size
        steps += ["", f"i = mx.init.{made}", "i.dumps()" if "Mixed" not in made else "None"]
        for name in rng.sample(_NAMES, 4):
            shown = "x" if fixed or "weight" not in name else "x.shape"
            steps += [
                f"x = nd.array(data({size}, 'float32', 3))",
                f"i(mx.init.InitDesc({name!r}), x)",
                shown if fixed or name not in ("x", "a_parameters") else "None",
            ]
        steps += [f"mx.init.InitDesc('w', {{'__init__': {made.split('(')[0].lower()!r}}})"]
    return steps


# Iterators ----------------------------------------------------------------------------------------

_READ = "[([d.asnumpy() for d in b.data], [l.asnumpy() for l in b.label or []], b.pad, None if b.index is None else list(b.index)) for b in it]"


def _batches_of_arrays(rng: Random) -> list[str]:
    rows, size = rng.randint(3, 9), rng.randint(1, 4)
    end = rng.choice(("pad", "discard", "roll_over"))
    data = rng.choice(
        (
            f"data(({rows}, 2), 'float32', 1)",
            f"{{'b': data(({rows}, 2), 'float32', 1), 'a': nd.array(data(({rows},), 'float32', 2))}}",
            f"[data(({rows}, 1, 2), 'float64', 1), data(({rows},), 'int32', 2)]",
        )
    )
    label = rng.choice(("None", f"onp.arange({rows})", f"{{'l': onp.arange({rows}.0)}}"))
    steps = [
        f"it = mx.io.NDArrayIter({data}, {label}, {min(size, rows)}, last_batch_handle={end!r})"
    ]
    if rng.random() < 0.3:
        steps.append(
            f"it = mx.io.ResizeIter(it, {rng.randint(1, 4)}, reset_internal={rng.random() < 0.5})"
        )
    return steps


def _batches_of_csv(rng: Random) -> list[str]:
    rows, columns = rng.randint(2, 7), rng.randint(1, 3)
    whole = rng.random() < 0.4
    return [
        f"onp.savetxt('d.csv', data(({rows}, {columns}), 'float32', {rng.randrange(99)}) * 8, delimiter=',', fmt={'%d' if whole else '%.3f'!r})",
        f"onp.savetxt('l.csv', onp.arange({rows}), fmt='%d')",
        f"it = mx.io.CSVIter(data_csv='d.csv', data_shape=({columns},), label_csv={rng.choice(('NULL', 'l.csv'))!r}, batch_size={rng.randint(1, min(rows, 3))}, round_batch={rng.random() < 0.5}, dtype={rng.choice(('float32', 'int32') if whole else ('float32', 'float64'))!r})",
    ]


def _batches_of_libsvm(rng: Random) -> list[str]:
    lines = []
    for i in range(rng.randint(3, 6)):
        features = sorted(rng.sample(range(4), rng.randint(0, 3)))
        lines.append(" ".join([str(i % 3), *[f"{j}:{rng.choice((1, 0.5, -2))}" for j in features]]))
    return [
        f"open('d.t', 'w').write({chr(10).join(lines)!r} + chr(10)) and None",
        f"it = mx.io.LibSVMIter(data_libsvm='d.t', data_shape=(4,), batch_size={rng.randint(1, 3)}, round_batch={rng.random() < 0.7})",
    ]


def iterators(rng: Random) -> list[str]:
    """Two epochs of an iterator, with a reset in the middle of another one where nothing prefetches."""
    steps = rng.choice(
        (_batches_of_arrays, _batches_of_arrays, _batches_of_csv, _batches_of_libsvm)
    )(rng)
    return [
        *steps,
        "[(d.name, d.shape, str(d.dtype), d.layout) for d in it.provide_data]",
        "[(d.name, d.shape, str(d.dtype)) for d in it.provide_label]",
        "it.batch_size",
        _READ,
        _READ,
        "it.reset()",
        *(["b = it.next()", "b.pad", "it.reset()"] if "NDArrayIter" in steps[0] else []),
        _READ,
        "it.next()",
    ]
