"""Programs that convert one foreign file, each in a process with caps, and import no other room."""

# By name, as they are started: to import what they read with is for their own process. Each lies
# here and not beside its user, because a program that begins in a large room loads all of it.
PDF_AS_TEXT = "recto.converters.pdf"
WEB_PAGE_AS_MARKDOWN = "recto.converters.web_page"
TYPST_AS_PDF = "recto.converters.typst"

__all__ = ["PDF_AS_TEXT", "TYPST_AS_PDF", "WEB_PAGE_AS_MARKDOWN"]
