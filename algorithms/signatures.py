"""What help() and inspect show for a function that passes its last arguments on."""

import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def passes_on(to: Callable[..., Any], without: Collection[str] = ()) -> Callable[[F], F]:
    """Shows the arguments of `to`, except `without`, as keyword arguments of the function, before its last, a **."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        hidden = {*signature.parameters, *without}
        passed = [p for p in inspect.signature(to).parameters.values() if p.name not in hidden]
        passed = [p.replace(kind=p.KEYWORD_ONLY) for p in passed if p.kind != p.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *passed, rest])  # type: ignore[attr-defined]
        return function

    return decorate
