/* Runs in a frame without an origin: draws the diagrams that the page sends, and answers with their pictures. */
"use strict";
(() => {
  const place = document.body;
  const page = window.parent;

  function lookOf(isDark) {
    return {
      secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges", "themeCSS", "fontFamily", "altFontFamily", "htmlLabels", "flowchart", "class"],
      startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, theme: isDark ? "dark" : "neutral", fontFamily: "sans-serif",
      htmlLabels: false, flowchart: { htmlLabels: false, useMaxWidth: false }, sequence: { useMaxWidth: false }, class: { htmlLabels: false, useMaxWidth: false }, state: { useMaxWidth: false },
      er: { useMaxWidth: false }, gantt: { useMaxWidth: false }, pie: { useMaxWidth: false }, mindmap: { useMaxWidth: false }, timeline: { useMaxWidth: false }, journey: { useMaxWidth: false },
    };
  }

  async function draw(source, isDark) {
    window.mermaid.initialize(lookOf(isDark));
    const { svg } = await window.mermaid.render("diagram", source, place);
    place.innerHTML = svg;
    const drawing = place.querySelector("svg");
    const box = drawing.viewBox.baseVal;
    const width = Math.ceil(box && box.width ? box.width : drawing.getBoundingClientRect().width);
    const height = Math.ceil(box && box.height ? box.height : drawing.getBoundingClientRect().height);
    drawing.setAttribute("width", width);
    drawing.setAttribute("height", height);
    drawing.style.maxWidth = "none";
    for (const link of drawing.querySelectorAll("a")) unlink(link);
    return { svg: new XMLSerializer().serializeToString(drawing), width, height };
  }

  /** What a link holds stays where it is, and leads nowhere. */
  function unlink(link) {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    for (const name of ["class", "id", "transform", "style"]) if (link.hasAttribute(name)) group.setAttribute(name, link.getAttribute(name));
    group.append(...link.childNodes);
    link.replaceWith(group);
  }

  let last = Promise.resolve();
  window.addEventListener("message", (event) => {
    if (event.source !== page) return;
    const { key, source, isDark } = event.data;
    last = last.then(() => draw(source, isDark)).catch((error) => ({ problem: String(error && error.message || error) })).then((answer) => {
      place.textContent = "";
      page.postMessage({ key, ...answer }, "*");
    });
  });
  page.postMessage({ ready: true }, "*");
})();
