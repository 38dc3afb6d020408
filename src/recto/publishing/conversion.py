"""What pandoc makes of a composed draft, and how it is told of the layout."""

import json
import posixpath
from pathlib import Path
from typing import NamedTuple

import anyio

from recto.publishing.citation_previews import bibliography_arguments
from recto.publishing.composition import Composition
from recto.publishing.failures import PublishFailed
from recto.publishing.options import TEMPLATE_ENDINGS, TEMPLATES, PublishOptions
from recto.publishing.pandoc import run_pandoc
from recto.publishing.style_sheets import leads_elsewhere, with_style_sheet
from recto.publishing.styles import CitationStyle
from recto.workspace import Workspace, WorkspaceFailure

CSS = ".css"
MAX_TEMPLATE = 20_000_000
# Captions have their numbers already.
TYPST_HEAD = "#show figure.caption: it => it.body\n#show link: it => it\n"
HANGING = b'hanging-indent="true"'
TYPST_HANGING = "#show <refs>: set par(hanging-indent: 1.5em)\n"
# pandoc's template takes any language that names no country for American: fr-US.
AMERICAN, NOWHERE = b'\n  region: "US",', b"\n  region: none,"
LATEX_HEAD = "\\usepackage{caption}\n\\captionsetup{labelformat=empty,labelsep=none}\n"
PANDOC_NAMES = {"pdf": "typst", "html": "html5", "epub": "epub3"}


async def convert(
    workspace: Workspace,
    composed: Composition,
    style: CitationStyle,
    options: PublishOptions,
    folder: Path,
) -> bytes:
    """What pandoc makes of a draft; for a PDF it lies in the folder, its pictures beside it."""
    arguments = await bibliography_arguments(folder, style, composed.entries)
    template = await read_template(workspace, options)
    arguments += layout_arguments(options, hangs=HANGING in style.data)
    if template is not None and template.ending != CSS:
        arguments.append(await template_argument(template, folder))
    to = PANDOC_NAMES.get(options.to, options.to)
    arguments += ["--from", "json", "--to", to, "--standalone", "--output", "-"]
    data = await run_pandoc(arguments, json.dumps(composed.tree).encode(), folder)
    if template is not None and template.ending == CSS:
        data = with_style_sheet(data, template.data, options.to)
    if options.to == "pdf":
        data = data.replace(AMERICAN, NOWHERE, 1)
        await anyio.Path(folder / "document.typ").write_bytes(data)
        for path, name in composed.pictures.names().items():
            await anyio.Path(folder / name).write_bytes(composed.pictures.data[path])
    return data


def layout_arguments(options: PublishOptions, *, hangs: bool) -> list[str]:
    """What tells pandoc of the layout; in a list of references that hangs, lines are indented."""
    arguments = ["--toc"] if options.contents else []
    if options.to == "pdf":
        arguments += [
            f"--variable=papersize={options.paper}",
            f"--variable=header-includes={TYPST_HEAD}{TYPST_HANGING if hangs else ''}",
        ]
        arguments += [f"--variable={value}" for value in TEMPLATES.get(options.template, ())]
    elif options.to == "latex":
        paper = "a4" if options.paper == "a4" else "letter"
        arguments += [f"--variable=papersize={paper}", f"--variable=header-includes={LATEX_HEAD}"]
    elif options.to in ("html", "epub"):
        arguments += ["--mathml"]
    return arguments


class OwnTemplate(NamedTuple):
    """A template of the folder."""

    ending: str
    data: bytes


async def read_template(workspace: Workspace, options: PublishOptions) -> OwnTemplate | None:
    """The template of the folder that was chosen; None: it is one of ours. Raises PublishFailed."""
    if options.template in TEMPLATES:
        return None
    path = posixpath.normpath(options.template)
    ending = posixpath.splitext(path)[1].lower()
    if ending not in TEMPLATE_ENDINGS[options.to]:
        takes = " or ".join(TEMPLATE_ENDINGS[options.to])
        raise PublishFailed(
            f"“{options.template}” is no template for this format.",
            f"Name {', '.join(TEMPLATES)}, or a file that ends in {takes}.",
        )
    try:
        data = await workspace.read_bytes(path, max_bytes=MAX_TEMPLATE)
    except WorkspaceFailure as failure:
        raise PublishFailed(f"The template can't be read: {failure}") from failure
    if ending in (".typ", ".typst") and b'"@' in data:
        raise PublishFailed(
            f"{path} imports a package, which would have to be fetched.",
            "Copy what it needs into the template.",
        )
    if ending == CSS and leads_elsewhere(data):
        raise PublishFailed(
            f"{path} names files or addresses, which whoever opens the result would fetch.",
            "Put its fonts and pictures into it as data: addresses, and copy what it imports.",
        )
    return OwnTemplate(ending, data)


async def template_argument(template: OwnTemplate, folder: Path) -> str:
    """What tells pandoc of a template, which is put into a private folder."""
    private = folder / f"template{template.ending}"
    await anyio.Path(private).write_bytes(template.data)
    is_reference = template.ending in (".docx", ".odt")
    return f"--{'reference-doc' if is_reference else 'template'}={private}"
