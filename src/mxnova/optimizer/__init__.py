# SPDX-License-Identifier: Apache-2.0
"""Optimizers, the registry that makes them by name, and what keeps their states."""

from ..core.base.doors import facade
from ..ndarray import abs as NDabs
from . import contrib, optimizer
from .optimizer import (
    DCASGD,
    FTML,
    LAMB,
    LANS,
    LARS,
    LBSGD,
    NAG,
    SGD,
    SGLD,
    AdaBelief,
    AdaDelta,
    AdaGrad,
    Adam,
    Adamax,
    AdamW,
    Ftrl,
    Nadam,
    Optimizer,
    RMSProp,
    Signum,
    Test,
    Updater,
    ccSGD,
    create,
    get_updater,
    register,
)
from .states import load_states

__all__ = [
    "DCASGD",
    "FTML",
    "LAMB",
    "LANS",
    "LARS",
    "LBSGD",
    "NAG",
    "SGD",
    "SGLD",
    "AdaBelief",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "NDabs",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "Signum",
    "Test",
    "Updater",
    "ccSGD",
    "contrib",
    "create",
    "get_updater",
    "load_states",
    "optimizer",
    "register",
]


facade(__name__)
