import type { OutputUnit } from "@cfworker/json-schema";
import { nearest } from "../kernel/suggestions.ts";

const MAX_SENTENCES = 5;
const MAX_NAME_LENGTH = 100;
const MAX_SENTENCE_LENGTH = 600;
const MAX_ACCEPTED_LENGTH = 300;

/** Keywords that only say that something below them failed. */
const ENVELOPES = new Set([
  "properties",
  "patternProperties",
  "propertyNames",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "unevaluatedItems",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
]);

/** Sentences about what the validator found, as many as somebody reads. */
export interface ProblemSentences {
  /** Whether there is room for no more. */
  isFull(): boolean;
  /** Takes the first of them that say something, and each once. */
  add(errors: readonly OutputUnit[]): void;
  /** @param accepted names of the members that there are, told with those that are not; undefined: any may be */
  tell(accepted: readonly string[] | undefined): readonly string[];
}

export function createSentences(): ProblemSentences {
  /** With the name of a member of the whole value that is not accepted. */
  const told = new Map<string, string | undefined>();
  const isFull = () => told.size >= MAX_SENTENCES;
  const put = (error: OutputUnit) => told.set(sentence(error), refusedMember(error));
  return {
    isFull,
    add: (errors) => {
      const before = told.size;
      let isSaid = false;
      for (const error of errors) {
        if (isFull()) return;
        if (ENVELOPES.has(error.keyword)) continue;
        isSaid = true;
        put(error);
      }
      if (!isSaid && told.size === before) for (const error of errors.slice(0, 1)) put(error);
    },
    tell: (accepted) => withAccepted([...told], accepted),
  };
}

/** Every name with the one that it is likely meant for; of the others the first with all that there are. */
function withAccepted(
  told: readonly (readonly [sentence: string, refused: string | undefined])[],
  accepted: readonly string[] | undefined,
): readonly string[] {
  let isListed = false;
  return told.map(([text, refused]) => {
    if (refused === undefined || accepted === undefined) return text;
    const meant = nearest(refused, accepted);
    if (meant !== undefined) return `${text} (did you mean ${cut(meant, MAX_NAME_LENGTH)}?)`;
    if (isListed) return text;
    isListed = true;
    return `${text} (accepted: ${accepted.length === 0 ? "none" : cut(accepted.join(", "), MAX_ACCEPTED_LENGTH)})`;
  });
}

function refusedMember({ instanceLocation, keyword }: OutputUnit): string | undefined {
  const [name, ...deeper] = pathOf(instanceLocation);
  return keyword === "false" && deeper.length === 0 ? name : undefined;
}

function sentence({ instanceLocation, keyword, error }: OutputUnit): string {
  const where = place(pathOf(instanceLocation));
  if (keyword === "false") return `${where}is not accepted`;
  const what = error
    .replace(/^Instance /, "")
    .replace(/^"(.*?)" /, "")
    .replace(/ is invalid\. Expected /, " is invalid, expected ");
  return cut(`${where}${what}`, MAX_SENTENCE_LENGTH);
}

/** The validator's locations are JSON Pointers in a URI fragment (RFC 6901 §6). */
function pathOf(location: string): readonly string[] {
  return location
    .split("/")
    .slice(1)
    .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Where a sentence is about; empty for the whole value. */
export function place(path: readonly string[]): string {
  return path.length === 0 ? "" : `${cut(path.join("."), MAX_NAME_LENGTH)}: `;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}

/** Why arguments are refused, in one sentence. */
export function invalidArgumentsText(problems: readonly string[]): string {
  return `Invalid arguments: ${problems.map((problem) => problem.replace(/\.$/, "")).join("; ")}`;
}
