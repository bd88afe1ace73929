import type { JsonObject } from "../../kernel/json.ts";
import { jsonAnswer, type SecretAnswer, type SecretRequest, secretHttp, statusText } from "../http.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError } from "../provider.ts";
import { type ProviderUrl, parseProviderUrl, unescaped } from "../provider-url.ts";

export interface VaultRequest {
  /** GET unless given. */
  readonly method?: "POST";
  /** Segments below `/v1`. */
  readonly path: readonly string[];
  readonly token?: string;
  readonly body?: JsonObject;
  /** The secret that it is for; absent: it signs in. */
  readonly reference?: string;
}

export interface VaultAnswer {
  readonly status: number;
  /** Undefined when the answer is no JSON object. */
  readonly body: JsonObject | undefined;
}

/** Rejects with SecretError when there is no answer. */
export type SendToVault = (request: VaultRequest) => Promise<VaultAnswer>;

/** Vault's HTTP API below `/v1`. A standby node that redirects to the active one is followed, once. */
export function vaultClient(url: VaultUrl, sources: SecretSources): SendToVault {
  const send = secretHttp({ ...sources, provider: url.scheme });
  return async ({ method, path, token, body, reference }) => {
    const request: SecretRequest = {
      url: new URL(`/v1/${path.map(encodeURIComponent).join("/")}`, url.origin),
      ...(method !== undefined && { method }),
      headers: headersOf(url, token),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      reference,
    };
    const first = await send(request);
    const active = redirectTarget(first, request.url);
    const answer = active === undefined ? first : await send({ ...request, url: active });
    return { status: answer.status, body: jsonAnswer(answer) };
  };
}

/** `X-Vault-Request` is what a Vault agent or proxy in between may insist on, against forged requests. */
function headersOf({ namespace }: VaultUrl, token: string | undefined): Readonly<Record<string, string>> {
  return {
    "X-Vault-Request": "true",
    ...(namespace !== undefined && { "X-Vault-Namespace": namespace }),
    ...(token !== undefined && { "X-Vault-Token": token }),
  };
}

/**
 * Where the active node is; undefined when this is no redirect, or one that does more than change the host: a token goes
 * neither from TLS to plain HTTP nor to another path, such as that of a sign-in page.
 */
function redirectTarget({ status, headers }: SecretAnswer, from: URL): URL | undefined {
  const location = headers.get("Location");
  if (status !== 307 || location === null || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  const isSame = target.protocol === from.protocol && unescaped(target.pathname) === unescaped(from.pathname);
  return isSame ? target : undefined;
}

/** What the errors of an answer are about, by words that they are known to have; their own text is not passed on. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/vault is sealed|is sealed/i, "it is sealed"],
  [/not initialized/i, "it is not initialized"],
  [/local node not active/i, "it is a standby node and knows no active one"],
  [/invalid (role|secret)[ _]?(id|or)/i, "the role ID or the secret ID is not valid (any more)"],
  [/invalid token|bad token|token (is )?expired/i, "the token is not valid (any more)"],
  [/permission denied/i, "permission denied: the token is not valid (any more), or none of its policies allows it"],
  [/rate limit quota exceeded/i, "its rate limit is exceeded"],
  [/no handler for route|unsupported path/i, "nothing is mounted at this path"],
  [/versioned k\/v/i, "KV version 2 needs /data/ behind the mount in the URL's path"],
];

/** Why Vault has not done what was asked, for people: `it is sealed (status 503)`. */
export function refusalReason(answer: VaultAnswer): string {
  const known = KNOWN.find(([words]) => toldBy(answer).some((text) => words.test(text)))?.[1];
  const status = statusText(answer.status);
  if (known !== undefined) return `${known} (${status})`;
  if (answer.status === 307)
    return `it redirects to another node a second time, without TLS or to another path (${status})`;
  return answer.body === undefined ? `${status}, and no answer of Vault's` : status;
}

function toldBy({ body }: VaultAnswer): readonly string[] {
  const lists = [body?.errors, body?.warnings].filter((list) => Array.isArray(list));
  return lists.flat().filter((text): text is string => typeof text === "string");
}

/** Where Vault is, what is read there, and as whom. */
export interface VaultUrl {
  /** For errors. */
  readonly scheme: string;
  /** `https://host:port`. */
  readonly origin: string;
  /** Segments below `/v1`: the mount, `data` for KV version 2, and the path of an entry or of a folder of entries. */
  readonly path: readonly string[];
  readonly namespace: string | undefined;
  readonly credentials: VaultCredentials;
}

type VaultCredentials = { readonly token: string } | { readonly roleId: string; readonly secretId: string };

const EXAMPLE = "hashivault://vault.example.com:8200/secret/data/countersign?token=TOKEN";

/** Plain HTTP has to be asked for: a token travels on it. */
const PLAIN = "hashivault+http";

/** @throws SecretError that names the part that is wrong and what is accepted */
export function parseVaultUrl(text: string): VaultUrl {
  const url = parseProviderUrl(text, {
    example: EXAMPLE,
    parameters: ["token", "roleID", "secretID", "namespace"],
  });
  const { scheme, host, path } = url;
  if (path.length === 0) throw new SecretError(`The secret provider ${scheme} needs a path, for example ${EXAMPLE}.`);
  if (path.some((segment) => /^\.\.?$|\//.test(segment))) {
    throw new SecretError(`The secret provider ${scheme} takes no . or .. and no escaped / in its path.`);
  }
  const origin = `${scheme === PLAIN ? "http" : "https"}://${host}`;
  const credentials = credentialsOf(url);
  return { scheme, origin, path, namespace: url.parameter("namespace"), credentials };
}

function credentialsOf({ scheme, parameter, required }: ProviderUrl): VaultCredentials {
  const [token, roleId, secretId] = [parameter("token"), parameter("roleID"), parameter("secretID")];
  if (token !== undefined && (roleId ?? secretId) !== undefined) {
    throw new SecretError(`The secret provider ${scheme} takes either token, or roleID and secretID, not both kinds.`);
  }
  if (token !== undefined) return { token };
  if (roleId === undefined && secretId === undefined) {
    throw new SecretError(`The secret provider ${scheme} needs the parameter token, or roleID and secretID.`);
  }
  return { roleId: required("roleID"), secretId: required("secretID") };
}
