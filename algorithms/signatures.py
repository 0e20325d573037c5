"""What help() and inspect say of a function that passes its last arguments on."""

import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def passes_on(to: Callable[..., Any], without: Collection[str] = ()) -> Callable[[F], F]:
    """Shows the arguments of `to`, but those `without`, as keyword arguments before the last of the function, a **."""

    def shown(function: F) -> F:
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        known = {*signature.parameters, *without}
        more = [one for one in inspect.signature(to).parameters.values() if one.name not in known]
        more = [one.replace(kind=one.KEYWORD_ONLY) for one in more if one.kind != one.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *more, rest])  # type: ignore[attr-defined]
        return function

    return shown
