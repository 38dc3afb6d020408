/** PDFs, read and drawn by pdf.js. No script of a file runs: the part of pdf.js that could run one is not in the page. */
export { PdfFile, type PdfFailure, PdfRefused, type PageSize } from "./file";
export { type DrawnLink, DrawnPage } from "./drawn-page";
export { findIn, type Match, type PageText, rangeOf } from "./finding";
