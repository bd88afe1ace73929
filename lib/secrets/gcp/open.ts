import { fromBase64 } from "../../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { tokenHolder, withToken } from "../access-token.ts";
import { entryField, type Picked, pickField } from "../field.ts";
import { jsonAnswer, refusalReason, type SecretAnswer, secretFailure, secretHttp } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { parseProviderUrl, refusePath } from "../provider-url.ts";
import { gcpSignIn } from "./sign-in.ts";

const PROVIDER = "gcpsecretmanager";
const EXAMPLE = "gcpsecretmanager://my-project";
const ORIGIN = "https://secretmanager.googleapis.com";

/**
 * Google Cloud Secret Manager: `<name>` is the latest version of the secret `name`, `<ns.key>` the field `key` of the JSON
 * object in the secret `ns`. Whose token is used, `gcpSignIn` says.
 * @throws SecretError when the URL or a service account key is not as documented; nothing is connected yet
 */
export async function openGcpSecretManager(text: string, sources: SecretSources): Promise<SecretProvider> {
  const project = projectOf(text);
  const send = secretHttp({ ...sources, provider: PROVIDER });
  const token = tokenHolder(await gcpSignIn({ ...sources, provider: PROVIDER, send }), sources.clock);
  const read = oneFlight(async (name, reference) => {
    const url = new URL(`/v1/projects/${project}/secrets/${name}/versions/latest:access`, ORIGIN);
    const answer = await withToken(token, {
      send: (value) => send({ url, headers: { Authorization: `Bearer ${value}` }, reference }),
      isRefused: ({ status }) => status === 401,
    });
    return textOf(answer, reference);
  });
  return {
    async get(reference) {
      const { entry, field } = entryField(reference);
      if (!/^[\w-]{1,255}$/.test(entry)) {
        throw secretFailure(PROVIDER, reference, "a secret's name has letters, digits, _ and - only");
      }
      const picked = pickField(await read(entry, reference), field);
      if ("value" in picked) return picked.value;
      throw secretFailure(PROVIDER, reference, `the secret ${entry} ${picked.reason}`);
    },
  };
}

function projectOf(text: string): string {
  const url = parseProviderUrl(text, { example: EXAMPLE, parameters: [] });
  refusePath(url, EXAMPLE);
  if (/^[a-z0-9-]{1,63}$/.test(url.host)) return url.host;
  throw new SecretError(
    `The secret provider ${PROVIDER} needs the id or the number of a project, of lower-case letters, digits and -, for example ${EXAMPLE}.`,
  );
}

/** The response of `AccessSecretVersion`. */
function textOf(answer: SecretAnswer, reference: string): string {
  const body = jsonAnswer(answer);
  if (answer.status !== 200) {
    const code = isJsonObject(body?.error) ? body.error.status : undefined;
    throw secretFailure(PROVIDER, reference, refusalReason(answer.status, code, READING));
  }
  const payload = body?.payload;
  if (!isJsonObject(payload)) throw secretFailure(PROVIDER, reference, "its answer has no payload");
  const decoded = payloadText(payload);
  if ("value" in decoded) return decoded.value;
  throw secretFailure(PROVIDER, reference, decoded.reason);
}

const READING = {
  400: "its latest version is disabled or destroyed",
  401: "the token is not accepted",
  403: "the service account may not access it, or the API is not enabled",
  404: "there is no such secret in the project, or it has no version",
  429: "its quota is used up",
};

/**
 * The text of a `SecretPayload`, or why it has none: `data` is base64 (RFC 4648 §4) and absent when it is empty, `dataCrc32c`
 * the CRC-32C of what it stands for, a decimal number as text, and may be absent.
 */
function payloadText({ data, dataCrc32c }: JsonObject): Picked {
  const bytes = decoded(data ?? "");
  if (bytes === undefined) return { reason: "its answer has no payload" };
  if (dataCrc32c !== undefined && String(dataCrc32c) !== String(crc32c(bytes))) {
    return { reason: "its answer was damaged on the way: the checksum differs" };
  }
  try {
    return { value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { reason: "it is no text in UTF-8" };
  }
}

function decoded(base64: unknown): Uint8Array | undefined {
  if (typeof base64 !== "string") return undefined;
  try {
    return fromBase64(base64);
  } catch {
    return undefined;
  }
}

/** Castagnoli's polynomial, its bits reversed (RFC 3720 §12.1); bit by bit, as secrets are 64 KiB at most. */
const POLYNOMIAL = 0x82f63b78;

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
