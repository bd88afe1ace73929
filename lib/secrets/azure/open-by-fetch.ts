import { jsonAnswer, type SecretAnswer, secretFailure, secretHttp } from "../http.ts";
import { SecretError, type SecretProvider, type SecretSources } from "../provider.ts";
import { azureCredential } from "./credential.ts";
import {
  EXAMPLE,
  keyVaultRefusal,
  keyVaultSecrets,
  NO_SECRET,
  OTHER_DOMAIN,
  PROVIDER,
  parseAzureKeyVaultUrl,
} from "./key-vault.ts";

/** Of the REST API, as Azure's client has it. */
const API_VERSION = "2026-04-01";

/**
 * Azure Key Vault by requests of our own, for where Azure's client does not run. There are no machines with an identity of
 * Azure's either: a client with its secret is needed.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openAzureKeyVaultByFetch(text: string, sources: SecretSources): SecretProvider {
  const { origin, identity } = parseAzureKeyVaultUrl(text);
  if (identity.kind !== "client") {
    throw new SecretError(
      `The secret provider ${PROVIDER} needs tenantID, clientID and clientSecret on this runtime, whose machines have no identity, for example ${EXAMPLE}?tenantID=…&clientID=…&clientSecret=….`,
    );
  }
  const send = secretHttp({ ...sources, provider: PROVIDER });
  const credential = azureCredential({ ...sources, provider: PROVIDER, identity, send });
  /** What the vault wants a token for; it says so to whoever brings none ("Authentication, requests and responses"). */
  let scope: string | undefined;

  const answerTo = async (name: string, reference: string): Promise<SecretAnswer> => {
    const url = new URL(`/secrets/${name}/?api-version=${API_VERSION}`, origin);
    const ask = (headers = {}) => send({ url, headers, reference });
    if (scope === undefined) {
      const first = await ask();
      if (first.status !== 401) return first;
      scope = scopeOf(first, url);
    }
    if (scope === undefined) throw secretFailure(PROVIDER, reference, OTHER_DOMAIN);
    const token = await credential.token(scope);
    const answer = await ask({ Authorization: `Bearer ${token}` });
    if (answer.status === 401) credential.drop(token);
    return answer;
  };
  return keyVaultSecrets(async (name, reference) => {
    const answer = await answerTo(name, reference);
    if (answer.status !== 200) throw keyVaultRefusal(answer, reference);
    const { value } = jsonAnswer(answer) ?? {};
    if (typeof value === "string") return value;
    throw secretFailure(PROVIDER, reference, NO_SECRET);
  });
}

/**
 * The scope that a challenge asks for, if it is the vault's own domain and nothing else: whoever answers in the vault's place must not
 * get a token for something else. The domain is the vault's host without the vault's name, for example `vault.azure.net`.
 */
function scopeOf({ headers }: SecretAnswer, { hostname }: URL): string | undefined {
  const challenge = headers.get("WWW-Authenticate") ?? "";
  const [, resource] = /\bresource="([^"]+)"/.exec(challenge) ?? [];
  const [, named] = /\bscope="([^"]+)"/.exec(challenge) ?? [];
  const asked = (resource ?? named)?.replace(/\/\.default$/, "");
  if (asked === undefined || !URL.canParse(asked)) return undefined;
  const { href } = new URL(asked);
  const domain = hostname.slice(hostname.indexOf(".") + 1);
  return href === `https://${domain}/` ? `https://${domain}/.default` : undefined;
}
