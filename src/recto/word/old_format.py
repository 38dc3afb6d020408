"""Documents of Word before 2007: LibreOffice makes .odt of them, held to one private folder.

Pandoc has no reader for them. LibreOffice gets no network and no file but its own and those of the
folder; it runs no macro, and where the system can't hold it so, it is not asked.
"""

import os
import stat
import tempfile
from hashlib import md5
from pathlib import Path

import anyio
import anyio.to_thread

from recto.processes import ProgramMissing, can_confine, confined, find_program, held_reads, run
from recto.word.failures import NotReadable

DEADLINE_S = 120.0
MAX_MADE = 200_000_000
DAMAGED = "LibreOffice can't read it; it is damaged, or no such document"
OWN_FILES = (
    "/etc/libreoffice", "/etc/fonts", "/etc/passwd", "/etc/nsswitch.conf", "/usr/share/fontconfig",
    "/usr/share/libreoffice", "/var/cache/fontconfig", "/var/lib/libreoffice",
    "/var/spool/libreoffice",
)  # fmt: skip
"""What it looks at beside its own folder: settings of the system, and nobody's documents."""
SOCKETS = "/tmp"  # where LibreOffice puts the socket by which it knows itself again
STREAM = "WordDocument".encode("utf-16-le")
"""The name of the part with the text, in every such document."""
MADE_PROFILE = 81
"""How it ends when it has made its profile, and wants to be started again."""
INSTALL = "install LibreOffice (libreoffice-writer), or save it as .docx in Word"


async def as_odt(data: bytes) -> bytes:
    """The document as .odt. Raises NotReadable."""
    try:
        program = await anyio.to_thread.run_sync(find_office)
    except ProgramMissing as error:
        raise NotReadable(
            f"the format of Word before 2007 has no reader here; {INSTALL}"
        ) from error
    if STREAM not in data:
        # LibreOffice would show an empty page.
        raise NotReadable("it is no document of Word before 2007, or it is damaged")
    if not await can_confine():
        raise NotReadable(
            "LibreOffice can't be held to the document on this system; save it as .docx in Word"
        )
    with tempfile.TemporaryDirectory(prefix="recto-office-") as place:
        folder = await anyio.Path(place).resolve()
        return await converted(program, Path(folder), data)


async def converted(program: Path, folder: Path, data: bytes) -> bytes:
    """What LibreOffice makes of a document in its private folder."""
    await anyio.Path(folder / "document.doc").write_bytes(data)
    argv = command(program, folder)
    env = {"HOME": str(folder), "TMPDIR": str(folder)}
    try:
        for _ in range(2):
            try:
                ended = await run(
                    argv, cwd=str(folder), env=env, timeout_s=DEADLINE_S, max_bytes=10_000
                )
            finally:
                await anyio.Path(socket_of(folder)).unlink(missing_ok=True)
            if ended.code != MADE_PROFILE:
                break
        return await anyio.to_thread.run_sync(read_made, folder / "document.odt")
    except FileNotFoundError as error:
        raise NotReadable(DAMAGED) from error


def read_made(path: Path) -> bytes:
    """What was made: a plain file, whatever a hostile document had LibreOffice put there.

    A link would lead to files that only Recto can read. Raises NotReadable, FileNotFoundError.
    """
    if path.is_symlink():
        raise NotReadable(DAMAGED)
    # A pipe would be waited for, for ever.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_MADE:
            raise NotReadable(DAMAGED)
        with os.fdopen(fd, "rb", closefd=False) as made:
            return made.read(MAX_MADE)
    finally:
        os.close(fd)


def command(program: Path, folder: Path) -> list[str]:
    """LibreOffice without a window, held to a folder."""
    argv = [
        str(program), "--headless", "--norestore", f"-env:UserInstallation={profile_of(folder)}",
        f"-env:UNO_SHARED_PACKAGES_CACHE=file://{folder}/shared",
        f"-env:BUNDLED_EXTENSIONS=file://{folder}/bundled", "--infilter=MS Word 97", "--convert-to",
        "odt:writer8",
        "--outdir", str(folder), str(folder / "document.doc"),
    ]  # fmt: skip
    return confined(
        argv,
        file=str(folder / "rights.json"),
        reads=[*held_reads(argv[0]), str(program.parent.parent), *OWN_FILES],
        writes=[str(folder)],
        allow_network=False,
        listens=True,
        sockets=[SOCKETS],
    )


def find_office() -> Path:
    """The program itself, which the script of its name would start. Raises ProgramMissing."""
    found = Path(find_program("soffice")).resolve().parent / "soffice.bin"
    if not found.exists():
        raise ProgramMissing("soffice")
    return found


def profile_of(folder: Path) -> str:
    """The address of the profile that it makes."""
    return f"file://{folder}/profile"


def socket_of(folder: Path) -> str:
    """Where its socket is: it can make one there, and not take it away."""
    made = md5(profile_of(folder).encode("utf-16-le"), usedforsecurity=False).digest()
    name = "".join(f"{byte:x}" for byte in made)  # each byte as it comes, without its zero
    return f"{SOCKETS}/OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{name}"
