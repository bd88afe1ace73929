import MarkdownIt, { type Token } from "markdown-it";
import { escapeText } from "../../../lib/pages/html.ts";
import { fileOfPage, readTarget, relative, slugOf } from "./addresses.ts";
import { highlight } from "./highlight.ts";

/** A page of Markdown as the site shows it. */
export interface RenderedPage {
  /** In the repository. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** For the search, in the order of the page. */
  readonly parts: readonly Part[];
  /** Files of the repository that it shows or links to and that are no pages. */
  readonly files: readonly string[];
  readonly hasDiagram: boolean;
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** What stands below one heading. */
export interface Part {
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

/** What the repository has beside a page: whether a path is a page of the site, a file of another kind, a folder or nothing. */
export type KindOf = (path: string) => "page" | "file" | "folder" | undefined;

/** @property fileOf the file of the site that another file of the repository becomes */
export interface Surroundings {
  readonly kindOf: KindOf;
  readonly fileOf: (path: string) => string;
}

export class PageError extends Error {}

// Comments in pages say how shell blocks run. The pages are the project's own, so HTML in them is taken as it is.
const markdown = new MarkdownIt({ html: true, linkify: false });

/** @throws {PageError} a link leads nowhere, or a diagram has no title for those who cannot see it */
export function renderPage(path: string, text: string, surroundings: Surroundings): RenderedPage {
  const tokens = markdown.parse(text, {});
  const headings = markHeadings(tokens);
  const files = new Set<string>();
  for (const token of tokens.flatMap((token) => [token, ...(token.children ?? [])])) {
    if (token.type === "link_open") redirect(token, "href", path, surroundings, files);
    if (token.type === "image") redirect(token, "src", path, surroundings, files);
    for (const picture of picturesOf(path, token)) {
      if (surroundings.kindOf(picture) !== "file")
        throw new PageError(`${path}: shows ${picture}, which does not exist.`);
      files.add(picture);
    }
    if (isDiagram(token) && !/^\s*accTitle:/m.test(token.content)) {
      throw new PageError(`${path}: a diagram has no accTitle.`);
    }
  }
  return {
    path,
    title: headings[0]?.text ?? path,
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    parts: partsOf(tokens, headings),
    files: [...files],
    hasDiagram: tokens.some(isDiagram),
  };
}

/** Gives each heading the anchor that it has where repositories are shown. */
function markHeadings(tokens: readonly Token[]): readonly Heading[] {
  const used = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return [];
    const inline = tokens[index + 1] as Token;
    const slug = slugOf(inline.content);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    const anchor = before === 0 ? slug : `${slug}-${before}`;
    token.attrSet("id", anchor);
    return [{ level: Number(token.tag.slice(1)), text: plainText(inline), anchor }];
  });
}

function redirect(token: Token, name: string, page: string, surroundings: Surroundings, files: Set<string>): void {
  const href = String(token.attrGet(name));
  const target = readTarget(page, href);
  if (target.kind !== "file") return;
  const kind = surroundings.kindOf(target.path);
  if (kind === undefined) throw new PageError(`${page}: links to ${href}, which does not exist.`);
  if (kind === "folder") {
    // A site has no lists of files. The text stays, and says the folder.
    token.attrs = [["class", "folder"]];
    return;
  }
  if (kind === "file") files.add(target.path);
  const file = surroundings.fileOf(target.path);
  token.attrSet(name, relative(fileOfPage(page), file) + (target.anchor === "" ? "" : `#${target.anchor}`));
}

/** Pictures that a page sizes are written as HTML. They have the same place in the site, so their addresses stay. */
function picturesOf(page: string, { type, content }: Token): readonly string[] {
  if (type !== "html_block" && type !== "html_inline") return [];
  return [...content.matchAll(/<img[^>]*?\ssrc="([^"]*)"/g)].flatMap(([, source = ""]) => {
    const target = readTarget(page, source);
    return target.kind === "file" ? [target.path] : [];
  });
}

function partsOf(tokens: readonly Token[], headings: readonly Heading[]): readonly Part[] {
  const parts: { heading: string; anchor: string; texts: string[] }[] = [];
  tokens.forEach((token, index) => {
    if (token.type === "heading_open") {
      const { text = "", anchor = "" } = headings.find((one) => one.anchor === token.attrGet("id")) ?? {};
      parts.push({ heading: text, anchor, texts: [] });
    } else if (token.type === "fence" || (token.type === "inline" && tokens[index - 1]?.type !== "heading_open")) {
      parts.at(-1)?.texts.push(token.type === "fence" ? token.content : plainText(token));
    }
  });
  return parts.map(({ texts, ...part }) => ({ ...part, text: texts.join(" ").replaceAll(/\s+/g, " ").trim() }));
}

function plainText({ children }: Token): string {
  const texts = (children ?? []).map(({ type, content }) => {
    if (type === "softbreak" || type === "hardbreak") return " ";
    return type === "html_inline" ? "" : content;
  });
  return texts.join("");
}

function isDiagram({ type, info }: Token): boolean {
  return type === "fence" && info.trim() === "mermaid";
}

const { rules } = markdown.renderer;

rules.html_block = (tokens, index) => withoutComments(tokens[index]);
rules.html_inline = (tokens, index) => withoutComments(tokens[index]);

function withoutComments(token: Token | undefined): string {
  return (token?.content ?? "").replaceAll(/<!--[\s\S]*?-->\s*/g, "");
}

/** What is wider than the page scrolls in itself, and keyboards reach it. */
rules.table_open = () => '<div class="table" role="group" tabindex="0"><table>';
rules.table_close = () => "</table></div>";

rules.fence = (tokens, index) => {
  const { info, content } = tokens[index] as Token;
  const language = info.trim();
  if (language === "mermaid") {
    return `<figure class="diagram"><pre tabindex="0"><code>${escapeText(content)}</code></pre></figure>`;
  }
  return `<pre tabindex="0"><code>${highlight(content, language)}</code></pre>`;
};
