# SPDX-License-Identifier: Apache-2.0
"""Block: a part of a network, with parameters and blocks inside it."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from ... import initializer
from ... import ndarray as nd
from ...core.base.doors import leave
from ...core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MissingAttributeError,
    MXNetError,
    candidates,
)
from ...core.base.mismatches import Mismatches
from ...core.base.printable import printable
from ...core.base.scopes import is_np_array
from ...core.base.user_warnings import warn_user
from ...core.nd.array import NDArray
from ...core.runtime.context import Context
from ..listing import brief, indented
from ..parameter import Parameter, ParameterDict
from . import architecture
from .hooks import HookHandle, Hooks
from .nesting import _check_all_np_ndarrays
from .scope import _BlockScope
from .summary import block_html, summarize

__all__ = ["Block"]


class Block:
    """A network, or a part of one.

    Blocks and parameters that are assigned to attributes are its children and its parameters.

    Args:
        prefix: stands before the names of its parameters and children; default: its class and a
            number.
        params: parameters to share with another block.

    Example:
        >>> net = mx.gluon.nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> isinstance(net, mx.gluon.Block), net(mx.nd.ones((4, 3))).shape
        (True, (4, 2))
    """

    _no_doors = ("forward", "hybrid_forward")
    _is_summarized: ClassVar[bool] = True  # whether `summary` has a line for it

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._empty_prefix = prefix == ""
        self._prefix, self._params = _BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix.removesuffix("_")
        self._scope = _BlockScope(self)
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: Hooks = OrderedDict()
        self._forward_pre_hooks: Hooks = OrderedDict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes what pickles hold, MXNet's too, whose scopes refer to their blocks."""
        self.__dict__.update(state)
        if "_block" in vars(self._scope):
            counter = self._scope._counter
            self._scope = _BlockScope(self)
            self._scope._counter = counter

    def __repr__(self) -> str:
        content = "\n".join(
            f"  ({key}): {indented(repr(block), 2)}"
            for key, block in self.__dict__.items()
            if isinstance(block, Block)
        )
        return f"{type(self).__name__}(\n{content}\n)"

    def _repr_html_(self) -> str:
        return block_html(self)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            if isinstance(value, (Block, Parameter)) and "_children" not in self.__dict__:
                raise self._not_made(f"{name} is assigned")
            have = self.__dict__.get(name)
            if isinstance(have, (Parameter, Block)) and not isinstance(value, type(have)):
                raise ArgumentTypeError(
                    f"{type(self).__name__}: {name} is a {type(have).__name__}, it cannot become a "
                    f"{type(value).__name__}"
                )
            if isinstance(value, Block):
                self.register_child(value, name)
            elif isinstance(value, Parameter):
                if name in self._reg_params:
                    raise AssertedError(
                        f"{type(self).__name__}: {name} is a parameter already; blocks share "
                        "parameters by params=, when they are made"
                    )
                self._reg_params[name] = value
            super().__setattr__(name, value)
        except Exception as error:
            leave(error)
            raise

    # Names ---------------------------------------------------------------------------------------

    def _alias(self) -> str:
        return type(self).__name__.lower()

    @property
    def prefix(self) -> str:
        """The prefix of the names of its parameters and children."""
        return self._prefix

    @property
    def name(self) -> str:
        """Its name: its prefix without the underscore at its end."""
        return self._name

    def name_scope(self) -> _BlockScope:
        """A ``with`` block in which blocks and symbols are named after this block."""
        if "_scope" not in self.__dict__:
            raise self._not_made("name_scope() is called")
        return self._scope

    def _not_made(self, what: str) -> MissingAttributeError:
        name = type(self).__name__
        return MissingAttributeError(
            f"{name}: {what} before the block is made: super().__init__() must come first in "
            f"{name}.__init__()"
        )

    # Parameters ----------------------------------------------------------------------------------

    @property
    def params(self) -> ParameterDict:
        """Its own parameters, without those of children; see `collect_params`."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """The parameters of itself and its children.

        Args:
            select: a regular expression that their names begin with; default: all.
        """
        found = ParameterDict(self._params.prefix)
        self._collect_into(found, None if select is None else re.compile(select))
        return found

    def _collect_into(self, found: ParameterDict, select: re.Pattern[str] | None) -> None:
        self._warn_of_containers()
        own = self.params
        if select is None:
            found.update(own)
        else:
            found.update({n: p for n, p in own.items() if select.match(n)})  # type: ignore[arg-type]
        for child in self._children.values():
            # What children override is theirs to say.
            found.update(child.collect_params(None if select is None else select.pattern))

    def _warn_of_containers(self) -> None:
        """Warns of attributes that hold blocks which are no children."""
        children = set(self._children.values())
        for name, value in self.__dict__.items():
            if not isinstance(value, _CONTAINERS) or not value or name.startswith("__"):
                continue
            if any(block not in children for block in _blocks_in(value)):
                warn_user(
                    f"{type(self).__name__}.{name} holds blocks that are no children, whose "
                    "parameters are not collected: use Sequential, or call register_child()",
                )

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by the attributes that lead to them: ``features.0.weight``."""
        start = f"{prefix}." if prefix else ""
        found = {start + name: value for name, value in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child._collect_params_with_prefix(start + name))
        return found

    def initialize(
        self,
        init: Any = initializer.Uniform(),  # noqa: B008 - MXNet's signature
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes all parameters; see `ParameterDict.initialize`."""
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def cast(self, dtype: Any) -> None:
        """Casts parameters and children to an element type."""
        for child in self._children.values():
            child.cast(dtype)
        for parameter in self.params.values():
            parameter.cast(dtype)

    # Files of parameters -------------------------------------------------------------------------

    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Writes all parameters, named by the attributes that lead to them.

        Args:
            filename: the file.
            deduplicate: write a parameter that several blocks share once only.
        """
        params = self._collect_params_with_prefix()
        if deduplicate:
            last = {parameter: name for name, parameter in params.items()}
            params = {name: parameter for parameter, name in last.items()}
        nd.save(filename, {name: parameter._reduce() for name, parameter in params.items()})

    def save_params(self, filename: str) -> None:
        """The old form of `save_parameters`: named as `collect_params` names them."""
        warn_user("save_params is deprecated: use save_parameters")
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_parameters(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Reads parameters from a file of `save_parameters`, or of `ParameterDict.save`.

        Args:
            filename: the file.
            ctx: contexts of parameters that were not initialized; default: the CPU.
            allow_missing: leave parameters alone that the file lacks.
            ignore_extra: ignore what is in the file only.
            cast_dtype: cast where element types differ.
            dtype_source: current: to those of the parameters; saved: to those of the file.
        """
        loaded: Any = nd.load(filename)
        params = self._collect_params_with_prefix()
        if not loaded and not params:
            return
        if not isinstance(loaded, dict) or not any("." in name for name in loaded):
            self.collect_params().load(
                filename, ctx, allow_missing, ignore_extra, self.prefix, cast_dtype, dtype_source
            )
            return
        told = Mismatches()
        if not allow_missing:
            _tell_missing(loaded, params, filename, told)
        if not ignore_extra:
            _tell_unexpected(loaded, params, filename, told)
        found = [(params[name], array) for name, array in loaded.items() if name in params]
        _load_all(found, ctx, cast_dtype, dtype_source, told)

    def _checkpoint_parameters(self) -> tuple[dict[str, NDArray], set[str]]:
        """What `save_parameters` writes, for `checkpoint.save`; and what is not learned."""
        params = self._collect_params_with_prefix()
        arrays = {name: parameter._value_on_cpu() for name, parameter in params.items()}
        return arrays, {name for name, p in params.items() if p.grad_req == "null"}

    def _load_checkpoint_parameters(self, arrays: dict[str, NDArray], source: str) -> None:
        """Takes the parameters of a checkpoint, for `checkpoint.load`."""
        params = self._collect_params_with_prefix()
        told = Mismatches()
        _tell_missing(arrays, params, source, told)
        _tell_unexpected(arrays, params, source, told)
        found = [(params[n], a) for n, a in arrays.items() if n in params]
        _load_all(found, None, False, "current", told)

    def load_params(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """The old name of `load_parameters`."""
        warn_user("load_params is deprecated: use load_parameters")
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    # Files of architecture -----------------------------------------------------------------------

    def save(self, prefix: str) -> None:
        """Writes its tree of blocks to ``prefix-model.json``, parameters to ``-model.params``."""
        architecture.write(f"{prefix}-model.json", self)
        self.save_parameters(f"{prefix}-model.params")

    def load(self, prefix: str) -> None:
        """Load a file of `save` into a block with children of the same classes.

        Raises:
            UnknownNameError: its children are not those of the block that was written.
        """
        path = f"{prefix}-model.json"
        architecture.restore(path, self, architecture.read(path))
        self.load_parameters(f"{prefix}-model.params")

    def _describe_graph(self) -> dict[str, Any]:
        """What `save` writes of its graph."""
        return {}

    def _restore_graph(self, described: Mapping[str, Any]) -> None:
        """Takes over what `_describe_graph` gave."""

    # Children and hooks --------------------------------------------------------------------------

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Register `block` as a child, like an assignment to an attribute."""
        self._children[str(len(self._children)) if name is None else name] = block

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls ``hook(block, inputs)`` before each forward."""
        handle = HookHandle()
        handle.attach(self._forward_pre_hooks, hook)
        return handle

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls ``hook(block, inputs, outputs)`` after each forward."""
        handle = HookHandle()
        handle.attach(self._forward_hooks, hook)
        return handle

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call ``callback(array name, operator, array)`` for each output of operators in children.

        Args:
            callback: the function.
            monitor_all: also for what they are given.
        """
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def apply(self, fn: Callable[[Block], Any]) -> Block:
        """Calls ``fn(block)`` for each child, children's children first, then for itself.

        Returns:
            Itself.
        """
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Turns the graphs of children that are HybridBlocks on or off."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    # Running -------------------------------------------------------------------------------------

    def __call__(self, *args: Any) -> Any:
        """`forward`, with the hooks around it."""
        try:
            for hook in self._forward_pre_hooks.values():
                hook(self, args)
            out = self.forward(*args)
            for hook in self._forward_hooks.values():
                hook(self, args, out)
            if is_np_array():
                _check_all_np_ndarrays(out)
            return out
        except Exception as error:
            leave(error)
            raise

    def summary(self, *inputs: Any) -> None:
        """Prints the blocks that a forward goes through: shapes, numbers of parameters.

        Args:
            inputs: arrays, or nested lists of them; the forward runs.

        Raises:
            AssertedError: a block in it is hybridized.
        """
        sys.stdout.write(printable(summarize(self, inputs), keep="\n") + "\n")

    def forward(self, *args: Any) -> Any:
        """Compute the outputs; override this in a subclass."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to compute: forward()")


_CONTAINERS = (list, tuple, dict)


def _blocks_in(container: Any) -> Iterator[Block]:
    """The blocks in nested lists, tuples and dicts."""
    for item in container.values() if isinstance(container, dict) else container:
        if isinstance(item, Block):
            yield item
        elif isinstance(item, _CONTAINERS):
            yield from _blocks_in(item)


def _load_all(
    found: Sequence[tuple[Parameter, NDArray]],
    ctx: Context | Sequence[Context] | None,
    cast_dtype: bool,
    dtype_source: str,
    mismatches: Mismatches,
) -> None:
    """Gives parameters their arrays, once all are known to fit."""
    for parameter, array in found:
        parameter._tell_misfit(array, ctx, cast_dtype, dtype_source, mismatches)
    mismatches.check()
    for parameter, array in found:
        parameter._load_init(array, ctx, cast_dtype, dtype_source)


def _tell_missing(
    loaded: dict[str, NDArray], params: dict[str, Parameter], filename: str, told: Mismatches
) -> None:
    names: dict[Parameter, list[str]] = defaultdict(list)
    for name, parameter in params.items():
        names[parameter].append(name)
    for name, parameter in params.items():
        if not any(n in loaded for n in names[parameter]):
            told.add("missing", brief([name]), partial(_missing, name, loaded, filename))


def _missing(name: str, loaded: Iterable[str], filename: str) -> MXNetError:
    return AssertedError(
        f"Parameter {name!r} is missing in file {filename!r}, which contains parameters: "
        f"{brief(loaded)}; allow_missing=True ignores that"
    )


def _tell_unexpected(
    loaded: dict[str, NDArray], params: dict[str, Parameter], filename: str, told: Mismatches
) -> None:
    for name in loaded:
        if name not in params:
            told.add("unexpected", brief([name]), partial(_unexpected, name, params, filename))


def _unexpected(name: str, params: Iterable[str], filename: str) -> MXNetError:
    return ArgumentError(
        f"Parameter {name!r} loaded from file {filename!r} is not present in ParameterDict"
        f"{candidates(name, params)} (there are {brief(params)}); ignore_extra=True ignores that"
    )
