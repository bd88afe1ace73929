import type { JsonObject } from "../../../lib/kernel/json.ts";
import { FILES, fileOfPage } from "./addresses.ts";
import { apiReference } from "./api-reference.ts";
import { highlight } from "./highlight.ts";
import { fileLayout, layout, type Menu } from "./layout.ts";
import { PageError, type RenderedPage, renderPage } from "./markdown.ts";
import { API_REFERENCE, DECISIONS, isReachedOtherwise, mistakesInOrder, SECTIONS, type Section } from "./order.ts";
import { mistakesInSite } from "./verify.ts";

/** What a site is made of. Paths are those of the repository. */
export interface Sources {
  /** Markdown by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** The OpenAPI document of the management API. */
  readonly api: JsonObject;
  readonly sections?: readonly Section[];
  /** What else is in the repository, as pages link to it. */
  kindOf(path: string): "file" | "folder" | undefined;
  read(path: string): string;
}

/** @property copies files of the repository that are part of the site as they are: the same path in both */
export interface Site {
  readonly files: ReadonlyMap<string, string>;
  readonly copies: readonly string[];
  readonly pages: number;
}

/** Files that are made of no page, and that pages load. */
const ASSETS = ["site.css", "main.js", "scheme.js", "favicon.svg"].map((name) => `assets/${name}`);

const COPIED = /\.(?:png|svg|json)$/;

/** Where the search finds its texts, and readers the OpenAPI document. */
const SEARCH = "assets/search.json";
const OPENAPI = "docs/openapi.json";

/** @throws {PageError} the menu lacks a page, a link leads nowhere, or a diagram has no title */
export function makeSite(sources: Sources): Site {
  const { sections = SECTIONS } = sources;
  const mistakes = mistakesInOrder([...sources.pages.keys()], sections);
  if (mistakes.length > 0) throw new PageError(mistakes.join("\n"));
  const texts = new Map([...sources.pages, ...apiReference(sources.api)]);
  const rendered = inReadingOrder([...texts.keys()], sections).map((path) => render(path, texts, sources));
  const linked = [...new Set(rendered.flatMap(({ files }) => files))].filter((path) => path !== OPENAPI);
  const shown = linked.filter((path) => !COPIED.test(path));
  const copies = linked.filter((path) => COPIED.test(path));
  const menu = menuOf(rendered, sections);
  const files = new Map([
    ...rendered.map((page) => [fileOfPage(page.path), layout(page, menu, placeInMenu(page.path))] as const),
    ...shown.map((path) => [fileOfFile(path), filePage(path, sources)] as const),
    [SEARCH, JSON.stringify(searchTexts(rendered))],
    [OPENAPI, `${JSON.stringify(sources.api, undefined, 1)}\n`],
  ]);
  const dead = mistakesInSite(files, [...ASSETS, ...copies]);
  if (dead.length > 0) throw new PageError(dead.join("\n"));
  return { pages: rendered.length, copies, files };
}

function render(path: string, texts: ReadonlyMap<string, string>, sources: Sources): RenderedPage {
  return renderPage(path, texts.get(path) as string, {
    kindOf: (target) => {
      const index = `${target}/README.md`;
      if (texts.has(target) || texts.has(index)) return "page";
      return target === OPENAPI ? "file" : sources.kindOf(target);
    },
    fileOf: (target) => {
      if (texts.has(target)) return fileOfPage(target);
      return texts.has(`${target}/README.md`) ? fileOfPage(`${target}/README.md`) : fileOfFile(target);
    },
  });
}

function fileOfFile(path: string): string {
  return COPIED.test(path) ? path : `${FILES}${path}.html`;
}

function filePage(path: string, { read }: Sources): string {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const language = path.endsWith("Dockerfile") ? "dockerfile" : (LANGUAGES[extension] ?? extension);
  return fileLayout(fileOfFile(path), path, highlight(read(path), language));
}

const LANGUAGES: Readonly<Record<string, string>> = {
  js: "javascript",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
};

/** Pages of the menu, and what they lead to after them. */
function inReadingOrder(paths: readonly string[], sections: readonly Section[]): readonly string[] {
  const listed = sections.flatMap(({ pages }) => pages);
  return [...listed, ...paths.filter((path) => isReachedOtherwise(path)).sort()];
}

function menuOf(rendered: readonly RenderedPage[], sections: readonly Section[]): readonly Menu[] {
  const titles = new Map(rendered.map(({ path, title }) => [path, title]));
  const entry = (path: string) => ({
    path,
    title: path === "README.md" ? "What it is, and a first start" : (titles.get(path) ?? path),
  });
  return sections.map(({ title, pages }) => ({ title, entries: pages.map(entry) }));
}

/** Which entry of the menu a page belongs to. */
function placeInMenu(path: string): string {
  const folder = [DECISIONS, API_REFERENCE].find((folder) => path.startsWith(folder));
  return folder === undefined ? path : `${folder}README.md`;
}

/** For each page its file and title, and for each heading of it anchor, text of the heading, and text. */
function searchTexts(rendered: readonly RenderedPage[]) {
  return rendered.map(({ path, title, parts }) => ({
    file: fileOfPage(path),
    title,
    isDecision: path.startsWith(DECISIONS),
    parts: parts.map(({ anchor, heading, text }) => [anchor, heading, text]),
  }));
}
