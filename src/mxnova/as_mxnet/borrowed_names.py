# SPDX-License-Identifier: Apache-2.0
"""The names that MXNet's modules have of others: ``from mxnet.model import *`` gives `cpu`, too.

Modules of MXNet without an ``__all__`` give all that they import. Here each is imported when it is
asked for.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from mxnova import _import_module

__all__ = ["BORROWED", "lend", "resolved"]


def lend(module: ModuleType, name: str) -> None:
    """Gives a module, and ``from module import *``, the names that MXNet's has of others, once.

    Args:
        module: one of mxnova.
        name: MXNet's, without ``mxnet.``.
    """
    if name not in BORROWED or module in _LENT_TO:
        return
    _LENT_TO.add(module)
    own = list(getattr(module, "__all__", [n for n in vars(module) if n[0] != "_"]))
    sources = dict(map(_source, BORROWED[name].split()))
    find = getattr(module, "__getattr__", None)

    def get(wanted: str) -> Any:
        source = sources.get(wanted)
        if source:
            return resolved(source)
        if find is None:
            raise AttributeError(f"module {module.__name__!r} has no attribute {wanted!r}")
        return find(wanted)

    module.__getattr__ = get  # type: ignore[method-assign]
    module.__all__ = [*own, *(n for n in sources if n not in own)]  # type: ignore[attr-defined]


def resolved(source: str) -> Any:
    """What a source names, such as ``.context:cpu`` or ``json``; None if it fails to load."""
    home, _, attribute = source.partition(":")
    try:
        found = _import_module(f"mxnova{home}".rstrip(".") if home[0] == "." else home)
    except ImportError:  # not there, or without a library that it needs
        if home not in _OPTIONAL:
            raise
        return None
    return getattr(found, attribute) if attribute else found


def _source(entry: str) -> tuple[str, str]:
    """(name, source) of an entry; the source is empty for what the module has and does not show."""
    name, is_told, source = entry.partition("=")
    return name, source if is_told else _SOURCES[name]


_LENT_TO: set[ModuleType] = set()
_OPTIONAL = ("cv2", "scipy.stats")  # None where they cannot be imported, as in MXNet

_NAMES = {
    ".attribute": "AttrScope",
    ".base": """
        CudaKernelHandle CudaModuleHandle DataIterHandle ExecutorHandle KVStoreHandle
        MXNetError NDArrayHandle OpHandle ProfileHandle RecordIOHandle SymbolHandle
        c_array c_array_buf c_handle_array c_str c_str_array check_call classproperty
        ctypes2numpy_shared integer_types mx_float mx_int mx_uint numeric_types py_str
        string_types with_metaclass
    """,
    ".callback": "LogValidationMetricsCallback",
    ".context": "Context cpu",
    ".contrib.onnx.onnx2mx.import_model": """
        get_model_metadata_=get_model_metadata import_model_=import_model
    """,
    ".contrib.onnx.onnx2mx.import_onnx": "GraphProto",
    ".contrib.onnx.onnx2mx.import_to_gluon": "import_to_gluon_=import_to_gluon",
    ".executor_manager": "DataParallelExecutorManager",
    ".gluon.block": "Block HybridBlock",
    ".gluon.loss": "SoftmaxCrossEntropyLoss",
    ".gluon.nn.basic_layers": "HybridSequential Sequential",
    ".image.image": """
        Augmenter CastAug ColorJitterAug ColorNormalizeAug ForceResizeAug HueJitterAug
        ImageIter LightingAug RandomGrayAug RandomOrderAug ResizeAug fixed_crop
    """,
    ".initializer": "InitDesc Uniform",
    ".io.io": "DataBatch DataDesc DataIter",
    ".metric": "Accuracy CompositeEvalMetric EvalMetric",
    ".model": "BatchEndParam load_checkpoint load_params save_checkpoint",
    ".module.base_module": "BaseModule",
    ".module.executor_group": "DataParallelExecutorGroup",
    ".module.module": "Module",
    ".name": "NameManager",
    ".ndarray": "concat multi_all_finite tile",
    ".ndarray.contrib": "adamw_update mp_adamw_update",
    ".ndarray.ndarray": "NDArray",
    ".ndarray.sparse": "CSRNDArray sparse_array=array",
    ".ndarray.utils": "load nd_load=load nd_save=save zeros",
    ".numpy": """
        allclose alltrue apply_along_axis apply_over_axes argpartition argwhere
        array_equal array_equiv choose compress corrcoef correlate count_nonzero cov
        digitize divmod extract flatnonzero float_power frexp heaviside histogram2d
        histogram_bin_edges histogramdd i0 in1d interp intersect1d isclose isin ix_
        lexsort min_scalar_type modf msort nanargmax nanargmin nancumprod nancumsum nanmax
        nanmedian nanmin nanpercentile nanprod nanquantile ndim packbits partition
        piecewise poly polyadd polydiv polyfit polyint polymul polysub positive
        promote_types ptp real result_type rollaxis roots searchsorted select setdiff1d
        setxor1d signbit size spacing take_along_axis trapz tril_indices_from trim_zeros
        triu_indices_from union1d unpackbits unwrap vander
    """,
    ".optimizer.optimizer": "get_updater",
    ".rnn.rnn_cell": "BaseRNNCell",
    ".symbol.numpy": "np_symbol=_Symbol",
    ".symbol.symbol": "Symbol sym_load=load",
    ".util": "is_np_array np_array use_np use_np_shape",
    "array": "array py_array=array",
    "collections": "OrderedDict defaultdict namedtuple",
    "ctypes": "CFUNCTYPE POINTER Structure c_bool c_char c_char_p c_int c_void_p cast pointer",
    "math": "cos pi sqrt",
    "multiprocessing": "current_process",
    "numbers": "Number",
    "numpy": "mx_real_t=float32",
    "threading": "Lock",
}
_MODULES = """
    activations=.gluon.nn.activations ag=.autograd ast base=.base
    basic_layers=.gluon.nn.basic_layers bisect collections context=.context
    conv_layers=.gluon.nn.conv_layers copy ctx=.context ctypes cv2 datetime
    densenet=.gluon.model_zoo.vision.densenet functools image=.image
    inception=.gluon.model_zoo.vision.inception init=.initializer inspect io=.io json
    kvs=.kvstore logging math metric=.metric mobilenet=.gluon.model_zoo.vision.mobilenet mx=.
    mx_np=.numpy mx_npx=.numpy_extension nd=.ndarray ndarray=.ndarray np=numpy numbers numpy
    operator=.operator opt=.optimizer os platform random re recordio=.recordio
    registry=.registry resnet=.gluon.model_zoo.vision.resnet shutil
    squeezenet=.gluon.model_zoo.vision.squeezenet stats=scipy.stats struct sym=.symbol
    symbol=.symbol sys tarfile threading time traceback vgg=.gluon.model_zoo.vision.vgg
    vocab=.contrib.text.vocab warnings zipfile
