import { type JsonObject, jsonExceeds } from "../json.ts";

/** Values in a client's capabilities: many times what the revisions define. */
const LIMITS = { depth: 10, nodes: 500 };
const LENGTH = 16_384;

/** Whether a client declares more than anybody needs: it is kept with the session, and tells lists apart. */
export function areCapabilitiesTooLarge(declared: JsonObject): boolean {
  return jsonExceeds(declared, LIMITS) || JSON.stringify(declared).length > LENGTH;
}
