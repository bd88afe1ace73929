import { entryField, type Picked, pickMember } from "../field.ts";
import { secretFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../opener.ts";
import type { SecretProvider } from "../provider.ts";
import { vaultClient } from "./client.ts";
import { entryReader } from "./entry.ts";
import { vaultSession } from "./session.ts";
import { parseVaultUrl } from "./url.ts";

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
