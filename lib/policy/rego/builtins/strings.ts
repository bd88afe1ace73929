import { spend, spendText } from "../budget.ts";
import { toBigInt, truncate } from "../number.ts";
import { isArray, RegoObject, RegoSet, toJson, type Value } from "../value.ts";
import { codePoints } from "./numbers.ts";
import {
  arrayAt,
  type Builtin,
  type Builtins,
  builtinError,
  integerAt,
  numberAt,
  objectAt,
  operandError,
  stringAt,
  stringsAt,
  typeError,
} from "./operands.ts";
import { regoText } from "./rego-text.ts";
import { sprintf } from "./sprintf.ts";

/** OPA, "Strings". Positions are of code points. */
export const STRINGS: Builtins = {
  concat: (values) => made(stringsAt(values, 1).join(stringAt(values, 0))),
  contains: onTwo((text, part) => text.includes(part)),
  startswith: onTwo((text, part) => text.startsWith(part)),
  endswith: onTwo((text, part) => text.endsWith(part)),
  "strings.any_prefix_match": (values) => anyMatch(values, (text, part) => text.startsWith(part)),
  "strings.any_suffix_match": (values) => anyMatch(values, (text, part) => text.endsWith(part)),
  "strings.count": onTwo((text, part) => (part === "" ? codePoints(text) + 1 : text.split(part).length - 1)),
  "strings.reverse": onOne((text) => [...text].reverse().join("")),
  format_int: (values) => {
    const [value, base] = [numberAt(values, 0), numberAt(values, 1)];
    if (base !== 2 && base !== 8 && base !== 10 && base !== 16)
      throw operandError("operand 2 must be one of {2, 8, 10, 16}");
    return made((toBigInt(value) ?? truncate(value)).toString(base));
  },
  indexof: (values) => {
    const [text, part] = [stringAt(values, 0), searched(values)];
    spendSearch(text, part);
    const index = text.indexOf(part);
    return index === -1 ? -1 : codePoints(text.slice(0, index));
  },
  indexof_n: (values) => {
    const [text, part] = [stringAt(values, 0), searched(values)];
    spendSearch(text, part);
    const found: number[] = [];
    let [points, counted] = [0, 0];
    for (let index = text.indexOf(part); index !== -1; index = text.indexOf(part, index + 1)) {
      spend(1);
      points += codePoints(text.slice(counted, index));
      counted = index;
      found.push(points);
    }
    return found;
  },
  lower: onOne((text) => text.toLowerCase()),
  upper: onOne((text) => text.toUpperCase()),
  replace: (values) => replaced(stringAt(values, 0), [[stringAt(values, 1), stringAt(values, 2)]]),
  "strings.replace_n": (values) => {
    const patterns = objectAt(values, 0)
      .entries()
      .map(([key, value]) => {
        if (typeof key === "string" && typeof value === "string") return [key, value] as const;
        throw operandError("operand 1 non-string key or value found in pattern object");
      });
    return replaced(stringAt(values, 1), patterns);
  },
  split: (values) => split(stringAt(values, 0), stringAt(values, 1)),
  "strings.split_n": (values) => {
    const [text, delimiter, count] = [stringAt(values, 0), stringAt(values, 1), integerAt(values, 2)];
    const parts = split(text, delimiter);
    return count >= 0 ? parts.slice(0, count) : parts.slice(Math.max(parts.length + count, 0));
  },
  sprintf: (values) => {
    const [format, entries] = [stringAt(values, 0), arrayAt(values, 1)];
    return made(sprintf(format, entries));
  },
  substring: (values) => {
    const [text, start, length] = [stringAt(values, 0), integerAt(values, 1), integerAt(values, 2)];
    if (start < 0) throw builtinError("negative offset");
    spendText(text.length);
    const characters = /[\ud800-\udfff]/.test(text) ? [...text] : undefined;
    const end = length < 0 ? undefined : start + length;
    return characters === undefined ? text.slice(start, end) : characters.slice(start, end).join("");
  },
  trim: (values) => trimmed(stringAt(values, 0), stringAt(values, 1), true, true),
  trim_left: (values) => trimmed(stringAt(values, 0), stringAt(values, 1), true, false),
  trim_right: (values) => trimmed(stringAt(values, 0), stringAt(values, 1), false, true),
  trim_prefix: onTwo((text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  trim_suffix: onTwo((text, part) => (part !== "" && text.endsWith(part) ? text.slice(0, -part.length) : text)),
  // Unicode White_Space: JavaScript's but U+FEFF, and U+0085.
  trim_space: onOne((text) =>
    trimmed(
      text,
      " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
      true,
      true,
    ),
  ),
  "strings.render_template": (values) => made(render(stringAt(values, 0), objectAt(values, 1))),
  "internal.template_string": (values) => made(arrayAt(values, 0).map(shown).join("")),
  trace: (values, { print }) => {
    print(stringAt(values, 0));
    return true;
  },
  "internal.print": (values, { print }) => {
    for (const line of lines(arrayAt(values, 0))) print(line);
    return true;
  },
};

function onOne(apply: (text: string) => string): Builtin {
  return (values) => {
    const text = stringAt(values, 0);
    spendText(text.length);
    return made(apply(text));
  };
}

function onTwo(apply: (text: string, part: string) => string | boolean | number): Builtin {
  return (values) => {
    const [text, part] = [stringAt(values, 0), stringAt(values, 1)];
    spendSearch(text, part);
    return apply(text, part);
  };
}

/** Parts up to so many characters are found in time linear in the text. */
const SHORT = 250;
/** Characters times characters of a longer part that a step pays for. */
const COMPARISONS_A_STEP = 10_000;

/** For looking for a part of a text. */
function spendSearch(text: string, part: string): void {
  spendText(text.length);
  if (part.length > SHORT) spend((text.length * part.length) / COMPARISONS_A_STEP);
}

function made(text: string): string {
  spendText(text.length);
  return text;
}

function searched(values: readonly Value[]): string {
  const part = stringAt(values, 1);
  if (part === "") throw builtinError("empty search character");
  return part;
}

function anyMatch(values: readonly Value[], matches: (text: string, part: string) => boolean): boolean {
  const [texts, parts] = [oneOrMore(values, 0), oneOrMore(values, 1)];
  spend((texts.length * parts.length) / 2);
  return texts.some((text) => parts.some((part) => matches(text, part)));
}

function oneOrMore(values: readonly Value[], position: number): readonly string[] {
  const value = values[position];
  if (typeof value === "string") return [value];
  if (!isArray(value) && !(value instanceof RegoSet)) throw typeError(values, position, "string", "set", "array");
  return stringsAt(values, position);
}

function split(text: string, delimiter: string): readonly string[] {
  spendSearch(text, delimiter);
  const parts = delimiter === "" ? [...text] : text.split(delimiter);
  spend(parts.length);
  return parts;
}

/** As Go's `strings.NewReplacer`: in one pass, without overlap, the first pattern that fits at a place. */
function replaced(text: string, patterns: readonly (readonly [string, string])[]): string {
  spendText(text.length * (1 + patterns.length));
  const [only] = patterns;
  if (patterns.length === 1 && only !== undefined && only[0] !== "") {
    spendSearch(text, only[0]);
    const parts = text.split(only[0]);
    spendText(text.length + parts.length * only[1].length);
    return parts.join(only[1]);
  }
  let result = "";
  let afterMatch = false;
  for (let index = 0; index <= text.length; ) {
    spend(patterns.length / 4);
    const found = patterns.find(([pattern]) => text.startsWith(pattern, index) && !(pattern === "" && afterMatch));
    if (found !== undefined) {
      spendText(found[1].length);
      result += found[1];
    }
    if (found !== undefined && found[0] !== "") {
      index += found[0].length;
      afterMatch = false;
      continue;
    }
    const character = index < text.length ? String.fromCodePoint(text.codePointAt(index) as number) : "";
    result += character;
    index += Math.max(1, character.length);
  }
  return result;
}

function trimmed(text: string, characters: string, left: boolean, right: boolean): string {
  spendText(text.length + characters.length);
  const set = new Set(characters);
  const points = [...text];
  let [start, end] = [0, points.length];
  while (left && start < end && set.has(points[start] as string)) start += 1;
  while (right && end > start && set.has(points[end - 1] as string)) end -= 1;
  return points.slice(start, end).join("");
}

/** What a template string shows of a part: a set has the value, none of an undefined one. */
function shown(part: Value): string {
  if (part instanceof RegoSet) {
    const [value] = part.values();
    return value === undefined ? "<undefined>" : typeof value === "string" ? value : regoText(value);
  }
  return typeof part === "string" ? part : regoText(part);
}

/** One line for each combination of what the parts may be (topdown/print.go). */
function lines(parts: readonly Value[]): readonly string[] {
  let found: readonly string[] = [""];
  for (const [index, part] of parts.entries()) {
    const choices =
      part instanceof RegoSet && part.size > 1 ? part.values().map((value) => new RegoSet([value])) : [part];
    spend(found.length * choices.length);
    found = found.flatMap((line) => choices.map((choice) => made(`${line}${index > 0 ? " " : ""}${shown(choice)}`)));
  }
  return found;
}

/** Fields alone, `{{ .name.of.member }}`, of Go's templates; loops and conditions are not served. */
function render(template: string, variables: RegoObject): string {
  return template.replace(/\{\{(-?)([^{}]*?)(-?)\}\}/g, (_, before: string, action: string, after: string) => {
    const path = /^\s*((?:\.\w+)+)\s*$/.exec(action)?.[1];
    if (path === undefined || before !== "" || after !== "")
      throw builtinError("of templates only fields are served, as in {{.name}}");
    let value: Value | undefined = variables;
    for (const name of path.split(".").slice(1)) value = value instanceof RegoObject ? value.get(name) : undefined;
    if (value === undefined) return "<undefined>";
    if (value === null) return "<nil>";
    return typeof value === "string" ? value : goText(toJson(value));
  });
}

/** As Go prints maps and lists. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value !== "object" || value === null) return value === null ? "<nil>" : String(value);
  return `map[${Object.entries(value)
    .map(([name, member]) => `${name}:${goText(member)}`)
    .join(" ")}]`;
}
