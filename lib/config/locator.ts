import type { ConfigurationMessage } from "./messages.ts";
import { pathText } from "./path.ts";
import { shownPath } from "./redaction.ts";
import type { Problem } from "./rules/rule.ts";

type Position = readonly [line: number, column: number, part?: number];
type Positions = Readonly<Record<string, Position>>;

interface LocatorOptions {
  /** Of keys, by path text. */
  readonly keyPositions?: Positions;
  /** Names of the files, where the document is a folder of them. */
  readonly parts?: readonly string[] | undefined;
}

/** What messages call a file of a folder that is one document. */
export function partFile(folder: string, name: string): string {
  return `${folder.replace(/\/+$/, "")}/${name}`;
}

/** Turns a problem into a message: the position of its key or value, else of the nearest thing around it. */
export function createLocator(source: string, positions: Positions, options: LocatorOptions = {}) {
  const { keyPositions = {}, parts } = options;
  return ({ path, atKey, message, isUnserved }: Problem): ConfigurationMessage => {
    const text = pathText(path);
    const own = atKey ? positionIn(keyPositions, text) : undefined;
    let position = own;
    for (let length = path.length; position === undefined && length >= 0; length--) {
      position = positionIn(positions, pathText(path.slice(0, length)));
    }
    const [line, column, part = 0] = position ?? [1, 1];
    const name = parts?.[part];
    const file = name === undefined ? source : partFile(source, name);
    return { file, line, column, path: pathText(shownPath(path)), message, ...(isUnserved && { isUnserved }) };
  };
}

function positionIn(positions: Positions, path: string): Position | undefined {
  return Object.hasOwn(positions, path) ? positions[path] : undefined;
}
