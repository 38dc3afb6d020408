import { expect, test } from "vitest";
import { markdownOf } from "./from-html";

test.each([
  ["<p>A <b>bold</b> and <i>slanted </i>word, <a href='https://a.example/x_(y)'>linked</a>.</p>", "A **bold** and *slanted* word, [linked](https://a.example/x_%28y%29)."],
  ["<h2>Head</h2><ul><li>one<ul><li>deep</li></ul></li><li>two</li></ul>", "## Head\n\n- one\n  - deep\n- two"],
  ["<ol start='3'><li><p>a</p></li><li>b</li></ol>", "3. a\n4. b"],
  ["<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>", "- [x] done\n- [ ] open"],
  ["<blockquote><p>one</p><p>two</p></blockquote>", "> one\n>\n> two"],
  ["<pre><code class='language-py'>a = `x`\n  b\n</code></pre>", "```py\na = `x`\n  b\n```"],
  ["<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>x<br>y</td></tr></table>", "| a | b\\|c |\n| --- | --- |\n| 1 | x y |"],
  ["<b style='font-weight:normal' id='docs-internal'><p>One</p><p><em>two</em></p></b>", "One\n\n*two*"],
  ["<p>1. no list, <code>a*b</code> 2 * 3 snake_case _x_</p><hr>", "1\\. no list, `a*b` 2 \\* 3 snake_case \\_x\\_\n\n---"],
  ["<ol><li>one</li><ol><li>deep</li></ol><li>two</li></ol>", "1. one\n   1. deep\n2. two"],
  ["<ul><li>one</li><ul><li>deep</li></ul><li>two</li></ul>", "- one\n  - deep\n- two"],
  ["<pre>one<br>two</pre>", "```\none\ntwo\n```"],
  ["<p>A <span style='font-weight:700'>bold</span>, <span style='font-style: italic'>slanted</span> and <span style='font-weight:400;text-decoration:line-through'>old</span> word</p>", "A **bold**, *slanted* and ~~old~~ word"],
  ["<h2><span style='font-weight:700'>Head</span></h2><p>and <b><span style='font-weight:700'>bold</span></b></p>", "## Head\n\nand **bold**"],
  ["<img src='https://a.example/p.png' alt='A picture'>", "![A picture](https://a.example/p.png)"],
])("%s", (html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});

test("plain text in a wrapper is left to the plain text", () => {
  expect(markdownOf("<meta charset='utf-8'><span style='color: red; font-weight: 400'>just words</span>")).toBeNull();
});

test("what could run, lead astray or be loaded stays outside", () => {
  const ran: string[] = [];
  Object.assign(window, { ran });
  const text = markdownOf(`<p>Hi <b>you</b><script>ran.push(1)</script><img src=x onerror="ran.push(2)"><a href="javascript:ran.push(3)">here</a>
    <a href="data:text/html,x">there</a><iframe src="https://evil.example"></iframe><svg onload="ran.push(4)"><text>s</text></svg>&lt;script&gt; &amp;lt; [x](javascript:1)</p>`);
  expect(text).toBe("Hi **you**here there\\<script> \\&lt; \\[x\\](javascript:1)");
  expect(ran).toEqual([]);
  expect(markdownOf(`<b>${"<div>".repeat(5000)}x`)).toContain("x");
});
