import { secretLooks } from "../support/secret-looks.ts";

/** What must not be in any log line, and the search for it. */
export interface Secrets {
  /** Remembers a token, or the segments of an assertion that are its sender's own. */
  add(text: string): void;
  /** Remembers a text that is searched for as it is. */
  addLiteral(text: string): void;
  /** The lines that hold one, cut short. */
  leaks(lines: readonly string[]): readonly string[];
}

/** Of a longer secret this many characters are enough to know it by. */
const WINDOW = 24;

export function secrets(): Secrets {
  const windows = new Set<string>();
  const literals = new Set<string>();
  const holdsWindow = (line: string) =>
    (line.match(/[\w+/-]{24,}/g) ?? []).some((run) =>
      Array.from({ length: run.length - WINDOW + 1 }, (_, at) => run.slice(at, at + WINDOW)).some((part) =>
        windows.has(part),
      ),
    );
  return {
    add: (text) => {
      if (text.length >= WINDOW) windows.add(text.slice(-WINDOW));
    },
    addLiteral: (text) => literals.add(text),
    leaks: (lines) =>
      lines
        .filter(
          (line) =>
            secretLooks(line).length > 0 || [...literals].some((text) => line.includes(text)) || holdsWindow(line),
        )
        .map((line) => line.slice(0, 300)),
  };
}
