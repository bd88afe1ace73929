import { partFile } from "../locator.ts";
import { type ConfigurationMessage, readable } from "../messages.ts";
import { type Path, pathText, stepText, valueAt } from "../path.ts";
import { shownPath } from "../redaction.ts";
import { MAX_NODES, type Position, type YamlDocument } from "./plain.ts";
import { MAX_CHARACTERS, readYaml } from "./read.ts";

/** One of the files of a folder that are one document. */
export interface DocumentPart {
  /** Its name in the folder. */
  readonly name: string;
  readonly text: string;
}

/** Lists at the top of the document whose entries have names: those of several files are one list. */
const NAMED: readonly string[] = ["apps", "connectors", "apis"];
const IN_NAMED = new RegExp(`^(${NAMED.join("|")})\\[(\\d+)\\]`);

/**
 * Reads the files of a folder as one document, in the order given: mappings merge, and so do lists of what has names. Whatever
 * else stands in two files is a mistake that names both places; then there is no document.
 *
 * @param folder as messages name it
 */
export function mergeYaml(folder: string, parts: readonly DocumentPart[]): YamlDocument {
  const names = parts.map(({ name }) => name);
  const fail = (errors: readonly ConfigurationMessage[]): YamlDocument => ({ ...NOTHING, errors, parts: names });
  const about = (message: string) => fail([{ file: folder, line: 1, column: 1, path: "", message }]);
  const characters = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > MAX_CHARACTERS) return about(`found ${characters} characters; accepted: at most ${MAX_CHARACTERS}`);

  const merging = startMerging(folder, names);
  const errors: ConfigurationMessage[] = [];
  let nodes = 0;
  for (const [index, { name, text }] of parts.entries()) {
    const file = partFile(folder, name);
    const read = readYaml(text, file);
    nodes += Object.keys(read.positions).length;
    if (nodes > MAX_NODES) return about(`too many values, aliases expanded; accepted: ${MAX_NODES}`);
    const { document } = read;
    if (document === undefined || isMapping(document)) errors.push(...merging.add(index, read));
    else if (read.errors.length > 0) errors.push(...read.errors);
    else {
      const found = Array.isArray(document) ? "a list" : "one value";
      errors.push({ file, line: 1, column: 1, path: "", message: `found ${found}; accepted: a mapping` });
    }
    if (!isMapping(document)) merging.refuse();
  }
  const { conflicts, ...merged } = merging.result();
  if (merged.document === undefined || conflicts.length > 0) return fail(readable([...errors, ...conflicts]));
  return { ...merged, errors, parts: names };
}

const NOTHING: YamlDocument = { document: undefined, placeholders: [], positions: {}, keyPositions: {}, errors: [] };

/** What was merged so far. */
function startMerging(folder: string, names: readonly string[]) {
  let document: unknown;
  let isReadable = true;
  const placeholders: YamlDocument["placeholders"][number][] = [];
  const positions: Record<string, Position> = Object.create(null);
  const keyPositions: Record<string, Position> = Object.create(null);
  const conflicts: ConfigurationMessage[] = [];

  /** @returns the part's own mistakes, at their places in the whole */
  function add(part: number, read: YamlDocument): readonly ConfigurationMessage[] {
    const before = new Map(NAMED.map((name) => [name, lengthOf(valueAt(document, [name]))]));
    const moved = (text: string) =>
      text.replace(IN_NAMED, (_, name: string, index: string) => `${name}[${Number(index) + (before.get(name) ?? 0)}]`);
    const table = (given: YamlDocument["positions"]): Record<string, Position> => {
      const result: Record<string, Position> = Object.create(null);
      for (const [name, [line, column]] of Object.entries(given)) result[moved(name)] = [line, column, part];
      return result;
    };
    const [own, ownKeys] = [table(read.positions), table(read.keyPositions)];

    /** Of a key that stands in a former file and in this one. */
    function both(former: unknown, next: unknown, path: Path, name: string): unknown {
      if (next === undefined) return former;
      if (former === undefined) {
        delete positions[name];
        delete keyPositions[name];
        return next;
      }
      if (isMapping(former) && isMapping(next)) {
        const result: Record<string, unknown> = { ...former };
        for (const [key, value] of Object.entries(next)) {
          result[key] = Object.hasOwn(former, key)
            ? both(former[key], value, [...path, key], stepText(name, key))
            : value;
        }
        return result;
      }
      if (NAMED.includes(name) && Array.isArray(former) && Array.isArray(next)) {
        refuseSameNames(former, next, name);
        return [...former, ...next];
      }
      conflict(path, ownKeys[name] ?? own[name], keyPositions[name] ?? positions[name]);
      return former;
    }

    function refuseSameNames(former: readonly unknown[], next: readonly unknown[], list: string): void {
      const known = new Map(former.map((entry, index) => [valueAt(entry, ["name"]), index]));
      for (const [index, entry] of next.entries()) {
        const name = valueAt(entry, ["name"]);
        const first = known.get(name);
        if (typeof name !== "string" || first === undefined) continue;
        const path = [list, former.length + index, "name"];
        conflict(path, own[pathText(path)], positions[pathText([list, first, "name"])], "the name ");
      }
    }

    document = both(document, read.document, [], "");
    for (const [name, position] of Object.entries(own)) positions[name] ??= position;
    for (const [name, position] of Object.entries(ownKeys)) keyPositions[name] ??= position;
    for (const placeholder of read.placeholders) {
      const [list, index, ...rest] = placeholder.path;
      const isMoved = typeof list === "string" && typeof index === "number" && before.has(list);
      const path = isMoved ? [list, index + (before.get(list) ?? 0), ...rest] : placeholder.path;
      placeholders.push({ ...placeholder, path });
    }
    return read.errors.map((error) => ({ ...error, path: moved(error.path) }));
  }

  function conflict(path: Path, here: Position = [1, 1, 0], there: Position = [1, 1, 0], what = ""): void {
    const [line, column, part = 0] = here;
    const [otherLine, otherColumn, other = 0] = there;
    const place = `${partFile(folder, names[other] ?? "")}:${otherLine}:${otherColumn}`;
    conflicts.push({
      ...{ file: partFile(folder, names[part] ?? ""), line, column, path: pathText(shownPath(path)) },
      message: `${what}stands in ${place}, too; accepted: one of them`,
    });
  }

  return {
    add,
    /** There is a part that cannot be read. */
    refuse: () => {
      isReadable = false;
    },
    result: () => ({
      ...{ document: isReadable ? document : undefined, placeholders, positions, keyPositions, conflicts },
    }),
  };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
