"""`recto mcp`: Recto's tools for other programs."""

import argparse

from recto.cli import mcp_serve

ACTIONS = {"serve": mcp_serve.serve}


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto mcp`."""
    parser = argparse.ArgumentParser(
        prog="recto mcp",
        description="The Model Context Protocol: tools for other programs.",
    )
    actions = parser.add_subparsers(dest="action", metavar="{serve}", required=True)
    mcp_serve.add_options(actions.add_parser("serve", help="offer a folder to another program"))
    return parser


def run(options: argparse.Namespace) -> int:
    """Do what was asked for."""
    return ACTIONS[options.action](options)
