import type { JsonObject } from "../../json.ts";
import { jsonAnswer, type SecretAnswer, type SecretRequest, secretHttp } from "../http.ts";
import type { SecretSources } from "../opener.ts";
import { unescaped } from "../provider-url.ts";
import type { VaultUrl } from "./url.ts";

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
