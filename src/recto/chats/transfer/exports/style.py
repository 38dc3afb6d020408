"""The style of an exported page: light and dark by the reader's choice, and good on paper."""

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --page: #ffffff;
  --raised: #f3f4f6; --line: #d1d9e0; --link: #0958c9; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --soft: #a0a8b2; --page: #16181c;
  --raised: #22262c; --line: #3a4048; --link: #7db4ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word; }
main, footer { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.3; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
h2 time { color: var(--soft); font-weight: 400; font-size: .8rem; margin-left: .5rem; }
a { color: var(--link); }
.said { white-space: pre-wrap; background: var(--raised); border-radius: .75rem;
  padding: .75rem 1rem; }
.prose > :first-child { margin-top: 0; }
.prose h1, .prose h2, .prose h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
.remark, footer { color: var(--soft); font-size: .875rem; }
.summary { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line);
  margin: 2rem 0; padding-bottom: 1rem; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0;
  padding: .5rem .75rem; }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
pre { background: var(--raised); border-radius: .5rem; padding: .75rem 1rem; overflow-x: auto; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line);
  color: var(--soft); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
.right { text-align: right; } .center { text-align: center; }
img { max-width: 100%; height: auto; border-radius: .5rem; }
footer { border-top: 1px solid var(--line); }
@media print { :root { --text: #000000; --soft: #444444; --page: #ffffff; --raised: #f3f4f6;
    --line: #bbbbbb; --link: #000000; }
  main, footer { max-width: none; padding: 0; }
  h2 { break-after: avoid; } pre, table, img, .said { break-inside: avoid; }
  pre { white-space: pre-wrap; } }
"""
