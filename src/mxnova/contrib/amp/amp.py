# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision: `init` for programs that train, `convert_*` for networks to run.

Example::

    amp.init()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    amp.init_trainer(trainer)
    with mx.autograd.record():
        loss = loss_function(net(data), label)
        with amp.scale_loss(loss, trainer) as scaled:
            mx.autograd.backward(scaled)
    trainer.step(batch_size)
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from ... import optimizer as opt
from ...context import gpu
from ...core.base.dtypes import BFLOAT16, dtype_of
from ...core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    shown,
)
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...gluon.block import HybridBlock, SymbolBlock
from ...gluon.trainer import Trainer
from ...module import BucketingModule
from . import lists  # noqa: F401 - programs take it from here, too
from .casting import Casting
from .conversion import in_mixed_precision, low_parameters, needed_in_low_precision
from .loss_scaler import LossScaler
from .precision import Condition, Rules, check_names, lists_of

__all__ = [
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "scale_loss",
    "unscale",
]

bfloat16 = BFLOAT16
_GPU = gpu(0)

# What `init` and `init_trainer` have done; programs look at these names.
_amp_initialized = False
_amp_loss_scale_initialized = False
_loss_scaler: LossScaler | None = None

# Training -----------------------------------------------------------------------------------------


def init(
    target_dtype: Any = "float16",
    target_precision_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    fp32_ops: list[str] | None = None,
) -> None:
    """Lets operators compute in mixed precision from now on; later calls change nothing.

    Args:
        target_dtype: ``"float16"``, which CUDA devices are quick with, or ``"bfloat16"`` for CPUs.
        target_precision_ops: names of operators that compute in it, instead of `list_lp16_ops`.
        conditional_fp32_ops: (operator, parameter, values of it) of operators that compute in
            float32 in some cases, instead of `list_conditional_fp32_ops`.
        fp32_ops: names of operators that compute in float32, instead of `list_fp32_ops`.
    """
    global _amp_initialized, _loss_scaler
    if _amp_initialized:
        return
    grouped = lists_of(target_dtype, "init")
    rules = Rules(grouped, target_precision_ops, conditional_fp32_ops, fp32_ops, "init")
    casting = Casting(rules, grouped.losses)
    casting.install()
    _amp_initialized, _loss_scaler = True, casting.loss_scaler
    logging.info("mixed precision: float32 and %s", rules.name)


