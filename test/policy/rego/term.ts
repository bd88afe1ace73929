import { RegoObject, RegoSet, type Value } from "../../../lib/policy/rego/value.ts";

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[a-z]+|[[\]{}(),:])/y;

/** A value as Rego writes it, where a case gives its input so: `{"a": {1, 2}}`, `set()`. */
export function parseTerm(source: string): Value {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) tokens.push(match[1] as string);
  return term(tokens);
}

function term(tokens: string[]): Value {
  const token = tokens.shift();
  if (token === "[") return elements(tokens, "]");
  if (token === "{") return members(tokens);
  if (token === "set") {
    tokens.splice(0, 2);
    return new RegoSet();
  }
  return JSON.parse(token ?? "") as Value;
}

function elements(tokens: string[], end: string): Value[] {
  const found: Value[] = [];
  while (tokens[0] !== end) {
    if (tokens[0] === ",") tokens.shift();
    else found.push(term(tokens));
  }
  tokens.shift();
  return found;
}

/** An object where a colon is behind the first value. */
function members(tokens: string[]): Value {
  const object = new RegoObject();
  const set = new RegoSet();
  let isSet = false;
  for (let next = tokens[0]; next !== "}"; next = tokens[0]) {
    const key = term(tokens);
    isSet = tokens[0] !== ":";
    if (isSet) set.add(key);
    else {
      tokens.shift();
      object.set(key, term(tokens));
    }
    while (tokens[0] === ",") tokens.shift();
  }
  tokens.shift();
  return isSet ? set : object;
}
