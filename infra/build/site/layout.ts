import { escapeText } from "../../../lib/pages/html.ts";
import { fileOfPage, relative } from "./addresses.ts";
import type { RenderedPage } from "./markdown.ts";

/** A heading of the menu with its pages, which have their titles now. */
export interface Menu {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export interface MenuEntry {
  readonly path: string;
  readonly title: string;
}

/** Everything comes from the site's own files; a diagram's colours are a style within it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** A page with its menu, contents and neighbours. @param current the page's entry in the menu */
export function layout(page: RenderedPage, menu: readonly Menu[], current: string): string {
  const file = fileOfPage(page.path);
  const contents = contentsOf(page);
  return documentOf({
    file,
    title: page.title,
    hasDiagram: page.hasDiagram,
    body: `<nav id="menu" class="menu" aria-label="Pages">${menu.map((section) => menuSection(section, file, current)).join("")}</nav>
<main id="content" tabindex="-1"><article>${page.html}</article>${neighbours(menu, file, current)}</main>
${contents}`,
  });
}

/** A file of the repository that a page links to. */
export function fileLayout(file: string, path: string, code: string): string {
  return documentOf({
    file,
    title: path,
    hasDiagram: false,
    body: `<main id="content" class="file" tabindex="-1"><h1>${escapeText(path)}</h1><pre tabindex="0"><code>${code}</code></pre></main>`,
  });
}

interface Document {
  readonly file: string;
  readonly title: string;
  readonly hasDiagram: boolean;
  readonly body: string;
}

function documentOf({ file, title, hasDiagram, body }: Document): string {
  const to = (target: string) => escapeText(relative(file, target));
  const root = file
    .split("/")
    .slice(1)
    .map(() => "../")
    .join("");
  const name = title === "Countersign" ? title : `${title} · Countersign`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(name)}</title>
<link rel="icon" href="${to("assets/favicon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("assets/site.css")}">
<script src="${to("assets/scheme.js")}"></script>
<script type="module" src="${to("assets/main.js")}"></script>
</head>
<body${hasDiagram ? " data-diagrams" : ""}>
<a class="skip" href="#content">Skip to the text</a>
<header>
<button type="button" id="menu-button" aria-expanded="false" aria-controls="menu">Menu</button>
<a class="brand" href="${to("index.html")}">Countersign</a>
<button type="button" id="search-button">Search <kbd>/</kbd></button>
<button type="button" id="scheme-button" aria-label="Dark colours" aria-pressed="false"><span aria-hidden="true">◐</span></button>
</header>
<div class="frame">
${body}
</div>
<dialog id="search" aria-label="Search">
<input type="search" id="search-words" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false">
<p id="search-count" role="status"></p>
<ol id="search-results"></ol>
</dialog>
</body>
</html>
`;
}

function menuSection({ title, entries }: Menu, file: string, current: string): string {
  const items = entries.map((entry) => {
    const here = entry.path === current ? ' aria-current="page"' : "";
    return `<li><a href="${escapeText(relative(file, fileOfPage(entry.path)))}"${here}>${escapeText(entry.title)}</a></li>`;
  });
  return `<h2>${escapeText(title)}</h2><ul>${items.join("")}</ul>`;
}

/** Headings of the second level, and of the third where they are few. */
function contentsOf({ headings }: RenderedPage): string {
  const below = headings.filter(({ level }) => level === 2 || level === 3);
  const shown = below.length > 24 ? below.filter(({ level }) => level === 2) : below;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ level, text, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escapeText(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}

function neighbours(menu: readonly Menu[], file: string, current: string): string {
  const entries = menu.flatMap((section) => section.entries);
  const at = entries.findIndex(({ path }) => path === current);
  const link = (entry: MenuEntry | undefined, label: string, rel: string) =>
    entry === undefined
      ? ""
      : `<a rel="${rel}" href="${escapeText(relative(file, fileOfPage(entry.path)))}"><span>${label}</span> ${escapeText(entry.title)}</a>`;
  return `<nav class="neighbours" aria-label="Reading order">${link(entries[at - 1], "Previous:", "prev")}${link(entries[at + 1], "Next:", "next")}</nav>`;
}
