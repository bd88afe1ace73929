import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { INVALID_PARAMS, isObject, type JsonObject, RpcError } from "../json-rpc.ts";

/** How long a client may take for a round, milliseconds. */
const LIFETIME = 10 * 60_000;

/** Keeps state at the client, which can read it and not change it. */
export interface RequestStates {
  /** `purpose` says which request the state is for; it is good for no other. */
  seal(state: JsonObject, purpose: string): string;
  /** @throws RpcError for state that was changed, is for another request, or too old */
  open(sealed: unknown, purpose: string): JsonObject;
}

export function createRequestStates(): RequestStates {
  const key = randomBytes(32);
  const mac = (payload: string) => createHmac("sha256", key).update(payload).digest();
  return {
    seal: (state, purpose) => {
      const text = JSON.stringify({ state, purpose, expires: Date.now() + LIFETIME });
      const payload = Buffer.from(text).toString("base64url");
      return `${payload}.${mac(payload).toString("base64url")}`;
    },
    open: (sealed, purpose) => {
      const [payload = "", signature = "", ...rest] = String(sealed).split(".");
      const given = Buffer.from(signature, "base64url");
      const wanted = mac(payload);
      const isOurs = rest.length === 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
      const kept: unknown = isOurs ? JSON.parse(Buffer.from(payload, "base64url").toString()) : undefined;
      if (!isObject(kept) || kept.purpose !== purpose || Number(kept.expires) < Date.now())
        throw new RpcError(INVALID_PARAMS, "params.requestState is not what this request was given.");
      return isObject(kept.state) ? kept.state : {};
    },
  };
}
