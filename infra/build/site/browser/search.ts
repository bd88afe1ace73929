import MiniSearch, { type SearchResult } from "minisearch";

/** A page as `search.json` has it: file, title, and for each heading anchor, text of the heading, and text below it. */
interface SearchPage {
  readonly file: string;
  readonly title: string;
  readonly isDecision: boolean;
  readonly parts: readonly (readonly [string, string, string])[];
}

interface Entry {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  readonly isDecision: boolean;
}

const MOST = 20;
const OPTIONS = { prefix: true, fuzzy: 0.15, combineWith: "AND", boost: { page: 2, heading: 4 } } as const;

/** Opens with the button, `/` or Ctrl-K. The texts are loaded, and put into an index, when it first opens. */
export function startSearch(root: string): void {
  const dialog = document.getElementById("search") as HTMLDialogElement;
  const words = document.getElementById("search-words") as HTMLInputElement;
  const results = document.getElementById("search-results") as HTMLOListElement;
  const count = document.getElementById("search-count") as HTMLElement;
  let index: Promise<MiniSearch<Entry>> | undefined;

  const open = () => {
    index ??= load(root);
    dialog.showModal();
    words.select();
  };
  document.getElementById("search-button")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
    }
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || (target as Element).closest("a") !== null) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => moveFocus(event, [words, ...results.querySelectorAll("a")]));
  words.addEventListener("input", async () => {
    const found = await find(index, words.value.trim());
    if (found === undefined) count.textContent = "The search could not be loaded.";
    else {
      count.textContent = words.value.trim() === "" ? "" : `${found.length} found`;
      results.replaceChildren(...found.slice(0, MOST).map((result) => itemOf(root, result)));
    }
  });
}

async function find(index: Promise<MiniSearch<Entry>> | undefined, text: string) {
  try {
    const options = { ...OPTIONS, boostDocument: (_: unknown, __: string, kept?: object) => weightOf(kept) };
    return (await index)?.search(text, options) ?? [];
  } catch {
    return undefined;
  }
}

/** Decisions are many, and mostly not what somebody looks for who uses the product. */
function weightOf(stored: { readonly isDecision?: boolean } | undefined): number {
  return stored?.isDecision === true ? 0.4 : 1;
}

async function load(root: string): Promise<MiniSearch<Entry>> {
  const pages = (await (await fetch(`${root}assets/search.json`)).json()) as readonly SearchPage[];
  const index = new MiniSearch<Entry>({
    fields: ["page", "heading", "text"],
    storeFields: ["page", "heading", "text", "isDecision"],
  });
  index.addAll(
    pages.flatMap(({ file, title, isDecision, parts }) =>
      parts.map(([anchor, heading, text]) => ({ id: `${file}#${anchor}`, page: title, heading, text, isDecision })),
    ),
  );
  return index;
}

function itemOf(root: string, result: SearchResult): HTMLLIElement {
  const { id, page, heading, text } = result as SearchResult & Entry;
  const link = document.createElement("a");
  link.href = root + id;
  const title = document.createElement("strong");
  title.textContent = heading === page ? page : `${page} › ${heading}`;
  const excerpt = document.createElement("span");
  excerpt.append(...excerptOf(text, result.terms));
  link.append(title, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The text around the first of the words, with them marked. */
function excerptOf(text: string, terms: readonly string[]): readonly (string | Node)[] {
  const pattern = new RegExp(`(${terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "i");
  const first = Math.max(0, text.search(pattern));
  const begin = first < 60 ? 0 : text.lastIndexOf(" ", first - 40) + 1;
  const part = text.slice(begin, begin + 180);
  return [
    begin > 0 ? "… " : "",
    ...part.split(new RegExp(pattern, "gi")).map((piece) => (pattern.test(piece) ? marked(piece) : piece)),
  ];
}

function marked(text: string): HTMLElement {
  const mark = document.createElement("mark");
  mark.textContent = text;
  return mark;
}

/** Arrow keys go through the results, Enter in the field takes the first one. */
function moveFocus(event: KeyboardEvent, stops: readonly HTMLElement[]): void {
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
  } else if (event.key === "Enter" && at === 0) {
    stops[1]?.click();
  }
}
