"""Kernels that the user keeps: written down, so that Recto finds them again after a restart."""

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from recto.notebooks.kernels.channels import KernelWire
from recto.notebooks.kernels.rights import KernelRights
from recto.notebooks.kernels.specs import KernelSpec

log = logging.getLogger(__name__)
NAME_LENGTH = 32
READ_WRITE_BY_OWNER = 0o600


@dataclass(frozen=True, slots=True)
class HeldKernel:
    """All that is needed to go on with a kernel."""

    notebook: str
    spec: KernelSpec
    cwd: str
    folder: str
    key: str
    mark: str
    root: str
    rights: KernelRights
    wire: KernelWire


class HeldKernels:
    """The files of the kernels that are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> tuple[HeldKernel, ...]:
        """Every kernel that was kept. A file that can't be read is left, and said so."""
        found: list[HeldKernel] = []
        for file in sorted(self._folder.glob("*.json")):
            try:
                found.append(held_kernel_of(json.loads(file.read_bytes())))
            except (ValueError, TypeError, KeyError) as error:
                log.warning("the kept kernel of %s can't be found again: %s", file, error)
        return tuple(found)

    def keep(self, kernel: HeldKernel) -> None:
        """Write a kernel down, in a file that only its owner can read: it has the kernel's key."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file(kernel.notebook)
        written = file.with_suffix(".new")
        written.unlink(missing_ok=True)
        fd = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READ_WRITE_BY_OWNER)
        with open(fd, "w", encoding="utf-8") as opened:
            json.dump(asdict(kernel), opened)
        written.replace(file)

    def follow_move(self, notebook: str, new: str) -> None:
        """A notebook has another path now."""
        file = self._file(notebook)
        if file.exists():
            self.keep(replace(held_kernel_of(json.loads(file.read_bytes())), notebook=new))
            file.unlink()

    def forget(self, notebook: str) -> None:
        """A kernel is not kept any more."""
        self._file(notebook).unlink(missing_ok=True)

    def _file(self, notebook: str) -> Path:
        name = hashlib.sha256(notebook.encode()).hexdigest()
        return self._folder / f"{name[:NAME_LENGTH]}.json"


def held_kernel_of(found: Any) -> HeldKernel:
    """A kernel as it was written down. Raises TypeError, KeyError."""
    said = cast(Mapping[str, Any], found)
    spec = cast(Mapping[str, Any], said["spec"])
    return HeldKernel(
        notebook=said["notebook"],
        spec=KernelSpec(
            name=spec["name"],
            title=spec["title"],
            language=spec["language"],
            argv=tuple(spec["argv"]),
            env=spec["env"],
            takes_messages=spec["takes_messages"],
        ),
        cwd=said["cwd"],
        folder=said["folder"],
        key=said["key"],
        mark=said["mark"],
        # Written by a Recto that knew no sandbox for kernels.
        root=said.get("root", said["cwd"]),
        rights=said.get("rights", "own"),
        wire=wire_of(said.get("wire", {})),
    )


def wire_of(said: Mapping[str, Any]) -> KernelWire:
    """How to reach a kernel, as it was written down."""
    keys = (said.get("public_key", ""), said.get("secret_key", ""))
    return KernelWire(tuple(said.get("ports", ())), *keys)
