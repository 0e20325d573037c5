"""A_C twice, from the paper's text alone: results by Definition 1, and Algorithm 1 line by line on dictionaries."""

import itertools

MODULUS = 2**31 - 1


def stops(tuples: list) -> int:
    """Stretches of reports without speed."""
    return sum(still for still, _ in itertools.groupby(value == 0 for _, value in tuples))


def affine(tuples: list) -> int:
    """The image of 1 under the maps of the operator `affine`, the oldest applied first: not commutative, and exact."""
    x = 1
    for _, v in tuples:
        x = ((1 + v % (MODULUS - 1)) * x + v * v) % MODULUS
    return x


def results(stream: list, WA: int, WS: int, f_O, start: int | None = 0, now: int | None = None) -> list:
    """(time, key, result) of every epoch and key with a tuple in it, of epochs that end by `now`; sorted.

    `stream` has (time, key, value) in timestamp order.
    """
    found: dict = {}
    for time, key, value in stream:
        first = -(-(time - WS + 1 - (start or 0)) // WA)  # the least l with start + l WA + WS > time
        for n in itertools.count(first if start is None else max(first, 0)):
            left = (start or 0) + n * WA
            if left > time:
                break
            if now is None or left + WS <= now:
                found.setdefault((left + WS - 1, key), []).append((time, value))
    return sorted((time, key, f_O(tuples)) for (time, key), tuples in found.items())


class Algorithm1:
    """Algorithm 1 on dictionaries, with the corrections that algorithms/streams/compressed/algorithm.py lists."""

    def __init__(self, WA: int, WS: int, D: float, f_O):
        self.WA, self.WS, self.D, self.f_O = WA, WS, D, f_O
        self.uncomp, self.comp, self.e_l = {}, {}, None
        self.tau_K, self.k_tau = {}, {}
        self.compressions = self.decompressions = 0
        self.forwarded = []

    def compress(self, window):
        self.compressions += 1
        return tuple(window)

    def decompress(self, window):
        self.decompressions += 1
        return list(window)

    def put_out(self, k, window):
        self.forwarded.append((self.e_l + self.WS - 1, k, self.f_O(window)))
        return [t for t in window if t[0] >= self.e_l + self.WA]

    def process(self, time, k, value):
        while (self.uncomp or self.comp) and self.e_l + self.WS <= time:  # L11
            for key in list(self.uncomp):
                self.uncomp[key] = self.put_out(key, self.uncomp[key])
                if not self.uncomp[key]:
                    del self.uncomp[key]
                    self.forget(key)
            for key in list(self.comp):
                window = self.put_out(key, self.decompress(self.comp[key]))
                if window:
                    self.comp[key] = self.compress(window)
                else:
                    del self.comp[key]
            self.e_l += self.WA
        if not self.uncomp and not self.comp:
            self.e_l = -(-(time - self.WS + 1) // self.WA) * self.WA  # L7
        if k in self.comp:  # L28
            self.uncomp[k] = self.decompress(self.comp.pop(k))
        self.uncomp.setdefault(k, []).append((time, value))
        self.forget(k)
        self.k_tau[k] = time
        self.tau_K.setdefault(time, []).append(k)
        for tau in sorted(self.tau_K):  # L34
            if time - tau < self.D:
                break
            for key in list(self.tau_K[tau]):
                self.comp[key] = self.compress(self.uncomp.pop(key))
                self.forget(key)

    def forget(self, k):
        if k in self.k_tau:
            tau = self.k_tau.pop(k)
            self.tau_K[tau].remove(k)
            if not self.tau_K[tau]:
                del self.tau_K[tau]
