"""Compiled code that is linked to more than arithmetic: hashes, and memory whose references are counted.

As JSON, how many such functions came from the cache, and what they give.
"""

import json

import numpy as np

from algorithms.kernel import driver


@driver
def hashed(text):
    return hash(text + "s")


@driver
def reverse(n):
    return np.array([n - i for i in range(n)])


answers = [hashed("window") == hash("windows"), reverse(3).tolist()]
print(json.dumps([hashed.stats.cache_hits.total() + reverse.stats.cache_hits.total(), answers]))
