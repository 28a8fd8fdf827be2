# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.symbol.symbol import AttrScope as AttrScope
from mxnova.ndarray.ndarray import Context as Context
from mxnova.executor import Executor as Executor
from mxnova.ndarray.ndarray import MXNetError as MXNetError
from mxnova.predictor import Predictor as Predictor
__version__: str
from mxnova import attribute as attribute
from mxnova import autograd as autograd
from mxnova import base as base
from mxnova import callback as callback
from mxnova import checkpoint as checkpoint
from mxnova import context as context
from mxnova import contrib as contrib
from mxnova.context import cpu as cpu
from mxnova.context import cpu_pinned as cpu_pinned
from mxnova.ndarray.ndarray import current_context as current_context
from mxnova import elastic as elastic
from mxnova import engine as engine
from mxnova import error as error
from mxnova import executor as executor
from mxnova import executor_manager as executor_manager
from mxnova import formats as formats
from mxnova.torch_module import from_torch as from_torch
from mxnova import gluon as gluon
from mxnova.context import gpu as gpu
from mxnova.context import gpu_memory_info as gpu_memory_info
from mxnova import image as image
from mxnova import image as img
from mxnova import initializer as init
from mxnova import initializer as initializer
from mxnova import io as io
from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.symbol.symbol import is_np_shape as is_np_shape
from mxnova import kvstore as kv
from mxnova import kvstore as kvstore
from mxnova import libinfo as libinfo
from mxnova import library as library
from mxnova import log as log
from mxnova import lr_scheduler as lr_scheduler
from mxnova import metric as metric
from mxnova import module as mod
from mxnova import model as model
from mxnova import module as module
from mxnova import monitor as mon
from mxnova import monitor as monitor
from mxnova import name as name
from mxnova import ndarray as nd
from mxnova import ndarray as ndarray
from mxnova import notebook as notebook
from mxnova import numpy as np
from mxnova.numpy_extension import np_array as np_array
from mxnova.numpy_extension import np_shape as np_shape
from mxnova import numpy_extension as npx
from mxnova.context import num_gpus as num_gpus
from mxnova import numpy as numpy
from mxnova import numpy_extension as numpy_extension
from mxnova import onnx as onnx
from mxnova.artefacts import open_model as open_model
from mxnova import operator as operator
from mxnova import optimizer as opt
from mxnova import optimizer as optimizer
from mxnova import predictor as predictor
from mxnova import profiler as profiler
from mxnova.quantization import quantize as quantize
from mxnova import random as random
from mxnova import recordio as recordio
from mxnova import registry as registry
from mxnova import random as rnd
from mxnova import rnn as rnn
from mxnova import rtc as rtc
from mxnova import runtime as runtime
from mxnova.util import set_np_shape as set_np_shape
from mxnova import symbol as sym
from mxnova import symbol as symbol
from mxnova import symbol_doc as symbol_doc
from mxnova import test_utils as test_utils
from mxnova.torch_module import to_torch as to_torch
from mxnova import torch_module as torch_module
from mxnova.numpy_extension import use_np as use_np
from mxnova.numpy_extension import use_np_array as use_np_array
from mxnova.numpy_extension import use_np_shape as use_np_shape
from mxnova import util as util
from mxnova import visualization as visualization
from mxnova import visualization as viz
__all__ = ['AttrScope', 'Context', 'Executor', 'MXNetError', 'Predictor', '__version__', 'attribute', 'autograd', 'base', 'callback', 'checkpoint', 'context', 'contrib', 'cpu', 'cpu_pinned', 'current_context', 'elastic', 'engine', 'error', 'executor', 'executor_manager', 'formats', 'from_torch', 'gluon', 'gpu', 'gpu_memory_info', 'image', 'img', 'init', 'initializer', 'io', 'is_np_array', 'is_np_shape', 'kv', 'kvstore', 'libinfo', 'library', 'log', 'lr_scheduler', 'metric', 'mod', 'model', 'module', 'mon', 'monitor', 'name', 'nd', 'ndarray', 'notebook', 'np', 'np_array', 'np_shape', 'npx', 'num_gpus', 'numpy', 'numpy_extension', 'onnx', 'open_model', 'operator', 'opt', 'optimizer', 'predictor', 'profiler', 'quantize', 'random', 'recordio', 'registry', 'rnd', 'rnn', 'rtc', 'runtime', 'set_np_shape', 'sym', 'symbol', 'symbol_doc', 'test_utils', 'to_torch', 'torch_module', 'use_np', 'use_np_array', 'use_np_shape', 'util', 'visualization', 'viz']
