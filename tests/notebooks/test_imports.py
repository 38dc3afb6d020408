"""Most starts of Recto need no kernel: what talks to kernels is loaded with the first."""

import subprocess
import sys

KERNELS = {"zmq", "jupyter_client", "tornado", "recto.notebooks.kernels.kernels"}


def test_what_talks_to_kernels_is_not_loaded_before_the_first() -> None:
    program = "import sys, recto.app.services; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert KERNELS & set(told.stdout.decode().split()) == set()
