"""Run the command in the arguments; write its wall time, CPU time (s) and peak memory (KiB) to the file named first.

A process of its own, and a small one: Linux counts the memory of the process that forks as the child's, until it execs.
"""

import os
import sys
import time

start = time.perf_counter()
child = os.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
elapsed = time.perf_counter() - start
with open(sys.argv[1], "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib would make this process larger
    file.write(f"{elapsed} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))
