"""Passwords and tokens out of what is shown or kept: the URLs of stores and masters, settings named as secret."""

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "***"

IN_ADDRESS = re.compile(r"//([^/@:\s]*):\S*@")
"""USER:PASSWORD before the host of a URL."""

AS_PARAMETER = re.compile(r"([?&;](?:password|token|secret|key)=)[^&;\s'\"]*", re.IGNORECASE)
"""As Redis (?password=...) and Spark Connect (;token=...) take them."""

SECRET = re.compile(r"secret|passw(or)?d|token|credential|access[._]?key|private[._]?key", re.IGNORECASE)
"""Names of settings and variables whose values are secret; those that Spark hides in its own pages are among them."""


def without_secrets(text: str) -> str:
    """A text with the passwords and tokens of its URLs hidden."""
    return AS_PARAMETER.sub(rf"\1{HIDDEN}", IN_ADDRESS.sub(rf"//\1:{HIDDEN}@", text))


def with_secrets_hidden(value: Any) -> Any:
    """A configuration with the values of settings named as secret hidden, and `without_secrets` of all texts."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {
            name: HIDDEN if isinstance(inner, str) and SECRET.search(str(name)) else with_secrets_hidden(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [with_secrets_hidden(inner) for inner in value]
    return value
