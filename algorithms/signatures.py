"""What help() and inspect say of a function that passes its last arguments on."""

import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def passes_on(to: Callable[..., Any], without: Collection[str] = ()) -> Callable[[F], F]:
    """Shows the arguments of `to`, but those `without`, as keyword arguments before the last of the function, a **."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        *own, keywords = signature.parameters.values()
        known = {*signature.parameters, *without}
        extra = [p for p in inspect.signature(to).parameters.values() if p.name not in known]
        extra = [p.replace(kind=p.KEYWORD_ONLY) for p in extra if p.kind != p.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *extra, keywords])  # type: ignore[attr-defined]
        return function

    return decorate
