import { SecretError } from "../provider.ts";
import { type ProviderUrl, parseProviderUrl } from "../provider-url.ts";

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

export type VaultCredentials = { readonly token: string } | { readonly roleId: string; readonly secretId: string };

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
