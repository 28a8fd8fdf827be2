# SPDX-License-Identifier: Apache-2.0
"""Symbol: outputs of a graph of operators, to be composed, inspected, inferred, saved and bound."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...formats.atomic import replacing
from ...formats.symbol_record import USER_KEYS
from ..base.doors import door
from ..base.errors import (
    ArgumentError,
    ArgumentTypeError,
    MXNetError,
    OutOfRangeError,
    UnknownNameError,
    candidates,
    shown,
)
from ..base.handles import handle_of
from ..base.parameter_types import attr_text
from ..base.printable import printable
from ..base.scopes import AttrScope
from ..methods import OperatorMethods
from ..op.dtypes import mx_dtype, torch_dtype
from ..op.schema import Op
from .arithmetic import Arithmetic
from .array_only import ArrayOnly
from .base_symbol import register, single_entry, symbol_of
from .drawing import symbol_html
from .functions import function_of, inputs_of
from .inference_methods import InferenceMethods
from .node import Entry, Node, entry_versions, written_inputs
from .rewrite import rewrite
from .serialize import from_json, listing, to_json

__all__ = ["Group", "Symbol", "Variable", "var"]


@register
class Symbol(Arithmetic, InferenceMethods, OperatorMethods, ArrayOnly):
    """One or more outputs of a graph.

    Args:
        handle: its outputs.
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    __array_ufunc__ = None  # NumPy leaves arithmetic to the symbol, which refuses arrays

    if TYPE_CHECKING:  # `core.exec` adds them: they take arrays
        bind: Callable[..., Any]
        simple_bind: Callable[..., Any]
        eval: Callable[..., Any]
        get_backend_symbol: Callable[..., Symbol]
        optimize_for: Callable[..., Symbol]

    # The graph -----------------------------------------------------------------------------------

    def get_internals(self) -> Symbol:
        """A group of every output of every node."""
        entries = (Entry(n, i) for n in self.nodes for i in range(len(n.output_names())))
        outputs: Symbol = symbol_of(entries, self.semantics)
        return outputs

    def get_children(self) -> Symbol | None:
        """A group of the inputs of its output nodes; None when they are variables."""
        heads = dict.fromkeys(e.node for e in self._entries)
        children = [e for node in heads for e in node.inputs]
        return symbol_of(children, self.semantics) if children else None

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Symbol]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Symbol:
        if isinstance(index, str):
            return self._by_name(index)
        if isinstance(index, slice):
            return Symbol(self._entries[index])
        if not isinstance(index, int):
            hint = ""
            if isinstance(index, Symbol):
                hint = (
                    "; contrib.boolean_mask(x, index) selects by a mask, take(x, index) by integers"
                )
            raise ArgumentTypeError(f"Symbol: outputs are numbered, not {shown(index)}{hint}")
        if not 0 <= index < len(self._entries):
            raise OutOfRangeError(f"Symbol: output {index!r} of {len(self._entries)}")
        return Symbol([self._entries[index]])

    def _by_name(self, name: str) -> Symbol:
        names = self.list_outputs()
        found = [i for i, n in enumerate(names) if n == name]
        if len(found) == 1:
            return self[found[0]]
        if found:
            raise ArgumentError(f"Symbol: {len(found)} outputs are named {name!r}")
        raise ArgumentError(f"Symbol: no output is named {name!r}{candidates(name, names)}")

    def __repr__(self) -> str:
        if self.name is not None:
            return f"<Symbol {printable(self.name)}>"
        return f"<Symbol group [{', '.join(printable(e.node.name) for e in self._entries)}]>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a drawing of the graph."""
        return symbol_html(self)

    __hash__ = object.__hash__

    def _apply(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function_of(name)(self, *args, **kwargs)

    def reshape(self, *args: Any, **kwargs: Any) -> Symbol:
        """Operator Reshape; its shape as separate numbers too."""
        if len(args) > 1 and all(isinstance(size, int) for size in args):
            args = (args,)
        result: Symbol = self._apply("Reshape", args, kwargs)
        return result

    def astype(self, *args: Any, **kwargs: Any) -> Symbol:
        """Operator Cast: the elements as type `dtype`."""
        result: Symbol = self._apply("Cast", args, kwargs)
        return result

    def as_nd_ndarray(self) -> Symbol:
        """Itself."""
        return self

    def as_np_ndarray(self) -> Symbol:
        """Return the symbol with NumPy's semantics."""
        same: Symbol = symbol_of(self._entries, "numpy")
        return same

    @property
    def handle(self) -> ctypes.c_void_p:
        """A unique address for the symbol."""
        return handle_of(self)

    def gradient(self, wrt: Sequence[str]) -> Symbol:
        """Refused, as by MXNet: a bound symbol has gradients.

        Raises:
            MXNetError: always.
        """
        raise MXNetError("a symbol of gradients is not to be had: bind it and run backward")

    # Composition ---------------------------------------------------------------------------------

    def __call__(self, *args: Symbol, name: str | None = None, **kwargs: Symbol) -> Symbol:
        """A copy with variables replaced: by position in `list_inputs`, or by name."""
        made = self.__copy__()
        made._compose(*args, name=name, **kwargs)
        return made

    def _compose(self, *args: Symbol, name: str | None = None, **kwargs: Symbol) -> None:
        """Replaces its variables; an operator without inputs yet gets them, and variables."""
        if args and kwargs:
            raise ArgumentTypeError("compose takes symbols by position or by keyword, not both")
        given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        for key, value in given.items():
            if not isinstance(value, Symbol):
                raise ArgumentTypeError(
                    f"compose: {key} must be a Symbol, not {type(value).__name__}"
                )
        if self._is_atomic():
            made = self._with_inputs(name or "", args, kwargs)
        else:
            made = self._replaced(args, kwargs)
            if name and len({e.node for e in made._entries}) == 1:
                made._entries[0].node.name = name
        self._entries, self._nodes = made._entries, None

    def _replaced(self, args: Sequence[Symbol], kwargs: Mapping[str, Symbol]) -> Symbol:
        names = self.list_inputs()
        if len(args) > len(names):
            raise MXNetError(f"compose: {len(args)} symbols for {len(names)} variables")
        replacements = dict(zip(names, args, strict=False)) if args else kwargs
        for key in replacements:
            if key not in names:
                raise UnknownNameError(
                    f"compose: no variable is named {key!r}{candidates(key, names)} "
                    f"(there are {', '.join(names)})"
                )
        return self._rebuilt({k: single_entry(v, k) for k, v in replacements.items()})

    def _gen_atomic_symbol(self) -> Symbol:
        """The operator of its node, with its parameters, without inputs and without a name.

        Raises:
            MXNetError: it is a variable, or a group of several nodes' outputs.
        """
        node = self._entries[0].node
        if node.op is None or self.name is None:
            raise MXNetError(f"_gen_atomic_symbol: {self!r} is not the output of one operator")
        made = Node(node.op, "", dict(node.attrs), (), node.subgraphs)
        return Symbol(Entry(made, i) for i in range(node.op.n_visible()))

    def _is_atomic(self) -> bool:
        """Whether it is an operator that waits for its inputs."""
        node = self._entries[0].node
        return node.op is not None and not node.inputs and bool(node.op.inputs())

    def _with_inputs(
        self, name: str, args: Sequence[Symbol], kwargs: Mapping[str, Symbol]
    ) -> Symbol:
        node = self._entries[0].node
        inputs = inputs_of(cast(Op, node.op), name, node.attrs, args, kwargs)
        made = Node(node.op, name, dict(node.attrs), inputs, node.subgraphs)
        return Symbol(Entry(made, e.output) for e in self._entries)

    def _rebuilt(self, replacements: Mapping[str, Entry]) -> Symbol:
        """A copy of the graph in which variables are `replacements`."""

        def replace(node: Node, inputs: Sequence[Entry]) -> Node | list[Entry]:
            if node.op is None and node.name in replacements:
                return [replacements[node.name]]
            made = node.copy(inputs)
            reads_replaced = any(
                e.node.op is None and e.node.name in replacements for e in node.inputs
            )
            if reads_replaced and any(written_inputs(node)):
                # MXNet counts the writes of these operators once more.
                pairs = zip(versions[node], written_inputs(node), strict=True)
                made.versions = tuple([version + is_written for version, is_written in pairs])
            return made

        versions = entry_versions(self.nodes) if replacements else {}
        return rewrite(self, replace)

    def __copy__(self) -> Symbol:
        return self._rebuilt({})

    def __deepcopy__(self, _: Any) -> Symbol:
        return self._rebuilt({})

    # Attributes ----------------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """Attribute `key` of its node; None when it has none, or is of several nodes.

        Every node has ``name``, ``op_name``, and ``_value_index``: which outputs these are.
        """
        node = self._entries[0].node
        if any(entry.node is not node for entry in self._entries):
            return None
        if key in _FACTS:
            return _FACTS[key](self._entries)
        return _shown_attrs(node).get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Attributes of its node."""
        if recursive:
            raise DeprecationWarning("list_attr(recursive=True) is gone: use attr_dict()")
        return _shown_attrs(self._entries[0].node)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of every node that has some, by the node's name.

        Nodes of one name share an entry; the last one's value of an attribute counts.
        """
        found: dict[str, dict[str, str]] = {}
        for node in self.nodes:
            if node.attrs:
                found.setdefault(node.name, {}).update(_shown_attrs(node))
        return found

    def _set_attr(self, **kwargs: str) -> None:
        _refuse_unless_text(kwargs)
        node = self._entries[0].node
        if any(entry.node is not node for entry in self._entries):
            raise MXNetError(f"_set_attr: {self} is a group: set attributes of its parts")
        node.set_attrs(kwargs)

    # Files ---------------------------------------------------------------------------------------

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The JSON text that MXNet 1.9.1 loads; automatic mixed precision casts left out."""
        return to_json(self, remove_amp_cast)

    def save(self, fname: str, remove_amp_cast: bool = True) -> None:
        """Writes `tojson` to a file, which is replaced only when all is written."""
        text = self.tojson(remove_amp_cast).encode()
        with replacing(fname) as file:
            file.write(text)

    # MXNet pickles symbols in this form.
    def __reduce__(self) -> Any:
        return type(self), (None,), self.__getstate__()

    def __getstate__(self) -> dict[str, str]:
        return {"handle": self.tojson(remove_amp_cast=False)}

    def __setstate__(self, state: dict[str, str]) -> None:
        self._entries, self._nodes = from_json(state["handle"]).entries, None

    def debug_str(self) -> str:
        """A listing of outputs and nodes."""
        return listing(self)


_FACTS: dict[str, Callable[[Sequence[Entry]], str]] = {
    "name": lambda entries: entries[0].node.name,
    "op_name": lambda entries: "null" if (op := entries[0].node.op) is None else op.name,
    "_value_index": lambda entries: ", ".join(str(entry.output) for entry in entries),
}


def _shown_attrs(node: Node) -> dict[str, str]:
    """Attributes as MXNet lists them: the user's keys also without underscores."""
    shown = dict(node.attrs)
    for key in USER_KEYS:
        if f"__{key}__" in shown:
            shown[key] = shown[f"__{key}__"]
    return shown


def _refuse_unless_text(attrs: Mapping[str, Any]) -> None:
    for key, value in attrs.items():
        if not isinstance(value, str):
            raise ArgumentError(f"attribute {key}={shown(value)}: attributes are strings")


# Variables and groups -----------------------------------------------------------------------------


@door
def var(
    name: str,
    attr: dict[str, str] | None = None,
    shape: tuple[int, ...] | None = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """A variable.

    Args:
        name: its name.
        attr: attributes, strings.
        shape: its shape; 0 (legacy) or -1 (NumPy semantics) for unknown sizes.
        lr_mult: multiplier of the learning rate.
        wd_mult: multiplier of the weight decay.
        dtype: its element type.
        init: an Initializer or its JSON text.
        stype: its storage type.
        kwargs: further attributes, named ``__x__``.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a variable's name must be a string, not {type(name).__name__}")
    node = Node(None, name, {})
    given = AttrScope.get_current().get(attr)
    _refuse_unless_text(given)
    node.set_attrs(given)
    node.set_attrs(_variable_attrs(shape, lr_mult, wd_mult, dtype, init, stype))
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            own = ("attr", "shape", "lr_mult", "wd_mult", "dtype", "init", "stype")
            hint = candidates(key, own)
            raise ArgumentError(
                f"variable {name!r}: attribute {key!r} must be named __{key}__{hint}"
            )
        node.attrs[key] = str(value)
    return Symbol([Entry(node, 0)])


Variable = var

_STORAGE_FLAGS = {"default": "0", "row_sparse": "1", "csr": "2"}


def _variable_attrs(
    shape: Any, lr_mult: Any, wd_mult: Any, dtype: Any, init: Any, stype: Any
) -> dict[str, str]:
    attrs = {}
    if shape is not None:
        attrs["__shape__"] = attr_text(tuple(shape) if isinstance(shape, np.ndarray) else shape)
    if lr_mult is not None:
        attrs["__lr_mult__"] = str(lr_mult)
    if wd_mult is not None:
        attrs["__wd_mult__"] = str(wd_mult)
    if dtype is not None:
        attrs["__dtype__"] = str(mx_dtype(torch_dtype(dtype)).flag)
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else _dumped(init)
    if stype is not None:
        if stype not in _STORAGE_FLAGS:
            raise UnknownNameError(f"variable: stype={stype!r}: must be default, csr or row_sparse")
        attrs["__storage_type__"] = _STORAGE_FLAGS[stype]
    return attrs


def _dumped(init: Any) -> str:
    dumps = getattr(init, "dumps", None)
    if not callable(dumps):
        raise ArgumentTypeError(f"variable: init={shown(init)}: must be an Initializer or text")
    return str(dumps())


@door
def Group(  # noqa: N802 - MXNet's name
    symbols: Iterable[Symbol], create_fn: Callable[[Iterable[Entry]], Symbol] = Symbol
) -> Symbol:
    """Group all outputs of `symbols` into one symbol, created by `create_fn`.

    It has NumPy's semantics where all of them have.
    """
    symbols = list(symbols)
    if not symbols or not all(isinstance(s, Symbol) for s in symbols):
        raise ArgumentTypeError("Group takes a non-empty list of symbols")
    entries = (e for s in symbols for e in s._entries)
    if create_fn is Symbol and all(s.semantics == "numpy" for s in symbols):
        group: Symbol = symbol_of(entries, "numpy")
        return group
    return create_fn(entries)
