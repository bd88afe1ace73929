/** A string of a JSON text with its quotation marks, or what stands between two of them. */
export interface JsonPiece {
  readonly key: string;
  readonly text: string;
  readonly isString: boolean;
}

/** Further in, lines are indented no more: arguments may be nested so deeply that they would be of spaces alone. */
const DEEPEST = 16;

/**
 * A JSON text on indented lines, each string by itself. Nothing is read and written anew, so that it is what was approved: numbers that
 * no double holds keep their digits.
 */
export function layOutJson(json: string): readonly JsonPiece[] {
  let depth = 0;
  let line = "";
  const pieces: JsonPiece[] = [];
  const add = (text: string, isString: boolean) => {
    if (text !== "") pieces.push({ key: `${pieces.length}`, text, isString });
  };
  const newLine = () => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token.startsWith('"')) {
      add(line, false);
      add(token, true);
      line = "";
    } else if (token === "{" || token === "[") {
      depth += 1;
      line += token + newLine();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      line += newLine() + token;
    } else {
      line += token === "," ? token + newLine() : token === ":" ? ": " : token;
    }
  }
  add(line, false);
  return pieces;
}

/** A string, two brackets with nothing between, punctuation, or anything else. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/gsu;
