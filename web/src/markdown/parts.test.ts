import { javascript } from "@codemirror/lang-javascript";
import { afterEach, expect, test, vi } from "vitest";
import { targetOf } from "./targets";
import { type MarkdownOptions, MarkdownView } from "./index";

const READY: MarkdownOptions = { openLink: () => undefined, copy: () => Promise.resolve(true) };

async function show(text: string, options: Partial<MarkdownOptions> = {}): Promise<HTMLElement> {
  const host = document.createElement("div");
  document.body.replaceChildren(host);
  const view = new MarkdownView(host, { ...READY, ...options });
  view.set(text);
  view.finish();
  await view.drawn();
  return host;
}

afterEach(() => {
  vi.useRealTimers();
});

const RENDERED: [string, string][] = [
  ["a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>"],
  ["3. x\n4. y", '<ol start="3">\n<li>x</li>\n<li>y</li>\n</ol>'],
  ["- [x] did", '<ul>\n<li class="task"><span data-task="done" role="img" aria-label="Done:"></span> did</li>\n</ul>'],
  ["H<sub>2</sub>O<br>x<sup>2</sup>", "<p>H<sub>2</sub>O<br>x<sup>2</sup></p>"],
  ["<b>x</b> <sub onclick=x>y</sub>", "<p>&lt;b&gt;x&lt;/b&gt; &lt;sub onclick=x&gt;y&lt;/sub&gt;</p>"],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
  ["[x](https://a.example/p?q=1)", '<p><a href="https://a.example/p?q=1" title="a.example" rel="noopener noreferrer nofollow" target="_blank">x</a></p>'],
  ["[bank](https://bank.example@evil.example/)", '<p><a href="https://bank.example@evil.example/" title="evil.example" rel="noopener noreferrer nofollow" target="_blank">bank</a></p>'],
  ["[x](javascript:alert(1)) [y](data:text/html,x)", "<p>x y</p>"],
  ["![a chart](https://i.example/c.png)", '<p><a href="https://i.example/c.png" title="i.example" rel="noopener noreferrer nofollow" target="_blank">a chart (i.example)</a></p>'],
  ["![a chart](figures/c.png)", '<p><span class="file-link" title="figures/c.png" data-path="figures/c.png">a chart (figures/c.png)</span></p>'],
  ["![x](data:image/png;base64,AAAA)", "<p>x</p>"],
  ["[![b](https://i.example/b.svg)](https://c.example)", '<p><a href="https://c.example/" title="c.example" rel="noopener noreferrer nofollow" target="_blank">b (i.example)</a></p>'],
  ['<img src="https://i.example/c.png" alt="a chart" onerror="x()">', '<p><a href="https://i.example/c.png" title="i.example" rel="noopener noreferrer nofollow" target="_blank">a chart (i.example)</a></p>'],
  ["<img src='javascript:x' alt='1 > 0'/> <img alt=y> <imgs src=a.png>", "<p>1 &gt; 0 &lt;img alt=y&gt; &lt;imgs src=a.png&gt;</p>"],
  ["`<img src=a.png>` [<img src=b.png>](https://c.example)", '<p><code>&lt;img src=a.png&gt;</code> <a href="https://c.example/" title="c.example" rel="noopener noreferrer nofollow" target="_blank">Picture (b.png)</a></p>'],
  ["it costs $5, then $6 more; $PATH and $HOME", "<p>it costs $5, then $6 more; $PATH and $HOME</p>"],
];

test.for(RENDERED)("%j", async ([text, html]) => {
  expect((await show(text)).innerHTML).toBe(html);
});

test("a table scrolls in a box of its own, which the keyboard can reach", async () => {
  const host = await show("| a | b |\n|---|--:|\n| 1 | 2 |");
  const box = host.querySelector<HTMLElement>(".table-scroll");
  expect([box?.tabIndex, box?.getAttribute("aria-label"), [...host.querySelectorAll("td")].map((cell) => cell.dataset.align)]).toEqual([0, "Table", [undefined, "right"]]);
});

test("formulas are drawn as MathML, and what is no formula stays as it was written", async () => {
  const host = await show("$a^2$ and \\(b\\)\n\n$$\n\\frac{1}{2}\n$$\n\n$\\frac$");
  const formulas = [...host.querySelectorAll("[data-math]")];
  expect(formulas.map((formula) => [formula.getAttribute("data-math"), formula.querySelector("math")?.getAttribute("alttext")])).toEqual([
    ["inline", "a^2"], ["inline", "b"], ["display", "\\frac{1}{2}"], ["inline", undefined],
  ]);
  expect([formulas[0]?.querySelector("msup")?.textContent, formulas[3]?.textContent, host.querySelector("annotation, [style], [class]")]).toEqual(["a2", "\\frac", null]);
});

test("TeX cannot bring in links, pictures or styles", async () => {
  const host = await show("$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://e.example/x.png}$ $\\htmlStyle{color:red}{y}$ $\\url{https://e.example}$");
  expect(host.querySelector("a, img, [style], [href], [src]")).toBeNull();
});

test("code is coloured when its language is known, and its text stays the same", async () => {
  const host = await show("```js\nconst x = 1; // one\n```\n\n```nothing\nconst y\n```", {
    parserOf: (language) => Promise.resolve(language === "js" ? javascript().language.parser : null),
  });
  const [known, unknown] = host.querySelectorAll("pre code");
  expect([...(known?.querySelectorAll("span") ?? [])].map((span) => [span.className, span.textContent])).toEqual([
    ["syntax-keyword", "const"], ["syntax-number", "1"], ["syntax-comment", "// one"],
  ]);
  expect([known?.textContent, unknown?.textContent, unknown?.childElementCount]).toEqual(["const x = 1; // one", "const y", 0]);
});

