"""The caption above a drawn tree: which state it is, the step that led to it, and the step's coins."""

from collections.abc import Mapping
from typing import Any

STEPS = {"splits": "split", "merges": "merge", "moves": "move"}


def heading(facts: Mapping[str, Any]) -> str:
    """Such as "Figure 3, state A"."""
    return f"{facts['figure']}, {'state ' if len(facts['state']) == 1 else ''}{facts['state']}"


def caption(facts: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """The step from the state before, with its rebalancing and coins; for a first state, the result of `query`."""
    step = facts["step"]
    if step is None or before is None:
        return f"the whole window: {facts['answer']}"
    changes = [_operation(entries(before), entries(facts)), *_rebalancing(step), *_height(before, facts)]
    coins = f"refunded {step['refunded']}" if step["refunded"] else f"billed {step['billed']}"
    step_names = before["state"], facts["state"]
    name = f"Step {''.join(step_names)}, " if max(map(len, step_names)) == 1 else ""
    return f"{name}{', '.join(changes)}. Spent {step['spent']}, {coins}."


def entries(facts: Mapping[str, Any]) -> dict[int, str]:
    """All entries of a state's tree: values by time."""
    return {time: value for node in facts["nodes"] for time, value in zip(node["times"], node["values"])}


def _operation(old: Mapping[int, str], new: Mapping[int, str]) -> str:
    """The operation in words; inserting the youngest entry and evicting the oldest are in order."""
    if added := set(new) - set(old):
        time = added.pop()
        return f"{'in-order' if time == max(new) else 'out-of-order'} insert {time}:{new[time]}"
    if not (gone := set(old) - set(new)):
        combined = [f"{time}:{new[time]}" for time in new if new[time] != old[time]]
        return f"insert at a time that is there: {', '.join(combined) or 'the same'}"
    time = gone.pop()
    return f"{'in-order' if time == min(old) else 'out-of-order'} evict {time}:{old[time]}"


def _rebalancing(step: Mapping[str, Any]) -> list[str]:
    counts = [(step[name], word) for name, word in STEPS.items()]
    return [word if count == 1 else f"{count} {word}s" for count, word in counts if count]


def _height(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    change = after["nodes"][0]["level"] - before["nodes"][0]["level"]
    return ["height increase"] if change > 0 else ["height decrease"] if change < 0 else []
