"""Which kernels there are: those of the machine, Recto's own, and the one in the folder's .venv."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jupyter_client.kernelspec import KernelSpecManager

from recto.notebooks.failures import NoSuchKernel

FOLDER_KERNEL = ".venv"
GENERIC = ("", "python3", "python")
"""Names that mean any Python: the folder's own is the best of them."""
BARE_PYTHONS = ("python", "python3", f"python3.{sys.version_info.minor}")
LAUNCHER = ("-m", "ipykernel_launcher", "-f", "{connection_file}")
# One way in three Pythons: what a folder's environment has is looked up, nothing of it is run.
INSTALLED = ("lib/python3*/site-packages/ipykernel_launcher.py", "Lib/site-packages/ipykernel*.py")


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """A kernel that can be started, or why it can't."""

    name: str
    title: str
    language: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    takes_messages: bool
    """Whether it is interrupted by a message instead of a signal."""
    problem: str = ""
    encrypts: bool = False
    """Whether it can encrypt what it says (CurveZMQ)."""


def find_kernels(folder: str) -> tuple[KernelSpec, ...]:
    """Every kernel that can be chosen in a folder, its own first."""
    specs = cast(dict[str, Any], cast(Any, KernelSpecManager()).get_all_specs())
    own = folder_kernel(folder)
    machine = [spec_of(name, found["spec"]) for name, found in sorted(specs.items())]
    return (*([own] if own else []), *machine)


def choose_kernel(folder: str, wanted: str, *, is_asked: bool) -> KernelSpec:
    """The kernel for a notebook that names one, or for somebody who asks for it.

    Raises NoSuchKernel.
    """
    found = {spec.name: spec for spec in find_kernels(folder)}
    own = found.get(FOLDER_KERNEL)
    if wanted in GENERIC and not is_asked and own is not None and not own.problem:
        return own
    spec = found.get(wanted or "python3")
    if spec is None:
        names = ", ".join(found) or "none"
        message = f"There is no kernel {wanted} on this computer."
        raise NoSuchKernel(message, f"Install it, or choose one of these: {names}.")
    if spec.problem:
        raise NoSuchKernel(f"The kernel {spec.name} can't be started.", spec.problem)
    return spec


def folder_kernel(folder: str) -> KernelSpec | None:
    """The Python of the folder's own environment; None when it has none."""
    environment = Path(folder, FOLDER_KERNEL)
    python = environment / "bin" / "python"
    if not python.exists():
        return None
    installed = any(next(environment.glob(pattern), None) for pattern in INSTALLED)
    return KernelSpec(
        name=FOLDER_KERNEL,
        title="Python of this folder (.venv)",
        language="python",
        argv=(str(python), *LAUNCHER),
        env={"VIRTUAL_ENV": str(environment)},
        takes_messages=False,
        problem="" if installed else missing_kernel(environment),
    )


def missing_kernel(environment: Path) -> str:
    """What to do about an environment without ipykernel; one that uv has made has no pip."""
    has_pip = next(environment.glob("lib/python3*/site-packages/pip"), None) is not None
    install = f"{FOLDER_KERNEL}/bin/python -m pip install" if has_pip else "uv pip install"
    return f"Install ipykernel in the folder's .venv: {install} ipykernel"


def program(argv: Sequence[str]) -> tuple[str, ...]:
    """A kernelspec's command. A bare Python in it means the one that runs this."""
    own = argv and argv[0] in BARE_PYTHONS
    return (sys.executable, *argv[1:]) if own else tuple(argv)


def spec_of(name: str, spec: Mapping[str, Any]) -> KernelSpec:
    """A kernelspec of the machine."""
    return KernelSpec(
        name=name,
        title=str(spec.get("display_name") or name),
        language=str(spec.get("language") or ""),
        argv=program([str(part) for part in cast(Sequence[Any], spec.get("argv") or ())]),
        env={str(key): str(value) for key, value in dict(spec.get("env") or {}).items()},
        takes_messages=spec.get("interrupt_mode") == "message",
        problem="" if spec.get("argv") else "Its kernelspec names no program.",
        encrypts=declares_curve(spec.get("metadata")),
    )


def declares_curve(metadata: Any) -> bool:
    """Whether a kernelspec says that its kernel knows CurveZMQ: by a name, or a list of names."""
    if not isinstance(metadata, dict):
        return False
    said = cast(dict[str, Any], metadata).get("supported_encryption")
    names = cast(list[Any], said) if isinstance(said, list) else [said]
    return any(str(name).strip().casefold() == "curve" for name in names)
