"""Which window for these data: `advise` looks at them, times the windows that may be the fastest, and names one."""

from algorithms.advice.advise import Advice, advise

__all__ = ["Advice", "advise"]
