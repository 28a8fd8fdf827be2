# SPDX-License-Identifier: Apache-2.0
"""Mistakes of shapes, types, names, devices, graphs and files."""

from __future__ import annotations

from .rule import Mistake
from .snippets import HYBRID, NET, RECORD, SAVED, SYMBOL, TORCH_RECORD

__all__ = ["NETWORKS"]

# fmt: off
NETWORKS: dict[str, Mistake] = {
    # Shapes and types ----------------------------------------------------------------------------
    "width of a dense layer": Mistake(
        NET + "net(mx.nd.ones((2, 5)))",
        "torch.nn.Linear(3, 4)(torch.ones(2, 5))",
        (r"data|input|mat1", r"2, ?5|2x5", r"\b3\b|3x4", r"in_units|in_features")),
    "channels last into a convolution": Mistake(
        "net = nn.Conv2D(8, 3, in_channels=3); net.initialize(); net(mx.nd.ones((1, 32, 30, 3)))",
        "torch.nn.Conv2d(3, 8, 3)(torch.ones(1, 32, 30, 3))",
        (r"data|input", r"1, ?32, ?30, ?3", r"3 channels|channels.*\b3\b", r"NHWC|transpose|permute")),
    "channels of a batch normalization": Mistake(
        "net = nn.BatchNorm(in_channels=4); net.initialize(); net(mx.nd.ones((2, 3, 8, 8)))",
        "torch.nn.BatchNorm2d(4)(torch.ones(2, 3, 8, 8))",
        (r"data|input|running_mean", r"2, ?3, ?8, ?8|\b3 elements", r"\b4\b", r"in_channels|axis")),
    "shapes of a sum": Mistake(
        "mx.nd.ones((2, 3)) + mx.nd.ones((4, 5))",
        "torch.ones(2, 3) + torch.ones(4, 5)",
        (r"lhs|tensor a", r"2, ?3|\(3\)", r"4, ?5|\(5\)", r"reshape|expand_dims|unsqueeze")),
    "shapes of a product": Mistake(
        "mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((4, 5)))",
        "torch.mm(torch.ones(2, 3), torch.ones(4, 5))",
        (r"lhs|mat1", r"2, ?3|2x3", r"4, ?5|4x5", r"transpose_[ab]=True|\.T\b")),
    "shapes of a concatenation": Mistake(
        "mx.nd.concat(mx.nd.ones((2, 3)), mx.nd.ones((4, 5)), dim=1)",
        "torch.cat([torch.ones(2, 3), torch.ones(4, 5)], 1)",
        (r"arg1|number 1", r"4, ?5|size 4", r"2, ?3|size 2", r"\baxis|dim\b|dimension")),
    "reshape to another size": Mistake(
        "mx.nd.ones((2, 3)).reshape((4, 2))",
        "torch.ones(2, 3).reshape(4, 2)",
        (r"shape", r"4, ?2", r"2, ?3|\b6\b", r"-1")),
    "parts that are not even": Mistake(
        "mx.nd.split(mx.nd.ones((2, 5)), num_outputs=3, axis=1)",
        "torch.split(torch.ones(2, 5), [2, 2], 1)",
        (r"num_outputs|split_sizes", r"\b3\b|\[2, 2\]", r"\b5\b", r"_split_v2|split_v2|array_split|sum exactly")),
    "window larger than the image": Mistake(
        "nn.Conv2D(8, 7, in_channels=3)\nmx.nd.Convolution(mx.nd.ones((1, 3, 4, 4)), mx.nd.ones((8, 3, 7, 7)), no_bias=True, kernel=(7, 7), num_filter=8)",
        "torch.nn.functional.conv2d(torch.ones(1, 3, 4, 4), torch.ones(8, 3, 7, 7))",
        (r"[Kk]ernel", r"\b7\b", r"\b4\b", r"\bpad(ding)?=|smaller")),
    "pooling window larger than the image": Mistake(
        "mx.nd.Pooling(mx.nd.ones((1, 3, 4, 4)), kernel=(7, 7))",
        "torch.nn.functional.max_pool2d(torch.ones(1, 3, 4, 4), 7)",
        (r"kernel|[Oo]utput size", r"\b7\b|3x4x4", r"\b4\b", r"\bpad(ding)?=|smaller")),
    "width of a recurrent layer": Mistake(
        "net = gluon.rnn.LSTM(4, input_size=3); net.initialize(); net(mx.nd.ones((5, 2, 6)))",
        "torch.nn.LSTM(3, 4)(torch.ones(5, 2, 6))",
        (r"data|input", r"5, ?2, ?6|\b6\b", r"\b3\b", r"input_size")),
    "float64 into a float32 layer": Mistake(
        NET + "net(mx.nd.ones((2, 3), dtype='float64'))",
        "torch.nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.float64))",
        (r"data|weight|mat1", r"float64|Double", r"one type|same dtype|expected float64", r"astype|\.to\(")),
    "integers into a layer": Mistake(
        NET + "net(mx.nd.ones((2, 3), dtype='int32'))",
        "torch.nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.int32))",
        (r"data|weight|mat1", r"int32|Int", r"one type|same dtype|expected int32", r"astype|\.to\(")),
    "labels of another batch": Mistake(
        "gluon.loss.SoftmaxCrossEntropyLoss()(mx.nd.ones((4, 3)), mx.nd.ones((5,)))",
        "torch.nn.CrossEntropyLoss()(torch.ones(4, 3), torch.ones(5, dtype=torch.long))",
        (r"label|index|target", r"\(5|\[5|5,|5\)", r"\(4|\[4|4,|4\)", r"batch|sparse_label")),
    "label out of range": Mistake(
        "gluon.loss.SoftmaxCrossEntropyLoss()(mx.nd.ones((2, 3)), mx.nd.array([0, 7])).asnumpy()",
        "torch.nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 7]))",
        (r"label|index|Target", r"\b7\b", r"0 to 2|\b3 classes", r"units|class"), True),
    "word out of the vocabulary": Mistake(
        "mx.nd.Embedding(mx.nd.array([1, 9]), mx.nd.ones((5, 2)), input_dim=5, output_dim=2).asnumpy()",
        "torch.nn.Embedding(5, 2)(torch.tensor([1, 9]))",
        (r"data|index", r"\b9\b", r"0 to 4|\b5\b|range", r"input_dim|num_embeddings"), True),
    "index beyond the end": Mistake(
        "mx.nd.ones((2, 3))[5]",
        "torch.ones(2, 3)[5]",
        (r"index", r"\b5\b", r"\b2\b", r"axis 0|dimension 0")),
    "number of an array with many elements": Mistake(
        "mx.nd.ones((2, 3)).asscalar()",
        "torch.ones(2, 3).item()",
        (r"array|Tensor", r"2, ?3|6 elements", r"[Ss]calar|one element", r"asnumpy|mean\(\)|\[|tolist")),
    "truth of an array with many elements": Mistake(
        "bool(mx.nd.ones((2, 3)))",
        "bool(torch.ones(2, 3))",
        (r"NDArray|Tensor", r"multiple|more than one", r"ambiguous", r"any\(|asscalar|\.all")),
    # Devices and kinds of arrays -----------------------------------------------------------------
    "no GPU": Mistake(
        "mx.nd.ones((2,), ctx=mx.gpu(0)).asnumpy()",
        "torch.ones(2, device='cuda')",
        (r"gpu\(0\)|CUDA", r"gpu|CUDA", r"no GPU|not compiled|not enabled", r"num_gpus|CUDA enabled|USE_CUDA")),
    "parameters on another device": Mistake(
        NET + "net(mx.nd.ones((2, 3), ctx=mx.cpu(1)))",
        "torch.nn.Linear(3, 4)(torch.ones(2, 3, device='meta'))",
        (r"fc_weight|fc_bias|[Tt]ensor", r"cpu\(1\)|meta", r"cpu\(0\)|\bcpu\b", r"reset_ctx|as_in_context|\.to\(")),
    "a list for an array": Mistake(
        NET + "net([[1, 2, 3]])",
        "torch.nn.Linear(3, 4)([[1, 2, 3]])",
        (r"\bx\b|data|input", r"list", r"NDArray|Tensor", r"nd\.array|torch\.tensor")),
    "a NumPy array for an array": Mistake(
        "import numpy\n" + NET + "net(numpy.ones((2, 3), 'float32'))",
        "import numpy\ntorch.nn.Linear(3, 4)(numpy.ones((2, 3), 'float32'))",
        (r"\bx\b|data|input", r"numpy|ndarray", r"NDArray|Tensor", r"nd\.array|torch\.tensor|from_numpy")),
    # Gluon and autograd --------------------------------------------------------------------------
    "forgot initialize": Mistake(
        "nn.Dense(4, prefix='fc_')(mx.nd.ones((2, 3)))",
        "torch.nn.LazyLinear(4).weight.sum()",
        (r"fc_weight|parameter", r"not been initialized|uninitialized", r"initializ", r"initialize\(|Call .forward|collect_params\(\)")),
    "shape of a deferred parameter": Mistake(
        "net = nn.Dense(4, prefix='fc_'); net.initialize(); net.weight.data()",
        "torch.nn.LazyLinear(4).weight.shape",
        (r"fc_weight|parameter", r"deferred|uninitialized", r"initializ", r"forward|pass .*data|in_units")),
    "backward without record": Mistake(
        "x = mx.nd.ones((2, 3)); x.attach_grad()\n(x * x).sum().backward()",
        "with torch.no_grad():\n    y = (torch.ones(2, 3, requires_grad=True) ** 2).sum()\ny.backward()",
        (r"node|element 0|array", r"not in a computational graph|does not require grad", r"graph|grad_fn", r"record\(\)")),
    "backward without attach_grad": Mistake(
        "x = mx.nd.ones((2, 3))\nwith autograd.record():\n    y = (x * x).sum()\ny.backward()",
        "(torch.ones(2, 3) ** 2).sum().backward()",
        (r"node|element 0|array", r"not in a computational graph|does not require grad", r"graph|grad_fn", r"attach_grad|requires_grad")),
    "backward twice": Mistake(
        RECORD + "y = (x * x).sum()\ny.backward(); y.backward()",
        TORCH_RECORD + "y = (x * x).sum(); y.backward(); y.backward()",
        (r"node|graph", r"not in a computational graph|second time|freed", r"graph", r"retain_graph")),
    "in place while recording": Mistake(
        RECORD + "y = x * 2\n    y += 1",
        "x = torch.ones(2, 3, requires_grad=True)\nx += 1",
        (r"recorded arrays|leaf Variable|NDArrays that", r"Inplace|in-place", r"record|requires grad", r"y = y|x = x|new array|no_grad")),
    "step without backward": Mistake(
        NET + "gluon.Trainer(net.collect_params(), 'sgd').step(1)",
        "",
        (r"fc_(weight|bias)", r"not been updated", r"backward", r"ignore_stale_grad")),
    "shape under hybridize": Mistake(
        HYBRID.format("F.ones(x.shape)"),
        "",
        (r"\.shape|'shape'", r"Symbol", r"no .*shape|shape .*(unknown|not known)|until", r"shape_array|infer_shape|hybridize|reshape")),
    "numbers under hybridize": Mistake(
        HYBRID.format("x * float(x.asnumpy().sum())"),
        "",
        (r"asnumpy", r"Symbol", r"arrays|bound|NDArray", r"hybridize|operators of F|\bF\.")),
    "condition under hybridize": Mistake(
        HYBRID.format("x if x.sum() > 0 else -x"),
        "",
        (r"truth|bool|if", r"Symbol", r"arrays|bound|NDArray|no value", r"hybridize|F\.where|F\.contrib\.cond")),
    "mx.nd in hybrid_forward": Mistake(
        HYBRID.format("mx.nd.relu(x)"),
        "",
        (r"data|relu", r"Symbol", r"NDArray|array", r"\bF\.|hybridize")),
    # Names ---------------------------------------------------------------------------------------
    "operator misspelt": Mistake(
        "mx.nd.Convoluton", "torch.nn.functional.conv2",
        (r"mxn\w*\.n\w+|torch\.nn\.functional", r"Convoluton|conv2", r"no attribute", r"mean:? '(Convolution|conv\w+)'")),
    "layer misspelt": Mistake(
        "nn.Conv2d", "torch.nn.Conv2D",
        (r"gluon\.nn|torch\.nn", r"Conv2d|Conv2D", r"no attribute", r"mean:? '(Conv2D|Conv2d)'")),
    "argument of an operator misspelt": Mistake(
        "mx.nd.Convolution(mx.nd.ones((1, 3, 8, 8)), mx.nd.ones((8, 3, 3, 3)), kernl=(3, 3), num_filter=8, no_bias=True)",
        "torch.nn.functional.conv2d(torch.ones(1, 3, 8, 8), torch.ones(8, 3, 3, 3), strid=2)",
        (r"kernl|strid", r"Convolution|conv2d", r"no parameter|unexpected|invalid|Cannot find|no argument", r"'kernel'|stride\b")),
    "argument of a layer misspelt": Mistake(
        "nn.Dense(4, activatoin='relu')", "torch.nn.Linear(3, 4, bais=False)",
        (r"activatoin|bais", r"Dense|Linear", r"unexpected", r"mean:? '(activation|bias)'")),
    "PyTorch's word for a layer's argument": Mistake(
        "nn.Conv2D(8, kernel_size=3, stride=2)", "torch.nn.Conv2d(3, 8, 3, strides=2)",
        (r"'strides?'", r"Conv2D|Conv2d", r"unexpected", r"mean:? '?strides?")),
    "learning rate as lr": Mistake(
        NET + "gluon.Trainer(net.collect_params(), 'adam', {'lr': 0.1})",
        "torch.optim.Adam(torch.nn.Linear(3, 4).parameters(), learning_rate=0.1)",
        (r"'lr'|learning_rate", r"Adam", r"unexpected", r"mean:? '(learning_rate|lr)'")),
    "optimizer misspelt": Mistake(
        NET + "gluon.Trainer(net.collect_params(), 'adm')", "torch.optim.Adm",
        (r"optim", r"adm|Adm", r"Cannot find|no attribute", r"mean:? '[aA]dam'")),
    "activation misspelt": Mistake(
        "mx.nd.Activation(mx.nd.ones((2,)), act_type='rleu')",
        "torch.nn.init.calculate_gain('rleu')",
        (r"act_type|nonlinearity", r"rleu", r"one of|valid values|expected|Unsupported", r"'relu'")),
    "metric misspelt": Mistake(
        "mx.metric.create('acuracy')", "",
        (r"metric", r"acuracy", r"not registered|no metric|Cannot find|known", r"'accuracy'|'acc'")),
    "iterator's argument misspelt": Mistake(
        "mx.io.NDArrayIter(mx.nd.ones((4, 2)), batchsize=2)",
        "torch.utils.data.DataLoader([1, 2], batchsize=2)",
        (r"batchsize", r"NDArrayIter|DataLoader", r"unexpected", r"mean:? 'batch_size'")),
    "model of the zoo misspelt": Mistake(
        "gluon.model_zoo.vision.get_model('resnet50v2')", "",
        (r"[Mm]odel", r"resnet50v2", r"not supported", r"mean 'resnet50_v2'|resnet50_v2")),
    # Symbols and modules -------------------------------------------------------------------------
    "input of simple_bind misspelt": Mistake(
        SYMBOL + "net.simple_bind(mx.cpu(), dta=(2, 4))", "",
        (r"\bdta\b", r"2, ?4", r"\bdata\b", r"mean 'data'|providing them")),
    "label of a module misnamed": Mistake(
        SYMBOL + "mx.mod.Module(net, label_names=['label']).bind([('data', (2, 4))], [('label', (2,))])", "",
        (r"label_(names|shapes)", r"'label'", r"softmax_label", r"label_names=")),
    "module used before bind": Mistake(
        SYMBOL + "mx.mod.Module(net).forward(mx.io.DataBatch([mx.nd.ones((2, 4))]))", "",
        (r"Module\.forward", r"not bound|unbound", r"needs|must", r"\bbind\(\)")),
    "parameters of another symbol": Mistake(
        SYMBOL + "mod = mx.mod.Module(net); mod.bind([('data', (2, 4))], [('softmax_label', (2,))])\n"
        "mod.set_params({'fc1_weight': mx.nd.ones((2, 4)), 'fc_bias': mx.nd.ones((3,))}, {})",
        "torch.nn.Linear(4, 2).load_state_dict({'weight1': torch.ones(2, 4), 'bias': torch.ones(3)})",
        (r"fc_weight|\"weight\"", r"fc1_weight|weight1", r"\(2,\)|torch.Size\(\[2\]\)", r"allow_missing|Missing key")),
    # Files, data and processes -------------------------------------------------------------------
    "parameters missing in a file": Mistake(
        NET + SAVED % "'weight': mx.nd.ones((4, 3))" + "net.load_parameters('a.params')",
        "torch.nn.Linear(3, 4).load_state_dict({'weight': torch.ones(4, 3)})",
        (r"bias", r"\bweight\b", r"missing|Missing", r"allow_missing|strict")),
    "parameters of other shapes in a file": Mistake(
        NET + SAVED % "'weight': mx.nd.ones((5, 3)), 'bias': mx.nd.ones((5,))" + "net.load_parameters('a.params')",
        "torch.nn.Linear(3, 4).load_state_dict({'weight': torch.ones(5, 3), 'bias': torch.ones(5)})",
        (r"weight(.|\n)*bias|bias(.|\n)*weight", r"5, ?3", r"4, ?3", r"shape|size")),
    "file that is not there": Mistake(
        NET + "net.save_parameters('net.params'); net.load_parameters('nets.params')",
        "torch.save({}, 'net.pt'); torch.load('nets.pt')",
        (r"nets\.", r"nets\.", r"[Nn]o such file", r"did you mean 'net\.")),
    "file that is corrupt": Mistake(
        "with open('bad.params', 'wb') as f:\n    _ = f.write(b'text of some length, and no parameters' * 9)\nmx.nd.load('bad.params')",
        "with open('bad.pt', 'wb') as f:\n    _ = f.write(b'text of some length, and no parameters' * 9)\ntorch.load('bad.pt')",
        (r"bad\.", r"magic|header|0x", r"expected", r"save|download|trusted")),
    "rows of unequal length in a loader": Mistake(
        "import numpy\nlist(gluon.data.DataLoader([numpy.ones(3), numpy.ones(4)], 2))",
        "import numpy\nlist(torch.utils.data.DataLoader([numpy.ones(3), numpy.ones(4)], 2))",
        (r"element|entry|item|sample", r"\(4,\)|\[4\]", r"\(3,\)|\[3\]", r"batchify|equal size|pad")),
    "store that is not there": Mistake(
        "mx.kv.create('locl')", "",
        (r"name|backend|type|store", r"locl|glooo", r"there are|[Ii]nvalid|expected", r"'local'|'gloo'")),
    "worker of a loader that raises": Mistake(
        "class Data:\n    def __len__(self):\n        return 2\n    def __getitem__(self, i):\n        raise ValueError(f'sample {i} is broken')\n"
        "list(gluon.data.DataLoader(Data(), 1))",
        "class Data:\n    def __len__(self):\n        return 2\n    def __getitem__(self, i):\n        raise ValueError(f'sample {i} is broken')\n"
        "list(torch.utils.data.DataLoader(Data(), 1))",
        (r"sample 0", r"broken", r"broken", r"sample 0")),
}
# fmt: on
