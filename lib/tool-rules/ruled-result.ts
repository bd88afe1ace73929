import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject, jsonExceeds } from "../kernel/json.ts";
import { type Effort, newEffort } from "./mask.ts";
import { isWrittenNumber, removalOf, WithheldError, without, withoutAnywhere } from "./result-rule.ts";
import type { ResultRules } from "./result-rules.ts";

/** How a result is read. */
export interface ResultReading {
  /** Reads a JSON text; throws a `SyntaxError` for what is none. */
  readonly parse: (text: string) => unknown;
  /** Blocks of content from this one on are ours: they are masked, and need not be JSON. */
  readonly notesFrom?: number;
}

/** Levels of a value: who writes JSON uses the stack for each. */
const DEEPEST = 1_000;
const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The result of a call (MCP, Tools, Tool Result) as agents get it. What rules cannot look into, such as images, is left out, and
 * a text says so.
 *
 * @throws WithheldError where nothing of it may be shown
 */
export function ruledResult(result: JsonObject, rules: ResultRules, reading: ResultReading): JsonObject {
  if (jsonExceeds(result, { depth: DEEPEST })) throw new WithheldError("malformed");
  const ruler = createRuler(rules, reading, newEffort());
  const { content, structuredContent, _meta: meta, ...others } = result;
  if (content !== undefined && !Array.isArray(content)) throw new WithheldError("malformed");
  return {
    ...ruler.others(others),
    ...(meta !== undefined && { _meta: ruler.meta(meta) }),
    ...(content !== undefined && {
      content: content.map((block, index) =>
        ruler.block(block, structuredContent, index >= (reading.notesFrom ?? Infinity)),
      ),
    }),
    ...(structuredContent !== undefined && { structuredContent: ruler.structured(structuredContent) }),
  };
}

/**
 * A task as agents get it: the result of its call may stand in it (extension Tasks 2026-07-28).
 *
 * @throws WithheldError
 */
export function ruledTask(
  { result, error, ...task }: JsonObject,
  rules: ResultRules,
  reading: ResultReading,
): JsonObject {
  return {
    ...ruledResult(task, rules, reading),
    ...(isJsonObject(result) && { result: ruledResult(result, rules, reading) }),
    ...(error !== undefined && rules.removal === undefined && { error: maskedMessage(error, rules) }),
  };
}

/** Any JSON value with texts and numbers masked. */
function maskedValue(value: unknown, { masks }: Pick<ResultRules, "masks">, effort = newEffort()): unknown {
  return masks === undefined ? value : masks.value(value, NO_NAMES, effort);
}

/** What a server says in a message of the protocol, masked as far as neither side goes by it. */
export function maskedMessage(value: unknown, rules: Pick<ResultRules, "masks">, effort = newEffort()): unknown {
  if (Array.isArray(value)) return value.map((one) => maskedMessage(one, rules, effort));
  if (!isJsonObject(value) || isWrittenNumber(value)) return maskedValue(value, rules, effort);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (isProtocol(name, member)) return [[name, member]];
      if (rules.masks !== undefined && rules.masks.text(name, effort) !== name) return [];
      const mask = FREE.has(name) ? maskedValue : maskedMessage;
      return [[name, mask(member, rules, effort)]];
    }),
  );
}

/** Words of the protocol, and what either side goes by: ids, and how far something is. */
function isProtocol(name: string, value: unknown): boolean {
  if (NAMED.has(name)) return typeof value === "string" || typeof value === "number";
  return WORDS.has(name) && typeof value === "string" && /^[a-z_]+(?:[/+.-][\w/+.-]{0,40})?$/i.test(value);
}

const NAMED = new Set(
  "requestState taskId progressToken requestId elicitationId createdAt lastUpdatedAt ttl ttlMs pollInterval pollIntervalMs".split(
    " ",
  ),
);
const WORDS = new Set("type role mimeType method mode level status resultType action cacheScope format".split(" "));
/** Whatever the server wants to say. */
const FREE = new Set(["data", "message", "reason", "statusMessage"]);

