"""Runs a script and, at its end, tells on file descriptor 3 what it used of the machine: memory at most, processor time.

usage: measured.py SCRIPT [ARGUMENT …]
"""

import json
import os
import re
import resource
import runpy
import sys

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")

usage = resource.getrusage(resource.RUSAGE_SELF)
kilobytes = usage.ru_maxrss
try:
    # First, because ru_maxrss of a new process starts at its parent's.
    with open("/proc/self/status") as status:
        kilobytes = int(re.search(r"VmHWM:\s*(\d+)", status.read()).group(1))
except (OSError, AttributeError):
    pass
told = {"peakBytes": kilobytes * 1024, "cpuMs": (usage.ru_utime + usage.ru_stime) * 1000}
os.write(3, json.dumps(told).encode())
