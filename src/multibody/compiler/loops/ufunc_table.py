"""What the inner loop of a universal function knows about a compiled function: a list of integers."""

from __future__ import annotations

PORTS, INPUTS, HOISTED, PREPARE, CALL, LANE_HOISTED, WORKSPACE, LANE_PREPARE, BATCH = range(9)
"""Numbers of ports and of inputs; sizes of memory, in doubles, and addresses of functions: first for one state, then
for several. The address of the batch is 0 as long as there is no code for several states."""

TABLE = 9
"""Where the fields of the ports begin."""

SIZE, RANK, FIXED, SHAPE = range(4)
"""Fields of a port: its numbers and dimensions, whether it is fixed, and where in the list its shape begins."""

PORT = 4
"""The number of fields of a port."""
