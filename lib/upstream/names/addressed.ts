import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { exchangeText } from "./exchange-text.ts";

/** What a request of an agent names, and so which upstream it is for. */
export interface Addressed {
  /** `resource` is a URI or a URI template. */
  readonly kind: "tool" | "prompt" | "resource" | "task";
  /** As the agent wrote it. */
  readonly text: string;
  /** Where it stands in `params`. */
  readonly path: readonly string[];
}

const PLACES: Readonly<Record<string, Omit<Addressed, "text">>> = {
  "tools/call": { kind: "tool", path: ["name"] },
  "prompts/get": { kind: "prompt", path: ["name"] },
  "resources/read": { kind: "resource", path: ["uri"] },
  "resources/subscribe": { kind: "resource", path: ["uri"] },
  "resources/unsubscribe": { kind: "resource", path: ["uri"] },
  "tasks/cancel": { kind: "task", path: ["taskId"] },
  "tasks/get": { kind: "task", path: ["taskId"] },
  "tasks/result": { kind: "task", path: ["taskId"] },
  "tasks/update": { kind: "task", path: ["taskId"] },
};

/** Of `completion/complete`, by the type of its reference. */
const REFERENCES: Readonly<Record<string, Omit<Addressed, "text">>> = {
  "ref/prompt": { kind: "prompt", path: ["ref", "name"] },
  "ref/resource": { kind: "resource", path: ["ref", "uri"] },
};

/** Undefined where a request names nothing, or not by a text. */
export function addressedBy(method: string, params: JsonObject): Addressed | undefined {
  const place = placeIn(method, params);
  const text = place?.path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), params);
  return place !== undefined && typeof text === "string" ? { ...place, text } : undefined;
}

/** The params with the upstream's own name or URI in the place of the agent's. */
export function readdressed(params: JsonObject, { path }: Addressed, own: string): JsonObject {
  return exchangeText(params, path, () => own);
}

function placeIn(method: string, { ref }: JsonObject): Omit<Addressed, "text"> | undefined {
  if (method !== "completion/complete") return own(PLACES, method);
  return isJsonObject(ref) && typeof ref.type === "string" ? own(REFERENCES, ref.type) : undefined;
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