def init_trainer(optimizer_or_trainer: Trainer) -> None:
    """Lets a trainer scale losses, and skip steps whose gradients overflow.

    Raises:
        AssertedError: `init` was not called.
        ArgumentTypeError: it is no Trainer.
    """
    trainer = optimizer_or_trainer
    global _amp_loss_scale_initialized
    if not _amp_initialized:
        raise AssertedError("amp.init_trainer: call amp.init() before")
    if not isinstance(trainer, Trainer):
        what = "must be a gluon.Trainer"
        if isinstance(trainer, opt.Optimizer):
            what += "; give the optimizer to one"
        raise ArgumentTypeError(f"amp.init_trainer: {type(trainer).__name__} given: {what}")
    trainer._amp_loss_scaler = LossScaler() if _amp_loss_scale_initialized else _loss_scaler
    trainer._amp_original_scale = trainer._scale
    _amp_loss_scale_initialized = True


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Trainer) -> Iterator[Any]:
    """A block in which to call `backward` of losses that are multiplied by the loss scale.

    Args:
        loss: an array, or a list of arrays.
        optimizer_or_trainer: a trainer after `init_trainer`; its next step undoes the scaling.
    """
    trainer = optimizer_or_trainer
    scaler = trainer._amp_loss_scaler
    if scaler is None:
        raise AssertedError("amp.scale_loss: call amp.init_trainer(trainer) before")
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, (list, tuple)):
        yield [part * scaler.loss_scale for part in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Undoes the scaling of the gradients before a step: to clip them, say.

    Raises:
        ArgumentTypeError: it is no Trainer: what an optimizer has updated is not scaled.
        ArgumentError: it was made with ``overlap=True``: its gradients have left for the store.
    """
    trainer = optimizer_or_trainer
    if not isinstance(trainer, Trainer):
        kind = type(trainer).__name__
        raise ArgumentTypeError(f"unscale: optimizer_or_trainer={kind}: must be a Trainer")
    if trainer._overlaps:
        raise ArgumentError("unscale: a Trainer with overlap=True: its gradients have left already")
    for param in trainer._params:
        if param.grad_req != "null":
            for gradient in param.list_grad():
                gradient *= trainer._scale
    trainer._scale = 1.0


# Conversion ---------------------------------------------------------------------------------------


def convert_symbol(
    sym: Symbol,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    data_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """A symbol that computes the same in mixed precision: casts stand between its operators.

    Args:
        sym: it stays as it is.
        target_dtype: ``"float16"`` or ``"bfloat16"``.
        target_dtype_ops: names of operators that compute in it, instead of `list_lp16_ops`.
        fp32_ops: names of operators that compute in float32, instead of `list_fp32_ops`.
        conditional_fp32_ops: (operator, parameter, values of it) of operators that compute in
            float32 in some cases, instead of `list_conditional_fp32_ops`.
        excluded_sym_names: names of nodes that compute in float32.
        data_names: names of variables that are no parameters; None: all.
        cast_optional_params: whether parameters that only the low precision needs are to be given
            in it, instead of being cast in every run.
    """
    if not isinstance(sym, Symbol):
        raise AssertedError(f"amp.convert_symbol: sym={shown(sym)}: must be a Symbol")
    grouped = lists_of(target_dtype, "convert_symbol")
    for argument, names in (("target_dtype_ops", target_dtype_ops), ("fp32_ops", fp32_ops)):
        _check_known(argument, names, {*grouped.low, *grouped.single, *grouped.both})
    rules = Rules(grouped, target_dtype_ops, conditional_fp32_ops, fp32_ops, "convert_symbol")
    excluded = [] if excluded_sym_names is None else excluded_sym_names
    check_names("convert_symbol", "excluded_sym_names", excluded)
    inputs = sym.list_inputs()
    data = inputs if data_names is None else data_names
    check_names("convert_symbol", "data_names", data)
    unknown = set(data).difference(inputs)
    if unknown:
        raise MXNetError(
            f"amp.convert_symbol: data_names={shown(sorted(unknown))}: no variables of the "
            f"symbol, which are {shown(inputs)}"
        )
    low = low_parameters(sym, rules, excluded, data) if cast_optional_params else set()
    made = in_mixed_precision(sym, rules, excluded, low)
    low = low.union(needed_in_low_precision(made, rules, data))
    everything = set(data).issuperset(inputs)
    for node in made.nodes:
        if node.op is None and (
            node.name not in data or (everything and "__dtype__" in node.attrs)
        ):
            dtype = grouped.name if node.name in low else "float32"
            node.attrs["__dtype__"] = str(dtype_of(dtype).flag)
    return made


def _check_known(argument: str, names: Any, known: Collection[str]) -> None:
    if names is None:
        return
    check_names("convert_symbol", argument, names)
    unknown = sorted(set(names).difference(known))
    if unknown:
        raise AssertedError(
            f"amp.convert_symbol: {argument}={shown(unknown)}: can only be names in "
            "amp.list_lp16_ops(), amp.list_fp32_ops() and amp.list_lp16_fp32_ops()"
        )


def convert_model(
    sym: Symbol,
    arg_params: dict[str, NDArray],
    aux_params: dict[str, NDArray],
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """A model that computes the same in mixed precision: (symbol, arguments, auxiliary states).

    Args:
        sym: its symbol; variables that are neither in `arg_params` nor in `aux_params` are data.
        arg_params: its arguments by name.
        aux_params: its auxiliary states by name.
        target_dtype: see `convert_symbol`, as all other arguments.
        target_dtype_ops: see `convert_symbol`.
        fp32_ops: see `convert_symbol`.
        conditional_fp32_ops: see `convert_symbol`.
        excluded_sym_names: see `convert_symbol`.
        cast_optional_params: see `convert_symbol`; the arrays are cast.
    """
    if not isinstance(sym, Symbol):
        raise AssertedError(f"amp.convert_model: sym={shown(sym)}: must be a Symbol")
    for argument, params in (("arg_params", arg_params), ("aux_params", aux_params)):
        if not isinstance(params, dict):
            what = f"{argument}={shown(params)}: must be a dict of arrays by name"
            raise AssertedError(f"amp.convert_model: {what}")
    data = [n for n in sym.list_inputs() if n not in arg_params and n not in aux_params]
    made = convert_symbol(
        sym,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        data,
        cast_optional_params,
    )
    low = _low_variables(made, target_dtype)
    name = lists_of(target_dtype, "convert_model").name
    converted = [
        {n: a.astype(name) if n in low else a.copy() for n, a in params.items()}
        for params in (arg_params, aux_params)
    ]
    return made, converted[0], converted[1]


def _low_variables(sym: Symbol, target_dtype: Any) -> set[str]:
    """Variables that a conversion has noted to be of the low precision."""
    flag = str(dtype_of(lists_of(target_dtype, "convert_model").name).flag)
    return {n.name for n in sym.nodes if n.op is None and n.attrs.get("__dtype__") == flag}


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    ctx: Any = _GPU,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """A block that computes the same in mixed precision, with parameters of its own.

    Args:
        block: hybridized, and called once.
        target_dtype: see `convert_symbol`, as all other arguments.
        target_dtype_ops: see `convert_symbol`.
        fp32_ops: see `convert_symbol`.
        conditional_fp32_ops: see `convert_symbol`.
        excluded_sym_names: see `convert_symbol`.
        ctx: a context, or contexts, of the new parameters.
        cast_optional_params: see `convert_symbol`; the parameters are cast.
    """
    if not isinstance(block, HybridBlock):
        raise AssertedError(
            f"amp.convert_hybrid_block: block={shown(block)}: must be a HybridBlock"
        )
    if not block._cached_graph:
        raise MXNetError(
            f"amp.convert_hybrid_block: {type(block).__name__} {block.name!r} has no graph yet: "
            "call hybridize() and run it once"
        )
    inputs, sym = block._cached_graph
    data = [i.name for i in inputs if i.name in sym.list_inputs()]
    made = convert_symbol(
        sym,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        data,
        cast_optional_params,
    )
    converted = SymbolBlock(made, inputs)
    low = _low_variables(made, target_dtype)
    values = dict(block.collect_params().items())
    for name, param in converted.collect_params().items():
        if name in low:
            param.cast(lists_of(target_dtype, "convert_hybrid_block").name)
        param._load_init(values[name].data(), ctx, cast_dtype=True)
    return converted


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """A BucketingModule that computes the same in mixed precision, with parameters of its own.

    Args:
        bucketing_mod: bound, with parameters.
        target_dtype: see `convert_symbol`, as all other arguments.
        target_dtype_ops: see `convert_symbol`.
        fp32_ops: see `convert_symbol`.
        conditional_fp32_ops: see `convert_symbol`.
        excluded_sym_names: see `convert_symbol`.
        cast_optional_params: see `convert_symbol`; the parameters are cast.
    """
    if not isinstance(bucketing_mod, BucketingModule):
        what = f"bucketing_mod={shown(bucketing_mod)}: must be a BucketingModule"
        raise AssertedError(f"amp.convert_bucketing_module: {what}")
    if not (bucketing_mod.binded and bucketing_mod.params_initialized):
        what = "bucketing_mod: call bind() and init_params() before"
        raise AssertedError(f"amp.convert_bucketing_module: {what}")
    arguments, states = bucketing_mod.get_params()

    def converted(sym: Symbol) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
        return convert_model(
            sym,
            arguments,
            states,
            target_dtype,
            target_dtype_ops,
            fp32_ops,
            conditional_fp32_ops,
            excluded_sym_names,
            cast_optional_params,
        )

    def sym_gen(key: Any) -> tuple[Symbol, Any, Any]:
        sym, data_names, label_names = bucketing_mod._sym_gen(key)
        return converted(sym)[0], data_names, label_names

    own = BucketingModule(
        sym_gen,
        bucketing_mod._default_bucket_key,
        bucketing_mod.logger,
        bucketing_mod._context,
        bucketing_mod._work_load_list,
        bucketing_mod._fixed_param_names,
        bucketing_mod._state_names,
        bucketing_mod._group2ctxs,
        bucketing_mod._compression_params,
    )
    own.bind(bucketing_mod.data_shapes, bucketing_mod.label_shapes, for_training=False)
    default = bucketing_mod._sym_gen(bucketing_mod._default_bucket_key)[0]
    own.set_params(*converted(default)[1:], allow_extra=True)
    return own


# Lists --------------------------------------------------------------------------------------------


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """Names of operators that compute in the low precision."""
    return lists_of(target_dtype, "list_lp16_ops").low


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """Names of operators that compute in float32."""
    return lists_of(target_dtype, "list_fp32_ops").single


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """Names of operators that compute in the dtype of their inputs."""
    return lists_of(target_dtype, "list_lp16_fp32_ops").both


def list_conditional_fp32_ops(target_dtype: Any) -> list[Condition]:
    """(operator, parameter, values) of operators that compute in float32 for these values."""
    return lists_of(target_dtype, "list_conditional_fp32_ops").conditional


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """Names of operators whose inputs are cast to the widest of their types."""
    return lists_of(target_dtype, "list_widest_type_cast").widest


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """Names of operators whose gradient is that of a loss."""
    return lists_of(target_dtype, "list_loss_output_functions").losses


def list_lp16_use_fp32_params(target_dtype: Any) -> dict[str, list[str]] | None:
    """Inputs that stay float32 where an operator computes in the low precision, by operator."""
    return lists_of(target_dtype, "list_lp16_use_fp32_params").single_params
