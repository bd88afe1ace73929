import { isJsonObject, type JsonObject } from "../../json.ts";
import { secretFailure } from "../http.ts";
import type { SendToVault, VaultAnswer } from "./client.ts";
import { refusalReason } from "./refusal.ts";
import type { VaultSession } from "./session.ts";

/** The fields of an entry, or why none can be seen, to be put behind `the entry … `. */
export type Entry = { readonly fields: JsonObject } | { readonly absent: string };

/**
 * Reads an entry of KV version 1 or 2; which, its form tells.
 * @throws SecretError (from the returned function) when Vault does not answer, or answers that it cannot
 */
export function entryReader(
  scheme: string,
  { send, session }: { readonly send: SendToVault; readonly session: VaultSession },
): (path: string, reference: string) => Promise<Entry> {
  const read = (path: string, token: string, reference: string) => send({ path: path.split("/"), token, reference });
  return async (path, reference) => {
    const token = await session.token();
    let answer = await read(path, token, reference);
    if (answer.status === 403) {
      const other = await session.replacement(token);
      if (other !== undefined) answer = await read(path, other, reference);
    }
    return entryOf(answer) ?? refuse(scheme, answer, reference);
  };
}

/** Undefined for an answer that says nothing about the entry. */
function entryOf(answer: VaultAnswer): Entry | undefined {
  const { status, body } = answer;
  const data = body?.data;
  if (status === 403) return { absent: `cannot be read: ${refusalReason(answer)}` };
  if (status === 404) return { absent: absence(answer, data) };
  if (status !== 200 || !isJsonObject(data)) return undefined;
  const isVersioned = isJsonObject(data.metadata) && "version" in data.metadata && "data" in data;
  if (!isVersioned) return { fields: data };
  return isJsonObject(data.data) ? { fields: data.data } : { absent: "is deleted" };
}

/** KV version 2 answers 404 with the metadata of a version that was deleted. */
function absence(answer: VaultAnswer, data: unknown): string {
  if (isJsonObject(data) && isJsonObject(data.metadata)) return "is deleted";
  const { errors, warnings } = answer.body ?? {};
  const isExplained = [errors, warnings].some((list) => Array.isArray(list) && list.length > 0);
  return isExplained || answer.body === undefined ? `cannot be read: ${refusalReason(answer)}` : "is not there";
}

function refuse(scheme: string, answer: VaultAnswer, reference: string): never {
  const reason = answer.status === 200 ? "its answer is none of a KV store" : refusalReason(answer);
  throw secretFailure(scheme, reference, reason);
}