"""
_EXTENSION = """
    activation= arange_like= batch_dot= batch_flatten= batch_norm= cast=
    constraint_check= convolution= deconvolution= dropout= embedding= erf= erfinv=
    fully_connected= gamma= gammaln= gather_nd= layer_norm= leaky_relu= log_softmax=
    multibox_detection= multibox_prior= multibox_target= nonzero= one_hot= pick=
    pooling= relu= reshape= reshape_like= rnn= roi_pooling= sequence_mask=
    shape_array= sigmoid= slice= smooth_l1= softmax= topk=
"""

_RANDOM = """
    exponential_like= gamma_like= generalized_negative_binomial_like=
    negative_binomial_like= normal_like= poisson_like= uniform_like=
"""

BORROWED = {
    "attribute": "classproperty defaultdict string_types threading warnings with_metaclass",
    "autograd": """
        CFUNCTYPE Lock NDArrayHandle POINTER Symbol SymbolHandle array c_array
        c_array_buf c_handle_array c_int c_void_p cast check_call ctypes mx_uint
        string_types traceback
    """,
    "callback": "logging math save_checkpoint time",
    "context": "check_call classproperty ctypes threading warnings with_metaclass",
    "contrib.amp.loss_scaler": "ag logging multi_all_finite nd=.ndarray.ndarray",
    "contrib.autograd": """
        NDArray NDArrayHandle array c_array c_array_buf c_handle_array check_call ctypes
        functools mx_uint string_types
    """,
    "contrib.io": "DataDesc DataIter nd",
    "contrib.onnx": "get_model_metadata_ import_model_ import_to_gluon_",
    "contrib.onnx.onnx2mx.import_model": "GraphProto",
    "contrib.onnx.onnx2mx.import_onnx": "nd np string_types symbol",
    "contrib.onnx.onnx2mx.import_to_gluon": "GraphProto",
    "contrib.quantization": """
        NDArrayHandle SymbolHandle c_array c_str c_str_array check_call ctypes logging
        mx_uint nd_load nd_save ndarray np os py_str shutil stats sym_load warnings
    """,
    "contrib.svrg_optimization.svrg_module": "Module logging mx time",
    "contrib.svrg_optimization.svrg_optimizer": "mx",
    "contrib.tensorboard": "logging",
    "contrib.text.embedding": """
        base is_np_array logging nd os registry tarfile vocab warnings zipfile
    """,
    "contrib.text.utils": "collections re",
    "contrib.text.vocab": "collections",
    "engine": "check_call ctypes",
    "executor": """
        ExecutorHandle NDArray NDArrayHandle SymbolHandle c_array_buf c_handle_array
        c_str_array check_call copy ctypes mx_int mx_uint ndarray np py_array py_str
    """,
    "executor_manager": "DataDesc cpu logging mx_real_t nd np",
    "gluon.contrib.estimator.utils": """
        Accuracy CompositeEvalMetric EvalMetric SoftmaxCrossEntropyLoss
    """,
    "gluon.data.vision.transforms": """
        Block HybridBlock HybridSequential Sequential image is_np_array np numeric_types
        random
    """,
    "gluon.model_zoo.vision": "densenet inception mobilenet resnet squeezenet vgg",
    "gluon.nn": "activations basic_layers conv_layers",
    "image": """
        Number cv2 io is_np_array json logging nd np numeric_types os random recordio sys
        warnings
    """,
    "image.detection": """
        Augmenter CastAug ColorJitterAug ColorNormalizeAug ForceResizeAug HueJitterAug
        ImageIter LightingAug RandomGrayAug RandomOrderAug ResizeAug fixed_crop io
        is_np_array json logging nd np numeric_types random warnings
    """,
    "image.image": """
        Number cv2 io is_np_array json logging nd np numeric_types os random recordio sys
        warnings
    """,
    "initializer": """
        NDArray is_np_array json load logging ndarray np random=.random re registry sqrt
        string_types warnings
    """,
    "io.io": """
        CSRNDArray DataIterHandle NDArray NDArrayHandle array=.ndarray.utils:array
        c_str_array check_call concat ctypes logging mx_real_t mx_uint namedtuple np
        py_str sys threading tile
    """,
    "io.utils": "CSRNDArray NDArray OrderedDict array=.ndarray.utils:array np sparse_array",
    "libinfo": "logging os platform",
    "library": "MXNetError check_call ctypes mx_uint os sys",
    "log": "logging warnings",
    "lr_scheduler": "cos logging pi",
    "metric": "OrderedDict math ndarray numeric_types numpy registry string_types",
    "misc": "logging math",
    "model": """
        Context DataDesc DataParallelExecutorManager LogValidationMetricsCallback Uniform
        cpu get_updater io kvs logging metric mx_real_t namedtuple nd np opt os sym time
        warnings
    """,
    "module.base_module": """
        BatchEndParam DataBatch DataDesc DataIter Uniform cpu logging metric ndarray np
        time warnings
    """,
    "module.bucketing_module": """
        BaseModule Module NameManager Uniform ctx load_params logging nd np sym warnings
    """,
    "module.executor_group": "DataDesc OrderedDict ctx logging nd",
    "module.module": """
        BaseModule DataDesc DataParallelExecutorGroup InitDesc Uniform ctx
        load_checkpoint logging nd opt warnings zeros
    """,
    "module.python_module": "BaseModule Uniform logging nd",
    "module.sequential_module": "BaseModule Uniform copy logging",
    "monitor": "NDArray NDArrayHandle ctypes logging ndarray py_str re sqrt",
    "name": "classproperty threading warnings with_metaclass",
    "ndarray": "numpy= numpy_extension=",
    "ndarray.numpy_extension": _EXTENSION,
    "ndarray.random": _RANDOM,
    "ndarray.register": """
        adamw_update check_call ctypes mp_adamw_update mx_uint py_str use_np_shape
    """,
    "ndarray.sparse": """
        ElementWiseSum= Embedding= FullyConnected= LinearRegressionOutput=
        LogisticRegressionOutput= MAERegressionOutput= _contrib_round_ste=
        _contrib_sign_ste= abs= adagrad_update= adam_update= add_n= arccos= arccosh=
        arcsin= arcsinh= arctan= arctanh= broadcast_add= broadcast_div= broadcast_minus=
        broadcast_mul= broadcast_plus= broadcast_sub= cast_storage= cbrt= ceil= clip=
        concat= cos= cosh= degrees= dot= elemwise_add= elemwise_div= elemwise_mul=
        elemwise_sub= exp= expm1= fix= floor= ftrl_update= gamma= gammaln= log= log10=
        log1p= log2= make_loss= mean= negative= norm= radians= relu= retain= rint= round=
        rsqrt= sgd_mom_update= sgd_update= sigmoid= sign= sin= sinh= slice= sqrt= square=
        stop_gradient= sum= tan= tanh= trunc= where= zeros_like=
    """,
    "notebook.callback": "datetime defaultdict time",
    "numpy.multiarray": """
        allclose alltrue apply_along_axis apply_over_axes argpartition argwhere
        array_equal array_equiv choose compress corrcoef correlate count_nonzero cov
        digitize divmod extract flatnonzero float_power frexp heaviside histogram2d
        histogram_bin_edges histogramdd i0 in1d interp intersect1d isclose isin ix_
        lexsort min_scalar_type modf msort nanargmax nanargmin nancumprod nancumsum nanmax
        nanmedian nanmin nanpercentile nanprod nanquantile ndim packbits partition
        piecewise poly polyadd polydiv polyfit polyint polymul polysub positive
        promote_types ptp real result_type rollaxis roots searchsorted select setdiff1d
        setxor1d signbit size spacing take_along_axis trapz tril_indices_from trim_zeros
        triu_indices_from union1d unpackbits unwrap vander
    """,
    "numpy_dispatch_protocol": "functools mx_np",
    "numpy_extension.image": """
        adjust_lighting= crop= flip_left_right= flip_top_bottom= normalize=
        random_brightness= random_color_jitter= random_contrast= random_flip_left_right=
        random_flip_top_bottom= random_hue= random_lighting= random_saturation= resize=
        to_tensor=
    """,
    "numpy_op_fallback": "ast functools np np_array operator use_np",
    "numpy_op_signature": "inspect mx_np mx_npx",
    "operator": """
        CFUNCTYPE Lock OpHandle POINTER Structure array c_array c_array_buf c_bool c_char
        c_char_p c_int c_str c_void_p cast check_call collections context
        ctypes2numpy_shared is_np_array mx_float mx_int mx_uint pointer symbol traceback
        warnings
    """,
    "optimizer.optimizer": "NDabs=",
    "profiler": "KVStoreHandle ProfileHandle c_str c_str_array check_call ctypes py_str warnings",
    "random": "Context check_call ctypes integer_types",
    "recordio": """
        RecordIOHandle c_str check_call ctypes current_process cv2 namedtuple np numbers
        struct
    """,
    "registry": "json string_types warnings",
    "rnn": """
        DataBatch DataDesc DataIter bisect functools np numeric_types random string_types
        warnings
    """,
    "rnn.io": "DataBatch DataDesc DataIter bisect ndarray np random",
    "rnn.rnn": "BaseRNNCell load_checkpoint save_checkpoint warnings",
    "rnn.rnn_cell": "functools init ndarray numeric_types string_types symbol warnings",
    "rtc": """
        CudaKernelHandle CudaModuleHandle NDArray array c_array c_array_buf c_str
        c_str_array check_call ctypes mx_uint np numeric_types re string_types
    """,
    "runtime": "check_call collections ctypes",
    "symbol": "numpy= numpy_extension=",
    "symbol.numpy_extension": _EXTENSION,
    "symbol.random": _RANDOM,
    "symbol.register": """
        AttrScope NameManager adamw_update=.symbol.contrib:adamw_update check_call ctypes
        mp_adamw_update=.symbol.contrib:mp_adamw_update mx_uint py_str
    """,
    "test_utils": "np_symbol",
    "util": "c_str check_call ctypes functools inspect py_str threading",
    "visualization": "Symbol copy json re warnings",
}


def _sources() -> dict[str, str]:
    found = {n: source or n for n, _, source in (e.partition("=") for e in _MODULES.split())}
    for home, entries in _NAMES.items():
        for name, _, other in (e.partition("=") for e in entries.split()):
            found[name] = f"{home}:{other or name}"
    return found


_SOURCES = _sources()
