# SPDX-License-Identifier: Apache-2.0
"""Mistakes of every day: layers, optimizers, arrays, data, modules, stores and files."""

from __future__ import annotations

from .rule import Mistake
from .snippets import NET, SYMBOL

__all__ = ["EVERYDAY"]

MODULE = SYMBOL + "mod = mx.mod.Module(net)\n"
BOUND = MODULE + "mod.bind([('data', (2, 4))], [('softmax_label', (2,))]); "
TORCH_NET = "net = torch.nn.Linear(3, 4)\n"
STORE = "kv = mx.kv.create(); kv.init('weight', mx.nd.ones(3))\n"
ONES, OTHERS = "mx.np.ones((2, 3))", "mx.np.ones((4, 5))"

# fmt: off
EVERYDAY: dict[str, Mistake] = {
    # Gluon ---------------------------------------------------------------------------------------
    "class of a layer for a layer": Mistake(
        "net = nn.HybridSequential(prefix='net_'); net.add(nn.Dense)",
        "torch.nn.Sequential(torch.nn.Linear)",
        (r"HybridSequential|Module", r"Dense|Linear", r"must be a block|not a Module", r"\(\.\.\.\)|instance")),
    "network for its parameters": Mistake(
        NET + "gluon.Trainer(net, 'sgd')",
        TORCH_NET + "torch.optim.SGD(net, 0.1)",
        (r"params|argument", r"Dense|Linear", r"list or dict|iterable", r"collect_params|parameters\(\)")),
    "number for the optimizer's arguments": Mistake(
        NET + "gluon.Trainer(net.collect_params(), 'sgd', 0.1)", "",
        (r"optimizer_params|argument", r"\b0\.1\b|float", r"dict|mapping", r"learning_rate")),
    "initializer misspelt": Mistake(
        "nn.Dense(4, in_units=3).initialize('xaver')",
        "torch.nn.init.xaver_uniform_",
        (r"initializer|torch\.nn\.init", r"xaver", r"registered|no attribute", r"mean:? 'xavier")),
    "rate of dropout above 1": Mistake(
        "net = nn.Dropout(1.5)\nwith autograd.record():\n    net(mx.nd.ones((2,)))",
        "torch.nn.Dropout(1.5)",
        (r"\bp\b|probability", r"\b1\.5\b", r"<= 1|between 0 and 1|\[0,1\]", r"<= 1|between 0 and 1|\[0,1\]")),
    "number of units with a fraction": Mistake(
        "nn.Dense(4.5, in_units=3).initialize()",
        "torch.nn.Linear(3, 4.5)",
        (r"shape|size", r"\b4\.5\b|float", r"integers|ints", r"integers|ints")),
    "forgot to make the block": Mistake(
        "class Net(gluon.HybridBlock):\n    def __init__(self):\n        self.fc = nn.Dense(4)\nNet()",
        "class Net(torch.nn.Module):\n    def __init__(self):\n        self.fc = torch.nn.Linear(3, 4)\nNet()",
        (r"\bfc\b|module", r"assign", r"before", r"__init__\(\)")),
    "label forgotten": Mistake(
        "gluon.loss.L2Loss(prefix='loss_')(mx.nd.ones((2, 3)))",
        "torch.nn.MSELoss()(torch.ones(2, 3))",
        (r"label|target", r"given|missing", r"label|target", r"takes the inputs")),
    "two inputs for one": Mistake(
        NET + "net(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
        TORCH_NET + "net(torch.ones(2, 3), torch.ones(2, 3))",
        (r"Dense|Linear", r"2 are given|3 were given", r"takes", r"inputs x;|takes 2")),
    "states of another batch": Mistake(
        "net = gluon.rnn.LSTM(4, input_size=3, prefix='lstm_'); net.initialize(); net(mx.nd.ones((5, 2, 3)), net.begin_state(3))",
        "torch.nn.LSTM(3, 4)(torch.ones(5, 2, 3), (torch.ones(1, 3, 4), torch.ones(1, 3, 4)))",
        (r"state|hidden", r"1, 3, 4", r"1, 2, 4", r"begin_state\(")),
    "gradient of what was not used": Mistake(
        "x = mx.nd.ones(3); z = mx.nd.ones(3); x.attach_grad(); z.attach_grad()\nwith autograd.record():\n    y = x * 2\nautograd.grad(y, [z])",
        "x = torch.ones(3, requires_grad=True); z = torch.ones(3, requires_grad=True)\ntorch.autograd.grad((x * 2).sum(), [z])",
        (r"variable 0|index 0", r"variable 0|index 0", r"depend|used", r"record\(\)|allow_unused")),
    "parameter misspelt": Mistake(
        NET + "net.collect_params()['fc_wieght']",
        TORCH_NET + "net.get_parameter('wieght')",
        (r"parameter|attribute", r"wieght", r"named|attribute", r"mean:? '(fc_)?weight'")),
    "export before the first forward": Mistake(
        NET + "net.hybridize(); net.export('net')", "",
        (r"Dense|block", r"no graph|before", r"forward", r"hybridize\(\)")),
    "file of parameters for states": Mistake(
        NET + "net.save_parameters('a.params'); gluon.Trainer(net.collect_params(), 'adam').load_states('a.params')",
        TORCH_NET + "torch.optim.Adam(net.parameters()).load_state_dict(net.state_dict())",
        (r"a\.params|param_groups", r"x12", r"pickle|states", r"load_parameters")),
    # Arrays --------------------------------------------------------------------------------------
    "rows of unequal length": Mistake(
        "mx.np.array([[1, 2], [3]])",
        "torch.tensor([[1, 2], [3]])",
        (r"object|array|sequence", r"\[3\]|got 1", r"inhomogeneous|length 2", r"\bpad\b")),
    "reshape of mx.np": Mistake(
        f"{ONES}.reshape(5)",
        "torch.ones(2, 3).reshape(5)",
        (r"shape", r"\[5\]", r"2, ?3|\b6\b", r"-1")),
    "concatenate of mx.np": Mistake(
        f"mx.np.concatenate([{ONES}, {OTHERS}])",
        "torch.cat([torch.ones(2, 3), torch.ones(4, 5)])",
        (r"arg1|number 1", r"4, ?5|size 5", r"\?, ?3|size 3", r"axis=0|dimension 0")),
    "stack of mx.np": Mistake(
        "mx.np.stack([mx.np.ones(3), mx.np.ones(4)])",
        "torch.stack([torch.ones(3), torch.ones(4)])",
        (r"arg1|entry 1", r"\[4\]", r"\[3\]", r"one shape|equal size")),
    "product of mx.np": Mistake(
        f"{ONES} @ {ONES}",
        "torch.ones(2, 3) @ torch.ones(2, 3)",
        (r"\ba\b|mat1", r"2, ?3|2x3", r"differ|cannot be multiplied", r"\.T\b|transpose")),
    "axis that is not there": Mistake(
        f"{ONES}.sum(axis=2)",
        "torch.ones(2, 3).sum(2)",
        (r"axis|[Dd]im", r"\b2\b", r"2 axes|range of", r"2 axes|range of")),
    "element type misspelt": Mistake(
        f"{ONES}.astype('flaot32')", "torch.flaot32",
        (r"dtype|torch", r"flaot32", r"not one|no attribute|not understood", r"mean:? 'float32'")),
    "sum of letters": Mistake(
        f"mx.np.einsum('ij,jk', {ONES}, {OTHERS})",
        "torch.einsum('ij,jk', torch.ones(2, 3), torch.ones(4, 5))",
        (r"'?j'?", r"\b4\b", r"\b3\b", r"axes|broadcast")),
    "inverse of a matrix that is not square": Mistake(
        f"mx.np.linalg.inv({ONES})",
        "torch.linalg.inv(torch.ones(2, 3))",
        (r"\bA\b", r"2, ?3|2 by 3", r"square", r"square")),
    "mask of another length": Mistake(
        f"{ONES}[mx.np.ones((4,), dtype='bool')]",
        "torch.ones(2, 3)[torch.ones(4, dtype=torch.bool)]",
        (r"mask|boolean", r"\[4\]|is 4", r"2, ?3|is 2", r"axis 0|index 0|dimension 0")),
    "written from another shape": Mistake(
        f"x = {ONES}; x[:] = mx.np.ones(4)",
        "x = torch.ones(2, 3); x[:] = torch.ones(4)",
        (r"selection|size", r"\[4\]|\(4\)", r"2, ?3", r"broadcast|match")),
    "broadcast to another shape": Mistake(
        "mx.nd.ones((2, 3)).broadcast_to((4, 3))",
        "torch.ones(2, 3).expand(4, 3)",
        (r"shape|size", r"4, ?3", r"2, ?3", r"equal|match")),
    "array of NumPy beside an array": Mistake(
        "import numpy\nmx.nd.ones(2) + numpy.ones(2)", "",
        (r"__add__|type", r"ndarray", r"NDArray", r"nd\.array")),
    "negative size": Mistake(
        "mx.nd.ones((2, -3))",
        "torch.ones(2, -3)",
        (r"shape|dimension", r"-3", r"negative", r"negative")),
    # Data ----------------------------------------------------------------------------------------
    "two ways to make batches": Mistake(
        "gluon.data.DataLoader([1, 2], batch_size=2, batch_sampler=gluon.data.BatchSampler(gluon.data.SequentialSampler(2), 2))",
        "torch.utils.data.DataLoader([1, 2], batch_size=2, batch_sampler=torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler([1, 2]), 2, False))",
        (r"batch_size", r"batch_sampler", r"of no use|mutually exclusive", r"batch_sampler")),
    "dataset without a length": Mistake(
        "gluon.data.DataLoader(5, 2)",
        "next(iter(torch.utils.data.DataLoader(5, 2)))",
        (r"dataset", r"\b5\b|'int'", r"length|len\(\)", r"Dataset")),
    "text for a size of batches": Mistake(
        "list(gluon.data.DataLoader([1, 2, 3], '2'))",
        "torch.utils.data.DataLoader([1, 2, 3], '2')",
        (r"batch_size", r"'?2'?", r"number|integer", r"number|integer")),
    "data and labels of unequal length": Mistake(
        "mx.io.NDArrayIter(mx.nd.ones((4, 2)), mx.nd.ones((3,)))",
        "torch.utils.data.TensorDataset(torch.ones(4, 2), torch.ones(3))",
        (r"label|array", r"\b3\b", r"\b4\b", r"shorter|length|mismatch")),
    "last batch misspelt": Mistake(
        "list(gluon.data.DataLoader([1, 2], batch_size=2, last_batch='drop'))", "",
        (r"last_batch", r"'drop'", r"one of", r"'discard'")),
    "folder of images misspelt": Mistake(
        "import os; os.mkdir('images'); gluon.data.vision.ImageFolderDataset('image')", "",
        (r"image\b", r"image\b", r"[Nn]o such file", r"mean 'images'")),
    "file of text for records": Mistake(
        "with open('a.rec', 'w') as f:\n    _ = f.write('no records at all, but text')\nmx.recordio.MXRecordIO('a.rec', 'r').read()", "",
        (r"a\.rec", r"6e6f2072|offset 0|magic", r"0a23d7ce|kMagic", r"MXRecordIO")),
    "channels last into Normalize": Mistake(
        "gluon.data.vision.transforms.Normalize(0.5, 0.5)(mx.nd.ones((8, 8, 3), dtype='uint8'))", "",
        (r"data|[Cc]hannel", r"8, ?8, ?3", r"1 or 3|\b3\b", r"ToTensor")),
    # Modules and symbols -------------------------------------------------------------------------
    "data of a module misnamed": Mistake(
        SYMBOL + "mx.mod.Module(net, data_names=['x'])", "",
        (r"data_names", r"'x'", r"\bdata\b", r"arguments that are no|data_names")),
    "shape without a name": Mistake(
        MODULE + "mod.bind((2, 4))", "",
        (r"shapes|DataDesc", r"\b2\b|\bint\b", r"pair|iterable", r"\('data'")),
    "optimizer before parameters": Mistake(
        BOUND + "mod.init_optimizer()", "",
        (r"init_optimizer", r"not given", r"parameters", r"init_params\(\)")),
    "array for a batch": Mistake(
        BOUND + "mod.init_params(); mod.forward(mx.nd.ones((2, 4)))", "",
        (r"data_batch|'data'", r"NDArray", r"a batch", r"DataBatch\(")),
    "batch of another width": Mistake(
        BOUND + "mod.init_params(); mod.forward(mx.io.DataBatch([mx.nd.ones((2, 5))], [mx.nd.ones(2)]))", "",
        (r"data", r"2, ?5", r"2, ?4", r"number of samples|partial_shaping")),
    "output misspelt": Mistake(
        SYMBOL + "net.get_internals()['fc_outputs']", "",
        (r"output", r"fc_outputs", r"named|find|name", r"mean 'fc_output'")),
    "epoch that was not saved": Mistake(
        BOUND + "mod.init_params(); mod.save_checkpoint('m', 3); mx.model.load_checkpoint('m', 5)",
        "torch.save({}, 'm-3.pt'); torch.load('m-5.pt')",
        (r"m-0*5", r"m-0*5", r"[Nn]o such file", r"m-0*3")),
    "parameters for a symbol": Mistake(
        NET + "net.save_parameters('a.params'); mx.sym.load('a.params')",
        TORCH_NET + "torch.save(net.state_dict(), 'a.pt'); torch.jit.load('a.pt')",
        (r"a\.params|a\.pt|archive", r"array|constants|byte", r"JSON|constants\.pkl", r"mx\.nd\.load|torch\.load")),
    # Stores, optimizers and metrics --------------------------------------------------------------
    "key that was not initialized": Mistake(
        STORE + "kv.push('wieght', mx.nd.ones(3))", "",
        (r"key", r"wieght", r"not (been )?init", r"mean 'weight'|init\(")),
    "key that was initialized twice": Mistake(
        STORE + "kv.init('weight', mx.nd.ones(3))", "",
        (r"key", r"weight", r"once|duplicate", r"push\(\)")),
    "name for an optimizer": Mistake(
        STORE + "kv.set_optimizer('sgd')", "",
        (r"optimizer", r"'sgd'|'str'", r"Optimizer", r"optimizer\.create")),
    "compression that is not there": Mistake(
        "mx.kv.create('device').set_gradient_compression({'type': '3bit'})", "",
        (r"type", r"3bit", r"2bit", r"2bit")),
    "steps out of order": Mistake(
        "mx.lr_scheduler.MultiFactorScheduler([10, 5])", "",
        (r"step", r"10, 5", r"increas", r"increas")),
    "labels after predictions": Mistake(
        "mx.metric.Accuracy().update([mx.nd.ones((4, 2))], [mx.nd.ones((4,))])", "",
        (r"prediction", r"\(4,\)", r"axis", r"update\(labels")),
    "argument of a metric": Mistake(
        "mx.metric.create('top_k_accuracy', k=3)", "",
        (r"'k'", r"TopK", r"unexpected", r"mean 'top_k'")),
    "number among arrays to save": Mistake(
        "mx.nd.save('a.params', [1, 2])", "",
        (r"data\[0\]|save", r"\bint\b", r"NDArray", r"nd\.array")),
    "input of a predictor misspelt": Mistake(
        BOUND + "mod.init_params(); mod.save_checkpoint('m', 3); mx.Predictor.from_checkpoint('m', 3, {'dta': (2, 4)})", "",
        (r"input", r"'dta'", r"no input", r"mean 'data'")),
}
# fmt: on
