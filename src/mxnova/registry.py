# SPDX-License-Identifier: Apache-2.0
"""Registries of classes by name: what makes an optimizer out of 'sgd'."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .core.base.doors import door, facade
from .core.base.errors import AssertedError, candidates, shown
from .core.base.user_warnings import warn_user

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_REGISTRY: dict[type, dict[str, type]] = {}  # base class -> lower-case name -> class


def get_registry(base_class: type) -> dict[str, type]:
    """Return a copy of the registry of `base_class`: classes by lower-case name."""
    return dict(_REGISTRY.get(base_class, {}))


def get_register_func(base_class: type, nickname: str) -> Callable[..., type]:
    """The function that registers classes derived from `base_class`.

    Args:
        base_class: what the classes derive from.
        nickname: what such a class is called in messages.

    Returns:
        ``register(klass, name=None)``, also a decorator; `name` is that of the class by default.
    """
    registry = _REGISTRY.setdefault(base_class, {})

    def register(klass: type, name: str | None = None) -> type:
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            expected = f"must be a class derived from {base_class.__name__}"
            raise AssertedError(f"register: klass={shown(klass)}: {expected}")
        key = (klass.__name__ if name is None else str(name)).lower()
        if key in registry:
            text = f"{nickname} {key!r} is now {_place(klass)}, no longer {_place(registry[key])}"
            warn_user(text, UserWarning)
        registry[key] = klass
        return klass

    register.__doc__ = f"""Registers a class of {nickname}, under its own name or another.

Args:
    klass: the class.
    name: to register it under; None: that of the class."""
    return register


def _place(klass: type) -> str:
    return f"{klass.__module__}.{klass.__qualname__}"


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """The function that makes decorators: ``alias(*names)`` registers a class under each name.

    Args:
        base_class: what the classes derive from.
        nickname: what such a class is called in messages.
    """
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[type], type]:
        def reg(klass: type) -> type:
            for name in aliases:
                register(klass, name)
            return klass

        return reg

    alias.__doc__ = f"""Decorates a class of {nickname} with further names to register it under.

Args:
    *aliases: the names."""
    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """The function that makes instances from names or descriptions.

    Args:
        base_class: what the classes derive from.
        nickname: what such a class is called in messages, and the key of its name.

    Returns:
        ``create(what, *args, **kwargs)`` where `what`, which may also be given by keyword
        `nickname`, is an instance (returned as it is), a registered name, JSON text
        ``["name", {...}]`` or ``{nickname: "name", ...}``, or a dictionary of the latter form.
    """
    registry = _REGISTRY.setdefault(base_class, {})

    def create(*args: Any, **kwargs: Any) -> Any:
        what, args = (args[0], args[1:]) if args else (kwargs.pop(nickname, None), ())
        if isinstance(what, (base_class, dict)) or _is_json(what):
            if args or kwargs:
                reason = "is complete in itself: further arguments have no meaning"
                raise AssertedError(f"create: {nickname}={shown(what)}: {reason}")
            if isinstance(what, base_class):
                return what
            what, kwargs = _described(what, nickname)
        if not isinstance(what, str):
            expected = f"must be a name, JSON text or an instance of {base_class.__name__}"
            raise AssertedError(f"create: {nickname}={shown(what)}: {expected}")
        if what.lower() not in registry:
            hint = candidates(what, registry) or f" (known: {', '.join(sorted(registry))})"
            raise AssertedError(f"create: no {nickname} is registered as {what!r}{hint}")
        return registry[what.lower()](*args, **kwargs)

    create = door(create)
    create.__doc__ = f"Makes an instance of {nickname} from its name or its JSON description."
    return create


def _is_json(what: Any) -> bool:
    return isinstance(what, str) and what.startswith(("[", "{"))


def _described(what: str | dict[str, Any], nickname: str) -> tuple[Any, dict[str, Any]]:
    """The name and the arguments in a description."""
    try:
        form = json.loads(what) if isinstance(what, str) else dict(what)
    except (ValueError, RecursionError) as error:
        raise AssertedError(f"create: {nickname}={shown(what)}: no JSON: {error}") from None
    if isinstance(form, dict) and nickname in form:
        return form.pop(nickname), form
    if isinstance(form, list) and len(form) == 2 and isinstance(form[1], dict):
        return form[0], form[1]
    expected = f'must be ["name", {{...}}] or {{"{nickname}": "name", ...}}'
    raise AssertedError(f"create: {nickname}={shown(what)}: {expected}")


facade(__name__)
