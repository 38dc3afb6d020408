"""What a browser without a session sees: one plain page that says how to get in."""

from html import escape

from starlette.responses import HTMLResponse

from recto.server.problems import Problem

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recto</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 Georgia, serif; }}
  body {{ display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 0 1.5rem;
    box-sizing: border-box; background: light-dark(#ffffff, #1a1b1d);
    color: light-dark(#1a1917, #e8e7e4); }}
  main {{ max-width: 30rem; }}
  h1 {{ font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }}
  form {{ display: flex; gap: .5rem; margin-top: 1.5rem; font-family: system-ui, sans-serif; }}
  input, button {{ font: inherit; font-size: .85rem; padding: .45rem .7rem; border-radius: 5px;
    border: 1px solid light-dark(#898985, #74767a); background: transparent; color: inherit; }}
  input {{ flex: 1; min-width: 0; }}
</style>
<main>
  <h1>{title}</h1>
  <p>{detail} {remedy}</p>
  <form method="post" action="/sign-in">
    <input type="password" name="token" aria-label="Token" placeholder="Or paste the token"
      autocomplete="current-password" required>
    <button>Sign in</button>
  </form>
</main>
</html>
"""


def sign_in_page(problem: Problem) -> HTMLResponse:
    """The page, with the reason why it is shown."""
    html = PAGE.format(
        title=escape(problem.title),
        detail=escape(problem.detail),
        remedy=escape(problem.remedy or ""),
    )
    return HTMLResponse(html, status_code=problem.status, headers={"cache-control": "no-store"})
