"""Plain pages that work without scripts: choosing a password, and signing in."""

from html import escape

from starlette.responses import HTMLResponse

from recto.gateway.passwords import SHORTEST_PASSWORD
from recto.gateway.problems import ApiProblem

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recto gateway</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 Georgia, serif; }}
  body {{ display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 0 1.5rem;
    box-sizing: border-box; background: light-dark(#ffffff, #1a1b1d);
    color: light-dark(#1a1917, #e8e7e4); }}
  main {{ max-width: 30rem; }}
  h1 {{ font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }}
  form {{ display: grid; gap: .6rem; margin-top: 1.5rem; font-family: system-ui, sans-serif; }}
  input, button {{ font: inherit; font-size: .85rem; padding: .45rem .7rem; border-radius: 5px;
    border: 1px solid light-dark(#898985, #74767a); background: transparent; color: inherit; }}
</style>
<main>
  <h1>{title}</h1>
  <p role="status">{words}</p>
  {content}
</main>
</html>
"""
PASSWORD = f"""<form method="post">
    <input type="password" name="password" aria-label="Password" placeholder="Password"
      autocomplete="new-password" minlength="{SHORTEST_PASSWORD}" required>
    <button>Choose this password</button>
  </form>"""
SIGN_IN = """<form method="post" action="/sign-in">
    <input name="name" aria-label="Name" placeholder="Name" autocomplete="username" required>
    <input type="password" name="password" aria-label="Password" placeholder="Password"
      autocomplete="current-password" required>
    <button>Sign in</button>
  </form>"""
PROVIDER = '<p><a href="/sign-in/provider">Sign in with your organisation</a></p>'


def message_page(title: str, words: str, status: int = 200, content: str = "") -> HTMLResponse:
    """A page that says something; `content` is HTML."""
    html = PAGE.format(title=escape(title), words=escape(words), content=content)
    return HTMLResponse(html, status_code=status, headers={"cache-control": "no-store"})


def invitation_form(name: str, *, problem: str | None = None) -> HTMLResponse:
    """Where somebody chooses a password."""
    words = problem or f"At least {SHORTEST_PASSWORD} characters. This link works once."
    return message_page(f"Welcome, {name}", words, 422 if problem else 200, PASSWORD)


def sign_in_form(*, has_provider: bool, problem: ApiProblem | None = None) -> HTMLResponse:
    """Where somebody signs in."""
    content = SIGN_IN + (PROVIDER if has_provider else "")
    words = "" if problem is None else problem.detail
    return message_page("Sign in", words, 200 if problem is None else problem.status, content)
