import type { ConfigurationMessage } from "./messages.ts";
import { pathText } from "./path.ts";
import { shownPath } from "./redaction.ts";
import type { Problem } from "./rules/rule.ts";

type Positions = Readonly<Record<string, readonly [number, number]>>;

/** Turns a problem into a message: the position of its key or value, else of the nearest thing around it. */
export function createLocator(file: string, positions: Positions, keyPositions: Positions = {}) {
  return ({ path, atKey, message, isUnserved }: Problem): ConfigurationMessage => {
    const text = pathText(path);
    const own = atKey ? positionIn(keyPositions, text) : undefined;
    let position = own;
    for (let length = path.length; position === undefined && length >= 0; length--) {
      position = positionIn(positions, pathText(path.slice(0, length)));
    }
    const [line, column] = position ?? [1, 1];
    return { file, line, column, path: pathText(shownPath(path)), message, ...(isUnserved && { isUnserved }) };
  };
}

function positionIn(positions: Positions, path: string): readonly [number, number] | undefined {
  return Object.hasOwn(positions, path) ? positions[path] : undefined;
}
