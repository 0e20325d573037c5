"""Classes around a user's own functions, made while a process runs, since compiled code picks implementations by class.

No module has such a class, so drivers compiled for it must not go to Numba's cache on disk. Numba would keep the class
by value in the index of every driver, never find it again in a later process (one more dead entry and file a run), and
fail where one of the functions cannot be pickled. Hence `cached = False`, which `disk_cache` heeds. It keeps code for
a class that says in `content` what it is: a text that another class has only if it is the same.

Nor would pickle find it. Its instances are pickled with a random key of the class and its ingredients, from which
another process makes it, once: so they can be pickled if the functions can be.
"""

import itertools
import uuid
from collections.abc import Callable
from typing import Any

SERIAL = itertools.count(1)

CLASSES: dict[str, Any] = {}
"""Those of this process, by their keys."""


def new_class(make: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """make(name, *arguments), a NamedTuple around functions among the arguments: a class of its own at every call."""
    return class_of(uuid.uuid4().hex, make, name, *arguments)


def class_of(key: str, make: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """The class of that key, which is made if this process has none."""
    if key not in CLASSES:
        cls = CLASSES[key] = make(name, *arguments)
        # Numba names machine code after the class: with equal names the second would run the first one's code.
        label = getattr(cls, "content", None) or next(SERIAL)
        cls.__name__ = cls.__qualname__ = f"{name if name.isidentifier() else 'mine'}_{label}"
        cls.cached = False
        cls.__reduce__ = lambda fields: (_instance, (key, make, name, arguments, tuple(fields)))
    return CLASSES[key]


def _instance(
    key: str, make: Callable[..., Any], name: str, arguments: tuple[Any, ...], fields: tuple[Any, ...]
) -> Any:
    return class_of(key, make, name, *arguments)(*fields)
