# SPDX-License-Identifier: Apache-2.0
"""ParameterDict: the parameters of a block by name, some shared with other blocks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from functools import partial
from typing import Any

import numpy as np

from ... import initializer
from ... import ndarray as nd
from ...core.base.errors import (
    ArgumentError,
    AssertedError,
    MXNetError,
    UnknownNameError,
    candidates,
    shown,
)
from ...core.base.mismatches import Mismatches
from ...core.nd.array import NDArray
from ...core.runtime.context import Context
from ..listing import brief, indented
from .constant import Constant
from .parameter import Parameter

__all__ = ["ParameterDict"]


class ParameterDict:
    """Parameters by name.

    Args:
        prefix: stands before every name.
        shared: where `get` looks before it makes a parameter.

    Example:
        >>> params = mx.gluon.ParameterDict("net_")
        >>> params.get("weight", shape=(2,)).name
        'net_weight'
    """

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared

    def __repr__(self) -> str:
        name = f"{self._prefix} " if self._prefix else ""
        content = "\n".join(indented(f"  {value!r}", 2) for value in self.values())
        return f"{name}(\n{content}\n)"

    def __getitem__(self, key: str) -> Parameter:
        try:
            return self._params[key]
        except KeyError:
            hint = candidates(key, self._params) or f"; there are {brief(list(self._params))}"
            raise UnknownNameError(f"no parameter is named {shown(key)}{hint}") from None

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def items(self) -> ItemsView[str, Parameter]:
        """Pairs of name and parameter."""
        return self._params.items()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """The parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """The prefix of every name that is passed to `get`."""
        return self._prefix

    # Getting parameters --------------------------------------------------------------------------

    def _get_impl(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is not None and name in self._shared._params:
            found = self._params[name] = self._shared._params[name]
            return found
        return None

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """Return the parameter ``prefix + name``; create it if it is in no shared dict either.

        Args:
            name: its name without the prefix.
            kwargs: arguments of `Parameter`; one that is there must agree with them.
        """
        name = self._prefix + name
        found = self._get_impl(name)
        if found is None:
            found = self._params[name] = Parameter(name, **kwargs)
        else:
            for attribute, wanted in kwargs.items():
                found._agree_on(attribute, wanted)
        return found

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant ``prefix + name``; create it from `value` if it is missing."""
        name = self._prefix + name
        found = self._get_impl(name)
        if found is None:
            if value is None:
                raise UnknownNameError(
                    f"get_constant: there is no constant {name!r}, and no value to make it of"
                )
            made = self._params[name] = Constant(name, value)
            return made
        if not isinstance(found, Constant):
            raise AssertedError(f"get_constant: {name!r} is a parameter, not a constant")
        if value is not None:
            _check_same_constant(found, value)
        return found

    def update(self, other: ParameterDict) -> None:
        """Add the parameters of another dict.

        Raises:
            AssertedError: both have a name for different parameters.
        """
        for name, value in other.items():
            if self._params.get(name, value) is not value:
                raise AssertedError(f"update: both dicts have a parameter {name!r} of their own")
        self._params.update(other.items())

    # All of them ---------------------------------------------------------------------------------

    def initialize(
        self,
        init: Any = initializer.Uniform(),  # noqa: B008 - MXNet's signature
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes them all; see `Parameter.initialize`.

        Args:
            init: the initializer of those without one of their own.
            ctx: context, or contexts, to have arrays on.
            verbose: tell what is done to each.
            force_reinit: also those that have arrays already.
        """
        if verbose:
            init.set_verbosity(verbose=verbose)
        for value in self.values():
            value.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Sets all gradients to zero."""
        for value in self.values():
            value.zero_grad()

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Moves them all to other contexts."""
        for value in self.values():
            value.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """All contexts that parameters have arrays on."""
        return list(dict.fromkeys(c for value in self.values() for c in value.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Sets an attribute of them all, such as grad_req or lr_mult."""
        for parameter in self.values():
            setattr(parameter, name, value)

    # Files ---------------------------------------------------------------------------------------

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Writes them to a file, without the prefix `strip_prefix` of their names."""
        arrays: dict[str, NDArray] = {}
        for parameter in self.values():
            if not parameter.name.startswith(strip_prefix):
                raise ArgumentError(
                    f"save: strip_prefix={strip_prefix!r}: parameter {parameter.name!r} does not "
                    "start with it; Block.save_parameters() writes shared parameters, too"
                )
            arrays[parameter.name[len(strip_prefix) :]] = parameter._reduce()
        nd.save(filename, arrays)

    def load(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Reads them from a file of `save`, `HybridBlock.export` or Module.

        Args:
            filename: the file.
            ctx: contexts of parameters that were not initialized.
            allow_missing: leave parameters alone that the file lacks.
            ignore_extra: ignore what is in the file only.
            restore_prefix: put before the names in the file.
            cast_dtype: cast where element types differ.
            dtype_source: current: to those of the parameters; saved: to those of the file.
        """
        self.load_dict(
            _named(nd.load(filename), filename),
            ctx,
            allow_missing,
            ignore_extra,
            restore_prefix,
            filename,
            cast_dtype,
            dtype_source,
        )

    def load_dict(
        self,
        param_dict: Mapping[str, NDArray],
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Like `load`, from arrays by name; `filename` appears in error messages."""
        source = "param_dict" if filename is None else f"file: {filename}"
        for name in self.keys() if restore_prefix else ():
            if not name.startswith(restore_prefix):
                raise AssertedError(
                    f"load: restore_prefix={restore_prefix!r}: parameter {name!r} does not start "
                    "with it"
                )
        loaded = {restore_prefix + _plain(name): array for name, array in param_dict.items()}
        told = Mismatches()
        self._check_names(loaded, len(restore_prefix), source, allow_missing, ignore_extra, told)
        found = [(self._params[n], a) for n, a in loaded.items() if n in self._params]
        for parameter, array in found:
            parameter._tell_misfit(array, ctx, cast_dtype, dtype_source, told)
        told.check()
        for parameter, array in found:
            parameter._load_init(array, ctx, cast_dtype, dtype_source)

    def _check_names(
        self,
        loaded: Mapping[str, NDArray],
        start: int,
        source: str,
        allow_missing: bool,
        ignore_extra: bool,
        told: Mismatches,
    ) -> None:
        for name in () if allow_missing else self.keys():
            if name not in loaded:
                error = partial(_missing, name, loaded, start, source)
                told.add("missing", brief([name[start:]]), error)
        for name in () if ignore_extra else loaded:
            if name not in self._params:
                error = partial(_unexpected, name, self.keys(), start, source)
                told.add("unexpected", brief([name[start:]]), error)


def _missing(name: str, loaded: Iterable[str], start: int, source: str) -> MXNetError:
    return AssertedError(
        f"Parameter {name[start:]!r} is missing in {source}, which has "
        f"{brief(n[start:] for n in loaded)}; allow_missing=True ignores that"
    )


def _unexpected(name: str, known: Iterable[str], start: int, source: str) -> MXNetError:
    return AssertedError(
        f"Parameter {name[start:]!r} loaded from {source} is not present in ParameterDict"
        f"{candidates(name, known)} (there are {brief(known)}); ignore_extra=True ignores that"
    )


def _named(loaded: Any, filename: str) -> Mapping[str, NDArray]:
    if isinstance(loaded, Mapping):
        return loaded
    if loaded:
        raise ArgumentError(f"load: the arrays in file {filename!r} have no names")
    return {}


def _plain(name: str) -> str:
    """A name as Module and `export` write it, without what it is a name of."""
    return name[4:] if name.startswith(("arg:", "aux:")) else name


def _check_same_constant(found: Constant, value: Any) -> None:
    value = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
    have = found.value.asnumpy()
    if value.shape != have.shape or not (value == have).all():
        raise AssertedError(f"get_constant: {found.name!r} was made with another value")
