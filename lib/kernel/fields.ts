import { isJsonObject, type JsonObject } from "./json.ts";
import { type FieldProblem, ProblemError } from "./problem.ts";

/** Collects what is wrong with a JSON object, so that a caller learns everything at once. */
export interface Fields {
  readonly object: JsonObject;
  refuse(pointer: string, detail: string): void;
  /** Throws `invalid_field` when anything was refused. */
  finish(): void;
}

/**
 * Opens a JSON object for reading. A member that is not in `known` is refused: a misspelt field never passes unnoticed.
 * @throws ProblemError `invalid_body` when the value is not an object
 */
export function readFields(input: unknown, known: readonly string[]): Fields {
  if (!isJsonObject(input)) throw new ProblemError("invalid_body", "The body must be a JSON object.");
  const problems: FieldProblem[] = [];
  for (const name of Object.keys(input)) {
    if (known.includes(name)) continue;
    const accepted = known.length === 0 ? "none is accepted" : `accepted are ${known.join(", ")}`;
    problems.push({ pointer: pointer(name), detail: `is not a field here; ${accepted}` });
  }
  return {
    object: input,
    refuse: (at, detail) => problems.push({ pointer: at, detail }),
    finish: () => {
      if (problems.length > 0) {
        throw new ProblemError("invalid_field", "Some fields are not acceptable.", { fields: problems });
      }
    },
  };
}

export interface TextRule {
  /** Lengths in characters, after trimming. */
  readonly min: number;
  readonly max: number;
  /** Line breaks and tabs are accepted; other control characters never are. */
  readonly multiline?: boolean;
}

/** The trimmed text of a member, or undefined after refusing it. */
export function textField(fields: Fields, name: string, rule: TextRule): string | undefined {
  const value = fields.object[name];
  const at = pointer(name);
  if (typeof value !== "string") {
    fields.refuse(at, value === undefined ? "is required" : "must be a string");
    return undefined;
  }
  const text = value.trim();
  const length = [...text].length;
  if (length < rule.min || length > rule.max) {
    fields.refuse(at, `must have ${rule.min} to ${rule.max} characters`);
    return undefined;
  }
  if (!text.isWellFormed() || (rule.multiline ? CONTROL_BUT_BREAKS : CONTROL).test(text)) {
    fields.refuse(at, "must not contain control characters");
    return undefined;
  }
  return text;
}

/** The strings of an array member; each that `check` finds fault with is refused at its own pointer. */
export function textListField(
  fields: Fields,
  name: string,
  maxItems: number,
  check: (text: string) => string | undefined,
): readonly string[] {
  const value = fields.object[name];
  if (!Array.isArray(value)) {
    fields.refuse(pointer(name), "must be an array of strings");
    return [];
  }
  if (value.length > maxItems) {
    fields.refuse(pointer(name), `must have at most ${maxItems} entries`);
    return [];
  }
  value.forEach((item: unknown, index) => {
    const fault = itemFault(item, value.indexOf(item) < index, check);
    if (fault !== undefined) fields.refuse(`${pointer(name)}/${index}`, fault);
  });
  return value as readonly string[];
}

function itemFault(item: unknown, repeated: boolean, check: (text: string) => string | undefined): string | undefined {
  if (typeof item !== "string") return "must be a string";
  if (repeated) return "is listed twice";
  return check(item);
}

/** A JSON Pointer to a member of the top-level object (RFC 6901 §3). */
function pointer(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 200)}`;
}

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_BREAKS = /[^\P{Cc}\t\n\r]/u;
