# SPDX-License-Identifier: Apache-2.0
"""SequentialModule: modules in a row, each with the outputs of the one before as its data."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..core.base.doors import facade
from ..core.base.errors import AssertedError, candidates
from ..io import DataBatch, DataDesc
from ..io.batch import described
from .base_module import BaseModule
from .steps import SGD, UNIFORM, Params

__all__ = ["SequentialModule"]

NDArray = nd.NDArray


class SequentialModule(BaseModule):
    """Modules in a row, each with the outputs of the one before as its data.

    Args:
        logger: what tells of progress.

    Example:
        >>> modules = mx.mod.SequentialModule()
        >>> _ = modules.add(mx.mod.Module(mx.sym.var("data") * 2, label_names=None))
        >>> modules.bind([("data", (4, 3))], for_training=False)
        >>> [shape for name, shape in modules.output_shapes]
        [(4, 3)]
    """

    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._modules: list[BaseModule] = []
        self._metas: list[dict[str, Any]] = []
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._meta_keys = {self.META_TAKE_LABELS, self.META_AUTO_WIRING}

    def add(self, module: BaseModule, **kwargs: Any) -> SequentialModule:
        """Adds a module at the end; everything must be bound and initialized again then.

        Args:
            module: the module.
            kwargs: ``take_labels=True`` gives it the labels; ``auto_wiring=True`` gives the outputs
                of the one before the names of its data, in order.

        Returns:
            Itself.
        """
        unknown = next((key for key in kwargs if key not in self._meta_keys), None)
        if unknown is not None:
            hint = candidates(unknown, self._meta_keys)
            text = f"there are {', '.join(sorted(self._meta_keys))}, not {unknown!r}{hint}"
            raise AssertedError(f"SequentialModule.add: {text}")
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    def _with_metas(self) -> Iterator[tuple[BaseModule, dict[str, Any]]]:
        return zip(self._modules, self._metas, strict=True)

    def _takes_labels(self) -> Iterator[BaseModule]:
        return (m for m, meta in self._with_metas() if meta.get(self.META_TAKE_LABELS))

    # What it is ----------------------------------------------------------------------------------

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the first module's data."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> Sequence[str]:
        """Names of the last module's outputs."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the first module's data."""
        self._require("data_shapes", "binded")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels, None where no module takes them."""
        self._require("label_shapes", "binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the last module's outputs."""
        self._require("output_shapes", "binded")
        return self._modules[-1].output_shapes

    # Parameters ----------------------------------------------------------------------------------

    def get_params(self) -> tuple[Params, Params]:
        """Parameters and auxiliary states of all modules, by name."""
        self._require("get_params", "binded", "params_initialized")
        arg_params: Params = {}
        aux_params: Params = {}
        for module in self._modules:
            own = module.get_params()
            arg_params.update(own[0])
            aux_params.update(own[1])
        return arg_params, aux_params

    def init_params(
        self,
        initializer: Any = UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters of all modules; see `Module.init_params`.

        Raises:
            AssertedError: two modules have parameters of one name.
        """
        if self.params_initialized and not force_init:
            return
        self._require("init_params", "binded")
        for module in self._modules:
            module.init_params(
                initializer=initializer,
                arg_params=arg_params,
                aux_params=aux_params,
                allow_missing=allow_missing,
                force_init=force_init,
                allow_extra=allow_extra,
            )
        self._check_names()
        self.params_initialized = True

    def _check_names(self) -> None:
        owners: dict[str, int] = {}
        for i, module in enumerate(self._modules):
            for name in [name for params in module.get_params() for name in params]:
                if name in owners:
                    text = f"modules {owners[name]} and {i} both have a parameter {name!r}"
                    raise AssertedError(f"SequentialModule.init_params: {text}")
                owners[name] = i

    # Binding -------------------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Binds all modules, each to the shapes of the outputs of the one before.

        Args:
            data_shapes: descriptions of the first module's data.
            label_shapes: descriptions of the labels.
            for_training: whether gradients are computed.
            inputs_need_grad: whether those of the data are, too.
            force_rebind: whether to bind again where it is bound already.
            shared_module: must be None.
            grad_req: as for `Module.bind`, of all modules.
        """
        if self.binded and not force_rebind:
            self.logger.warning("bind: it is bound already; force_rebind=True binds it again")
            return
        if inputs_need_grad and not for_training:
            raise AssertedError("bind: inputs_need_grad=True needs for_training=True")
        if shared_module is not None:
            raise AssertedError("bind: a SequentialModule takes no shared_module")
        if not self._modules:
            raise AssertedError("bind: this SequentialModule has no modules")
        shapes = data_shapes
        for position, (module, meta) in enumerate(self._with_metas()):
            if meta.get(self.META_AUTO_WIRING):
                shapes = _named(module.data_names, shapes)
            module.bind(
                data_shapes=shapes,
                label_shapes=label_shapes if meta.get(self.META_TAKE_LABELS) else None,
                for_training=for_training,
                inputs_need_grad=for_training and (inputs_need_grad or position > 0),
                force_rebind=force_rebind,
                shared_module=None,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes = data_shapes
        self._label_shapes = label_shapes if any(self._takes_labels()) else None
        self.binded = True

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        force_init: bool = False,
    ) -> None:
        """Create the optimizer of each module; see `Module.init_optimizer`."""
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("init_optimizer: there is one; force_init=True makes another")
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init=force_init)
        self.optimizer_initialized = True

    # Steps ---------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of all modules for a batch.

        Args:
            data_batch: the batch; labels go to the modules that take them.
            is_train: whether as in training; default: what it is bound for.
        """
        self._require("forward", "binded", "params_initialized")
        batch = data_batch
        for position, module in enumerate(self._modules):
            if position:
                batch = self._handed_on(data_batch, self._modules[position - 1], module)
            module.forward(batch, is_train=is_train)

    @staticmethod
    def _handed_on(batch: Any, before: BaseModule, module: BaseModule) -> DataBatch:
        """The batch of a module: outputs of the one before, and everything else of `batch`."""
        outputs = before.get_outputs()
        shapes = [(name, array.shape) for name, array in zip(module.data_names, outputs)]  # noqa: B905
        return DataBatch(
            outputs,
            getattr(batch, "label", None),
            getattr(batch, "pad", None),
            getattr(batch, "index", None),
            provide_data=shapes,
            provide_label=getattr(batch, "provide_label", None),
        )

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients of all modules, the last one's first.

        Args:
            out_grads: gradients of the outputs; none where the outputs are losses.
        """
        self._require("backward", "binded", "params_initialized")
        for position in reversed(range(len(self._modules))):
            module = self._modules[position]
            module.backward(out_grads=out_grads)
            if position:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Updates the parameters of all modules."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Outputs of the last module; for each a list of the devices', unless they are merged."""
        self._require("get_outputs", "binded", "params_initialized")
        return self._modules[-1].get_outputs(merge_multi_context=merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the first module's data, as `get_outputs` gives outputs."""
        self._require("get_input_grads", "binded", "params_initialized", "inputs_need_grad")
        return self._modules[0].get_input_grads(merge_multi_context=merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels and the outputs of each module that takes labels."""
        self._require("update_metric", "binded", "params_initialized")
        for module in self._takes_labels():
            module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Has a `Monitor` watch all modules."""
        self._require("install_monitor", "binded")
        for module in self._modules:
            module.install_monitor(mon)


def _named(names: Sequence[str], shapes: Sequence[Any]) -> list[DataDesc]:
    """Descriptions under other names."""
    if len(names) != len(shapes):
        given = [desc[0] for desc in shapes]
        text = f"auto_wiring: a module takes {list(names)}, the one before gives {given}"
        raise AssertedError(f"bind: {text}")
    pairs = zip(names, map(described, shapes), strict=True)
    return [DataDesc(name, desc.shape, desc.dtype, desc.layout) for name, desc in pairs]


facade(__name__)
