"""How far the repair of an insertion walks: up from its leaf, and then down a spine."""

from typing import Any

from algorithms.kernel import driver, row
from algorithms.windows.contract import evict, insert, query
from algorithms.windows.out_of_order.rebalance import search
from algorithms.windows.out_of_order.tree import at
from experiments.fiba.measuring.combines import ROUNDS
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import prefill, table_of
from experiments.harness.measuring.rig import Rig, new_window
from workloads import workload


@driver
def walked(w, time, count, serial, values, period):
    """Rounds of a tree: the sum of the answers, and the nodes on all ways up and on all ways down a spine."""
    node, k, total, up, down = w.node, serial % period, 0, 0, 0
    for _ in range(count):
        evict(w)
        y, _, _ = search(w, time)
        while at(node, y).spine == 0 and y != w.tree[0].root:
            y = at(node, y).parent
            up += 1
        if y != w.tree[0].root:
            down += at(node, y).level
        insert(w, time, row(values, k))
        total += query(w)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total, up, down


@measurement("rounds.walks", counted=True)
def walks(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nodes that the repairs of insertions visit down a spine; the facts have those up to it, of a round: `up`.

    What rebalancing repairs besides is left out.
    """
    protocol, w, table = workload(cell.workload_settings), new_window(cell), table_of(cell)
    n, d = protocol.window, protocol.distance

    def rounds(done: int, count: int) -> Any:
        return walked(w, n - d + done, count, n + done, table, len(table))

    rig = Rig(lambda count: prefill(w, count, table, d), n, rounds)
    rig.run(ROUNDS)
    total, up, down = rig.run(ROUNDS)
    return {"value": float(down), "operations": ROUNDS, "checksum": float(total), "facts": {"up": up / ROUNDS}}