test("code is shown plain, with a warning for developers, when its colours cannot be loaded", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const host = await show("```js\nx\n```", { parserOf: () => Promise.reject(new Error("gone")) });
  expect([host.querySelector("code")?.textContent, warned.mock.calls.length]).toEqual(["x", 1]);
  warned.mockRestore();
});

test("Copy copies the code, says so, and then offers itself again", async () => {
  vi.useFakeTimers();
  const copied: string[] = [];
  const host = await show("```sh\nls\n```", { copy: (text) => Promise.resolve(copied.push(text) > 0) });
  const button = host.querySelector<HTMLButtonElement>("button");
  button?.click();
  await vi.advanceTimersByTimeAsync(0);
  const said = button?.textContent;
  await vi.advanceTimersByTimeAsync(2000);
  expect([copied, said, button?.textContent, host.querySelector(".code-head span")?.textContent]).toEqual([["ls"], "Copied", "Copy", "sh"]);
});

test("where copying is forbidden, the code is selected instead", async () => {
  vi.useFakeTimers();
  const host = await show("```sh\nls\n```", { copy: () => Promise.resolve(false) });
  host.querySelector<HTMLButtonElement>("button")?.click();
  await vi.advanceTimersByTimeAsync(0);
  expect([host.querySelector("button")?.textContent, getSelection()?.toString()]).toEqual(["Selected", "ls"]);
});

test("links and files are opened by the page, not by the browser", async () => {
  const opened: string[] = [];
  const host = await show("[web](https://a.example) [file](./a%20b.md#x)", {
    openLink: (href) => opened.push(href),
    openFile: (path) => opened.push(path),
  });
  const click = new MouseEvent("click", { bubbles: true, cancelable: true });
  host.querySelector("a")?.dispatchEvent(click);
  host.querySelector("button")?.click();
  expect([opened, click.defaultPrevented]).toEqual([["https://a.example/", "a b.md"], true]);
});

test.for<[string, string | null]>([
  ["https://A.example/x", "https://a.example/x"], ["HTTP://a.example", "http://a.example/"], ["mailto:a@b.example", "mailto:a@b.example"],
  ["docs/a.md", "docs/a.md"], ["./a.md?x#y", "a.md"], ["a%20b.md", "a b.md"], ["100%.md", "100%.md"], ["../a.md", "../a.md"],
  ["javascript:alert(1)", null], [" java\nscript:alert(1)", null], ["data:text/html,x", null], ["vbscript:x", null], ["file:///etc/passwd", null], ["blob:https://a.example/x", null],
  ["//a.example", null], ["/\\a.example", null], ["\\\\a.example\\x", null], ["/api/v1/x", null], ["#top", null], ["?q", null], ["", null], ["a\u0000b", null], ["%2f%2fa.example", null], ["C:\\x", null],
])("%j leads to %j", ([address, expected]) => {
  const target = targetOf(address);
  expect(target && (target.kind === "file" ? target.path : target.href)).toBe(expected);
});

test.for([">".repeat(5000), "> ".repeat(5000), "*a_".repeat(20_000), "**a ".repeat(9000), "[".repeat(100_000), "<".repeat(100_000), "$".repeat(100_000)])("a text made to keep the page busy is shown plainly: %.9s…", async (text) => {
  expect((await show(text)).innerHTML.startsWith("<p>")).toBe(true);
});

test("a picture written in HTML is one as any other, as wide as it says", async () => {
  const text = '<img src="data:image/png;base64,AA+/" alt="a &amp; b" width="120" style="position:fixed">\n\n<IMG width=100% SRC=figures/c.png>\n\ntext <img\n  src="attachment:d e.png" width="99999">\n\n<img src="data:image/svg+xml,<svg>"> <img src="data:text/html,x" alt=f>';
  const host = await show(text, { pictureAt: (picture) => `/at/${picture}` });
  expect([...host.querySelectorAll("img")].map((one) => [one.getAttribute("src"), one.alt, one.getAttribute("width"), one.getAttributeNames().length])).toEqual([
    ["/at/data:image/png;base64,AA+/", "a & b", "120", 4], ["/at/figures/c.png", "", null, 3], ["/at/attachment:d e.png", "", null, 3],
  ]);
});

test("a picture in HTML that is made to be looked through without end is a text like any other", async () => {
  const text = `<img ${"a".repeat(150_000)}> <img title="src=a.png">`;
  expect((await show(text)).textContent).toBe(text);
});

test("pictures are shown where somebody knows their address, from elsewhere never", async () => {
  const pictureAt = (picture: string) => (picture === "gone.png" ? null : `/at/${picture}`);
  const text = "![a chart](figures/c.png) ![b](attachment:d%20e.png) [![f](data:image/png;base64,AAAA)](https://g.example) ![h](gone.png) ![i](https://j.example/k.png) ![l](data:image/svg+xml,m) ![n](javascript:o)";
  const pictures = [...(await show(text, { pictureAt })).querySelectorAll("img")].map((one) => [one.getAttribute("src"), one.alt]);
  expect(pictures).toEqual([["/at/figures/c.png", "a chart"], ["/at/attachment:d e.png", "b"], ["/at/data:image/png;base64,AAAA", "f"]]);
});
