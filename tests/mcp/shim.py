"""What the conformance suite starts for each scenario: hands it to the test, which has the client.

Usage: shim.py SOCKET ADDRESS. Only the standard library: this starts fifty times.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    context = os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")
    wanted = {"url": sys.argv[2], "scenario": scenario, "context": json.loads(context)}
    line.sendall(json.dumps(wanted).encode() + b"\n")
    answer = line.makefile(encoding="utf-8").readline()
if answer.strip() != "done":
    sys.exit(answer)
