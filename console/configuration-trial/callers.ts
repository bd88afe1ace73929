import type { Configuration } from "../../lib/config/configuration.ts";
import { claimsOfClient } from "../../lib/gateway/explain/client-claims.ts";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";
import type { Caller } from "./protocol.ts";

/** The claims of the caller's token, as an instance with this configuration reads them. Throws with a reason for people. */
export function claimsOf(caller: Caller, configuration: Configuration, now: number): JsonObject {
  if (caller.kind === "client") return claimsOfClient(caller.client, configuration, now);
  const claims = parsed(caller.claims, "The claims");
  if (isJsonObject(claims)) return claims;
  throw new Error("The claims are not one JSON object.");
}

/** Parses what a person typed. Throws with a reason for people. */
export function parsed(text: string, what: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${what} are no JSON: ${(error as Error).message}`, { cause: error });
  }
}
