import { isJsonObject } from "../kernel/json.ts";
import type { CatalogTool, ToolAnnotations } from "./catalog.ts";
import { text } from "./documents/plain.ts";
import { exposedName } from "./names.ts";

/** What an operator makes of a document: which operations become tools, and what agents read of them. */
export interface Curation {
  /** Empty: every operation. */
  readonly include: readonly OperationPattern[];
  readonly exclude: readonly OperationPattern[];
  /** By the name that a tool has without them, namespace left out. */
  readonly overrides: ReadonlyMap<string, ToolOverride>;
}

/** Meets an operationId, a tag, or a method and path such as `GET /books`. */
export interface OperationPattern {
  /** As it is written. */
  readonly text: string;
  readonly matches: (candidate: string) => boolean;
}

export interface ToolOverride {
  /** The new name, without the namespace. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
}

/** Applies a curation to one document and keeps what of it came to nothing. */
export interface Curator {
  /** Whether an operation becomes a tool; of a broken definition method and path decide, undefined is one that may not exist. */
  readonly keeps: (method: string, path: string, definition: unknown) => boolean;
  /** @param prefix put in front of each new name */
  readonly override: <T extends NamedTool>(tools: readonly T[], prefix: string) => Promise<readonly T[]>;
  readonly findings: () => CurationFindings;
}

/** What of a tool an override can change. */
type NamedTool = Omit<CatalogTool, "details">;

export interface CurationFindings {
  /** Patterns that no operation meets. */
  readonly unmatched: readonly OperationPattern[];
  /** Everything that a pattern could have meant. */
  readonly candidates: readonly string[];
  /** How many operations the operator left out, and whether that is all of them. */
  readonly excluded: number;
  readonly isEmpty: boolean;
  /** Keys of overrides that are no tool's name. */
  readonly unknown: readonly string[];
  /** Keys of overrides whose new name another tool has. */
  readonly clashing: readonly string[];
  /** The names of tools before they are overridden. */
  readonly tools: readonly string[];
}

export function createCurator({ include, exclude, overrides }: Curation): Curator {
  const matched = new Set<OperationPattern>();
  const candidates = new Set<string>();
  let [kept, excluded] = [0, 0];
  let names: readonly string[] = [];
  let clashing: readonly string[] = [];

  function anyMatches(patterns: readonly OperationPattern[], known: readonly string[]): boolean {
    const meant = patterns.filter(({ matches }) => known.some(matches));
    for (const pattern of meant) matched.add(pattern);
    return meant.length > 0;
  }

  return {
    keeps(method, path, definition) {
      const known = namesOf(method, path, definition);
      for (const name of known) candidates.add(name);
      // Both are looked at, so that a pattern is known to be of use.
      const [isIncluded, isExcluded] = [anyMatches(include, known), anyMatches(exclude, known)];
      const keeps = (include.length === 0 || isIncluded) && !isExcluded;
      if (keeps) kept++;
      else if (definition !== undefined) excluded++;
      return keeps;
    },
    async override(tools, prefix) {
      names = tools.map(({ localName }) => localName);
      const changed = await Promise.all(tools.map((tool) => overridden(tool, overrides.get(tool.localName), prefix)));
      clashing = clashes(names, changed);
      return changed;
    },
    findings: () => ({
      unmatched: [...include, ...exclude].filter((pattern) => !matched.has(pattern)),
      candidates: [...candidates],
      excluded,
      isEmpty: kept === 0 && excluded > 0,
      unknown: [...overrides.keys()].filter((name) => !names.includes(name)),
      clashing,
      tools: names,
    }),
  };
}

/** Every operation, as the document has it. */
export const NO_CURATION: Curation = { include: [], exclude: [], overrides: new Map() };

function namesOf(method: string, path: string, definition: unknown): readonly string[] {
  const { operationId, tags } = isJsonObject(definition) ? definition : {};
  const id = text(operationId);
  return [
    ...(id === undefined ? [] : [id]),
    ...(Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []),
    `${method} ${path}`,
  ];
}

async function overridden<T extends NamedTool>(tool: T, by: ToolOverride | undefined, prefix: string): Promise<T> {
  if (by === undefined) return tool;
  const { name, description, annotations } = by;
  // Clients show the tool's own title before that of its annotations.
  const title = by.title ?? annotations?.title;
  return {
    ...tool,
    ...(name !== undefined && { name: await exposedName(prefix + name), localName: name }),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(annotations !== undefined && { annotations: { ...tool.annotations, ...annotations } }),
  };
}

/** The former names of renamed tools whose new name is not theirs alone. */
function clashes(names: readonly string[], changed: readonly NamedTool[]): readonly string[] {
  const count = new Map<string, number>();
  for (const { localName } of changed) count.set(localName, (count.get(localName) ?? 0) + 1);
  return names.filter((name, index) => {
    const { localName = name } = changed[index] ?? {};
    return localName !== name && (count.get(localName) ?? 0) > 1;
  });
}
