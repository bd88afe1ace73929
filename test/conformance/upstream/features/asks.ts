import type { JsonObject } from "../json-rpc.ts";
import { text } from "./content.ts";

/** One request to a client. */
export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
}

/** Asks a person to fill in fields; those named are required. */
export function elicit(message: string, properties: JsonObject, required: readonly string[] = []): Ask {
  const requestedSchema = { type: "object", properties, ...(required.length > 0 && { required }) };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

/** Asks the client's model. */
export function sample(prompt: string, maxTokens = 100): Ask {
  return {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: text(prompt) }], maxTokens },
  };
}

export const LIST_ROOTS: Ask = { method: "roots/list", params: {} };

export const A_NAME = elicit("What is your name?", { name: { type: "string" } }, ["name"]);
export const A_CONFIRMATION = elicit("Please confirm", { ok: { type: "boolean" } }, ["ok"]);