function createRuler(rules: ResultRules, { parse }: ResultReading, effort: Effort) {
  const { removal, masks, names, pointers } = rules;
  const masked = (value: unknown): unknown => masks?.value(value, names, effort) ?? value;
  const text = (value: unknown): string => masks?.text(String(value), effort) ?? String(value);
  const free = (value: unknown): unknown => maskedValue(value, rules, effort);
  const structured = (value: unknown): unknown => masked(removal === undefined ? value : without(value, removal));

  /** JSON in a text that stays JSON; undefined: it is none. */
  function json(given: string, beside: unknown): string | undefined {
    const value = parsed(given, parse);
    if (value === undefined) return undefined;
    const isSame = beside === undefined || removal === undefined || canonicalJson(value) === canonicalJson(beside);
    const shown = isSame ? structured(value) : masked(withoutAnywhere(value, pointers));
    return JSON.stringify(shown, undefined, indentOf(given));
  }

  /** What is said in a text. Where something is taken away it has to be JSON. */
  function content(given: unknown, beside: unknown, isOurs: boolean): string {
    if (typeof given !== "string") throw new WithheldError("malformed");
    if (isOurs) return text(given);
    const shown = json(given, beside);
    if (shown !== undefined) return shown;
    if (removal !== undefined) throw new WithheldError("not_json");
    return text(given);
  }

  function block(given: unknown, beside: unknown, isOurs: boolean): JsonObject {
    if (!isJsonObject(given)) throw new WithheldError("malformed");
    switch (given.type) {
      case "text":
        return { type: "text", text: content(given.text, beside, isOurs), ...about(given) };
      case "resource_link":
        return { type: "resource_link", ...described(given), ...about(given) };
      case "resource": {
        const { resource } = given;
        if (!isJsonObject(resource) || typeof resource.text !== "string") return leftOut(given.type);
        const shown = { ...described(resource), text: content(resource.text, beside, isOurs), ...about(resource) };
        return { type: "resource", resource: shown, ...about(given) };
      }
      default:
        return leftOut(given.type);
    }
  }

  /** What a resource is called. */
  function described(resource: JsonObject): JsonObject {
    const { uri, name, title, description, mimeType, size } = resource;
    return {
      ...texts({ uri, name, title, description }),
      ...(same(mimeType) && { mimeType }),
      ...(same(size) && { size }),
    };
  }

  function texts(all: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (typeof value === "string" ? [[name, text(value)]] : [])),
    );
  }

  /** Whether there is a value, and masks leave it as it is: another would be no valid one. */
  function same(value: unknown): boolean {
    return value !== undefined && canonicalJson(free(value)) === canonicalJson(value);
  }

  function about({ annotations, _meta }: JsonObject): JsonObject {
    return { ...(same(annotations) && { annotations }), ...(_meta !== undefined && { _meta: meta(_meta) }) };
  }

  /** Where something is taken away, nobody knows what else says it. */
  function meta(given: unknown): JsonObject {
    if (!isJsonObject(given)) return {};
    const known = removal === undefined ? given : only(given, META);
    const { [RELATED_TASK]: task, ...others } = known;
    return { ...(free(others) as object), ...(task !== undefined && { [RELATED_TASK]: task }) };
  }

  function others(given: JsonObject): JsonObject {
    const known = removal === undefined ? given : only(given, OTHERS);
    const [protocol, more] = [only(known, OTHERS), without(known, removalOf([...OTHERS].map((name) => [name])))];
    const told = removal === undefined ? protocol : withoutAnywhere(protocol, [["statusMessage"]]);
    return { ...(maskedMessage(told, rules, effort) as object), ...(free(more) as object) };
  }

  return { block, meta, others, structured };
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";
const META = new Set([RELATED_TASK, "ui", "ui/resourceUri", "openai/outputTemplate"]);
/** Of a result, a request for input, or a task. */
const OTHERS = new Set(
  "resultType isError inputRequests requestState task tasks nextCursor taskId status ttl ttlMs pollInterval pollIntervalMs createdAt lastUpdatedAt".split(
    " ",
  ),
);

function only(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}

function leftOut(type: unknown): JsonObject {
  const what = type === "image" || type === "audio" ? type : type === "resource" ? "binary" : "other";
  return {
    type: "text",
    text: `[Content (${what}) was left out: rules hold for the results of this tool, and cannot look into it.]`,
  };
}

/** A JSON text is an object, a list, a number, `true`, `false` or `null`: a quoted text could say anything. */
function parsed(text: string, parse: ResultReading["parse"]): unknown {
  try {
    const value = parse(text);
    if (jsonExceeds(value, { depth: DEEPEST })) throw new WithheldError("malformed");
    return typeof value === "string" ? undefined : value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Spaces that a JSON text is indented by. */
function indentOf(text: string): number {
  return /^\s*[[{]\n( +)/.exec(text)?.[1]?.length ?? 0;
}
