"""One of the made-up servers, over stdio and without the SDK. Usage: program.py NAME."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.catalog import tools_of

LISTS: dict[str, Any] = {"ttlMs": 0, "cacheScope": "private"}
RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        **LISTS,
    },
    "tools/list": {"tools": tools_of(sys.argv[1]), **LISTS},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") in RESULTS:
        result = {"resultType": "complete", **RESULTS[asked["method"]]}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
