"""Which files the user does not want to see: .gitignore, .ignore, .rectoignore, and secrets.

A name is ignored when .gitignore or .ignore says so (deeper files first, as git and ripgrep do), or
when .rectoignore or the built-in list of secrets says so, in any case of letters. A .rectoignore is
a file of the folder, which may be anybody's: it can keep more back, and take nothing off the list
of secrets. Below an ignored folder everything is ignored.
The folder of Recto's own records, should it lie in here, is kept back like a secret, always.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from recto.workspace.failures import (
    NameRefused,
    NotAFile,
    OutsideWorkspace,
    PathNotFound,
    PathUnreadable,
)
from recto.workspace.files import read_capped
from recto.workspace.jail import Jail
from recto.workspace.names import plain
from recto.workspace.wildmatch import ANYWHERE, NEVER, translate

SECRETS = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", ".envrc", ".Renviron",
    "secrets.*", ".secrets", ".secrets.*", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12",
    "*.jks", "*.jceks", "*.bks", "*.keystore", "*.kdb", "*.kdbx", "*.keychain", "*.keychain-db",
    "*.ppk", "*.gpg", "*.pgp", "*.age", "*.agekey", "*.ovpn", "*.tfstate", "*.tfstate.*",
    "*.tfvars", "!*.tfvars.example", "*.wallet", "wallet.dat", "id_rsa*", "id_dsa*", "id_ecdsa*",
    "id_ed25519*", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass",
    ".my.cnf", ".htpasswd", ".git-credentials", ".dockercfg", ".docker/", ".kube/", "kubeconfig",
    "credentials", "credentials.*", "credentials*.json", "client_secret*.json",
    "service-account*.json", ".vault-token", ".terraformrc", "terraform.rc", ".s3cfg", ".boto",
    ".aws/", ".azure/", ".gcloud/", ".ssh/", ".gnupg/", ".password-store/",
)  # fmt: skip
"""Names that are likely to hold a secret, in the form of .gitignore, each for names anywhere."""
SHARED_FILES = (".gitignore", ".ignore")  # the later wins
OWN_FILES = (".rectoignore",)
MAX_IGNORE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of an ignore file; it names exactly a path, what lies below is decided by levels."""

    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool

    def names(self, path: str, *, folder: bool) -> bool:
        """Whether the line names this file or folder."""
        return (folder or not self.folders_only) and self.regex.search(path) is not None


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The lines of one ignore file, last first: the last that fits decides."""

    rules: tuple[IgnoreRule, ...]
    any_of_them: re.Pattern[str]

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None when no line speaks of it."""
        return next((rule.ignores for rule in self.rules if rule.names(path, folder=folder)), None)


@dataclass(frozen=True, slots=True)
class IgnoreLevel:
    """The rules of one folder, and the way from there to the names that are asked about."""

    way: str
    rules: IgnoreFile


@dataclass(frozen=True, slots=True)
class FolderRules:
    """What holds for the names directly in one folder."""

    parts: tuple[str, ...]
    everything: bool
    hidden: bool
    shared: tuple[IgnoreLevel, ...]
    own: tuple[IgnoreLevel, ...]
    records: str | None = None
    """The name in this folder that is the one of Recto's own records."""

    def ignores(self, name: str, *, folder: bool) -> bool:
        """Whether a name in this folder is ignored."""
        if self.everything:
            return True
        if self.hides(name, folder=folder):
            return True
        return bool(self.shared) and decide(self.shared, name, folder=folder)

    def hides(self, name: str, *, folder: bool) -> bool:
        """Whether .rectoignore or the list of secrets keeps it back, in whatever letters."""
        if self.hidden or is_secret(name, folder=folder):
            return True
        if decide(self.own, name, folder=folder):
            return True
        if self.records is not None and plain(name) == plain(self.records):
            return True
        # Nothing to fold: it can't be another spelling of a hidden name.
        if name.isascii() and ":" not in name and name[-1:] not in {".", " "}:
            return False
        folded = plain(name)
        return is_secret(folded, folder=folder) or decide(self.own, folded, folder=folder)


def is_secret(name: str, *, folder: bool) -> bool:
    """Whether a name is on the list of secrets."""
    fits = SECRET_NAMES.any_of_them.search(name)
    return fits is not None and bool(SECRET_NAMES.decide(name, folder=folder))


def decide(levels: Sequence[IgnoreLevel], name: str, *, folder: bool) -> bool:
    """Ask the levels from the deepest up; the first that speaks of the name decides."""
    for level in levels:
        path = level.way + name
        # One expression for all lines: most names fit none, and are done with it.
        if level.rules.any_of_them.search(path):
            decided = level.rules.decide(path, folder=folder)
            if decided is not None:
                return decided
    return False


def parse(lines: Iterable[str], *, any_case: bool = False) -> IgnoreFile:
    """The rules of an ignore file.

    With `any_case` what is ignored is so in capitals and small letters; exceptions stay exact.
    """
    found = [line for line in map(translate, lines) if line]
    rules = [
        IgnoreRule(
            re.compile(line.expression, flags(any_case=any_case and line.ignores)),
            line.ignores,
            line.folders_only,
        )
        for line in found
    ]
    known = together([line.expression for line in found], any_case=any_case)
    return IgnoreFile(tuple(reversed(rules)), known)


