"""A home of their own for kernels: they keep their history there."""

import pytest


def kernel_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kernels find no settings of whoever runs the tests, and leave nothing there."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    for name in ("JUPYTER_PATH", "IPYTHONDIR", "JUPYTER_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
