"""Random streams and queries from a seed, run in the life that the environment says; prints all results as JSON.

python program.py SEED PROGRAMS SLICING/STORE ...
"""

import json
import random
import sys

from tests.algorithms.streams.shared.by_definition import Records, answers, run, shared


def queries_of(chance: random.Random, slicing: str) -> list[tuple]:
    """One to three queries that the slicer can serve."""
    some = [
        (
            "sliding",
            chance.randint(1, 15),
            chance.randint(1, 15),
            chance.choice(["count", "time"]),
            chance.randint(0, 9),
        )
        for _ in range(3)
    ]
    if slicing not in ("panes", "pairs"):
        some += [("session", chance.randint(0, 9)), ("punctuation", "mark"), ("delta", 0.5, "mark")]
        some += [("last_records", chance.randint(1, 12), chance.randint(1, 20))]
    return chance.sample(some, 1 if slicing == "panes" else chance.randint(1, 3))


def records_of(chance: random.Random) -> Records:
    time, times = 0, []
    for _ in range(chance.randint(0, 60)):
        time += chance.choice([0, 1, 1, 2, 12])
        times.append(time)
    return Records(times, [int(chance.random() < 0.2) for _ in times])


def main(seed: str, programs: str, *choices: str) -> list:
    """The results, which are also held against what they must be."""
    found = []
    for choice in choices:
        slicing, store = choice.split("/")
        chance = random.Random(f"{seed} {choice}")
        for _ in range(int(programs)):
            wanted, records = queries_of(chance, slicing), records_of(chance)
            s = shared(wanted, slicing, store)
            results = run(s, records, sorted(chance.sample(range(len(records.time) + 1), 1)))
            assert results == answers(wanted, records), (choice, wanted, records)
            s.check()
            found.append([results, s.counts, s.partials])
    return found


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
