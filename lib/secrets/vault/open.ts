import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { entryField, type Picked, pickMember } from "../field.ts";
import { secretFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretProvider, SecretSources } from "../provider.ts";
import { parseVaultUrl, refusalReason, type SendToVault, type VaultAnswer, vaultClient } from "./client.ts";
import { type VaultSession, vaultSession } from "./session.ts";

/**
 * HashiCorp Vault and OpenBao, KV version 1 and 2. `<ns.key>` is the field `key` of the entry `ns` below the path of the
 * URL or, where that is not, the field `ns.key` of the entry at the path itself; `<key>` is a field of the latter.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openVault(text: string, sources: SecretSources): SecretProvider {
  const url = parseVaultUrl(text);
  const send = vaultClient(url, sources);
  const session = vaultSession(url, { send, clock: sources.clock });
  const read = oneFlight(entryReader(url.scheme, { send, session }));
  const look = async ({ path, field }: Place, reference: string): Promise<Picked> => {
    const entry = await read(path, reference);
    const picked = "fields" in entry ? pickMember(entry.fields, field) : { reason: entry.absent };
    return "value" in picked ? picked : { reason: `the entry ${path} ${picked.reason}` };
  };
  return {
    async get(reference) {
      const reasons: string[] = [];
      for (const place of placesOf(reference, url.path)) {
        const picked = await look(place, reference);
        if ("value" in picked) return picked.value;
        reasons.push(picked.reason);
      }
      throw secretFailure(url.scheme, reference, reasons.join("; "));
    },
  };
}

interface Place {
  /** Segments with `/` between them. */
  readonly path: string;
  readonly field: string;
}

function placesOf(reference: string, path: readonly string[]): readonly Place[] {
  const flat = { path: path.join("/"), field: reference };
  const { entry, field } = entryField(reference);
  const segments = entry.split("/");
  if (field === undefined || segments.includes("")) return [flat];
  return [{ path: [...path, ...segments].join("/"), field }, flat];
}

/** The fields of an entry, or why none can be seen, to be put behind `the entry … `. */
type Entry = { readonly fields: JsonObject } | { readonly absent: string };

/**
 * Reads an entry of KV version 1 or 2; which, its form tells.
 * @throws SecretError (from the returned function) when Vault does not answer, or answers that it cannot
 */
function entryReader(
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