def flags(*, any_case: bool) -> re.RegexFlag:
    """How the expression of a line is read."""
    return re.DOTALL | re.IGNORECASE if any_case else re.DOTALL


def together(expressions: Sequence[str], *, any_case: bool) -> re.Pattern[str]:
    """One expression that fits whatever any of them fits: most names are dismissed by it."""
    anywhere = [
        expression.removeprefix(ANYWHERE)
        for expression in expressions
        if expression.startswith(ANYWHERE)
    ]
    others = [
        f"(?:{expression})" for expression in expressions if not expression.startswith(ANYWHERE)
    ]
    return re.compile(
        "|".join([*others, f"{ANYWHERE}(?:{'|'.join(anywhere) or NEVER})"]),
        flags(any_case=any_case),
    )


SECRET_NAMES = parse(SECRETS, any_case=True)


class IgnoreRules:
    """The ignore files of one folder tree, read when needed and again when they change."""

    def __init__(self, jail: Jail, *, records: tuple[str, ...] = ()) -> None:
        """`records` is the way to the folder of Recto's own records, if that lies in here."""
        self._jail = jail
        self._records = records
        self._parsed: dict[str, tuple[tuple[int, int], IgnoreFile]] = {}
        self._top = FolderRules((), everything=False, hidden=False, shared=(), own=())

    @property
    def root(self) -> str:
        """The folder's absolute path."""
        return self._jail.root

    def in_folder(self, path: str) -> FolderRules:
        """The rules for the names directly in a folder, as they are now."""
        return IgnoreLookup(self).in_folder(path)

    def at_root(self) -> FolderRules:
        """The rules for the names directly in the root."""
        return self._with_files(self._top)

    def below(self, rules: FolderRules, name: str) -> FolderRules:
        """The rules one folder deeper."""
        parts = (*rules.parts, name)
        hidden = rules.hides(name, folder=True)
        everything = rules.ignores(name, folder=True)
        shared, own = (
            tuple(IgnoreLevel(f"{level.way}{name}/", level.rules) for level in levels)
            for levels in (rules.shared, rules.own)
        )
        return self._with_files(FolderRules(parts, everything, hidden, shared, own))

    def _with_files(self, rules: FolderRules) -> FolderRules:
        if rules.hidden:
            return rules
        # Git never looks into an ignored folder; .rectoignore still counts, for secrets in there.
        shared = () if rules.everything else self._levels(rules.parts, SHARED_FILES)
        own = self._levels(rules.parts, OWN_FILES, any_case=True)
        is_above = bool(self._records) and rules.parts == self._records[:-1]
        return replace(
            rules,
            shared=shared + rules.shared,
            own=own + rules.own,
            records=self._records[-1] if is_above else None,
        )

    def _levels(
        self, parts: tuple[str, ...], names: Sequence[str], *, any_case: bool = False
    ) -> tuple[IgnoreLevel, ...]:
        paths = ("/".join((*parts, name)) for name in reversed(names))
        found = (self._read(path, any_case=any_case) for path in paths)
        return tuple(IgnoreLevel("", rules) for rules in found if rules and rules.rules)

    def _read(self, path: str, *, any_case: bool) -> IgnoreFile | None:
        try:
            with self._jail.file(path) as fd:
                return self._parse(path, fd, any_case=any_case)
        except (PathNotFound, NotAFile, OutsideWorkspace, NameRefused, PathUnreadable):
            # an ignore file that can't be read has no rules, as in git
            self._parsed.pop(path, None)
            return None

    def _parse(self, path: str, fd: int, *, any_case: bool) -> IgnoreFile:
        status = os.fstat(fd)
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._parsed.get(path)
        if known is None or known[0] != stamp:
            data = read_capped(fd, MAX_IGNORE_BYTES) or b""
            lines = data.decode("utf-8-sig", "replace").split("\n")
            known = (stamp, parse([line.removesuffix("\r") for line in lines], any_case=any_case))
            self._parsed[path] = known
        return known[1]


class IgnoreLookup:
    """Many questions at one moment: each folder's ignore files are looked at once."""

    def __init__(self, rules: IgnoreRules) -> None:
        self._rules = rules
        self._known: dict[str, FolderRules] = {}

    def in_folder(self, path: str) -> FolderRules:
        """The rules for the names directly in a folder."""
        missing: list[str] = []
        above = path
        while above and above not in self._known:
            missing.append(above)
            above = above.rpartition("/")[0]
        known = self._known.get(above) or self._rules.at_root()
        self._known[above] = known
        for folder in reversed(missing):
            known = self._rules.below(known, folder.rpartition("/")[2])
            self._known[folder] = known
        return known

    def hides(self, path: str) -> bool:
        """Whether .rectoignore or the list of secrets keeps a file back."""
        folder, _, name = path.rpartition("/")
        return self.in_folder(folder).hides(name, folder=False)
