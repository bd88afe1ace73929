import { isJsonObject } from "../../kernel/json.ts";
import { entryField, pickField } from "../field.ts";
import { jsonAnswer, refusalReason, type SecretAnswer, type SecretFailure, secretFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { type ProviderUrl, parseProviderUrl, refusePath, vendorOrigin } from "../provider-url.ts";
import type { AzureIdentity } from "./credential.ts";

export const PROVIDER = "azurekeyvault";

/**
 * `<name>` is the newest version of the secret `name`, `<ns.key>` the field `key` of the JSON object in the secret `ns`. A
 * vault gives expired secrets as well, and so does this; disabled ones it refuses.
 * @param read brings the whole text of a secret
 */
export function keyVaultSecrets(read: (name: string, reference: string) => Promise<string>): SecretProvider {
  const readOnce = oneFlight(read);
  return {
    async get(reference) {
      const { entry, field } = entryField(reference);
      if (!/^[0-9A-Za-z-]{1,127}$/.test(entry)) {
        throw secretFailure(PROVIDER, reference, "a secret's name has letters, digits and - only");
      }
      const picked = pickField(await readOnce(entry, reference), field);
      if ("value" in picked) return picked.value;
      throw secretFailure(PROVIDER, reference, `the secret ${entry} ${picked.reason}`);
    },
  };
}

/** The reason for an answer that holds no secret. */
export const NO_SECRET = "its answer is no secret";
/** The reason for a challenge that no token is asked for. */
export const OTHER_DOMAIN = "the vault asks for a token of another domain than its own";

/** Why a vault refused. */
export function keyVaultRefusal(answer: SecretAnswer, reference: string): SecretFailure {
  return secretFailure(PROVIDER, reference, refusalReason(answer.status, codeOf(answer), READING));
}

export interface AzureKeyVaultUrl {
  readonly origin: string;
  readonly identity: AzureIdentity;
}

export const EXAMPLE = "azurekeyvault://my-vault.vault.azure.net";
const ENTRA_ID = "login.microsoftonline.com";

/** @throws SecretError that names the part that is wrong and what is accepted */
export function parseAzureKeyVaultUrl(text: string): AzureKeyVaultUrl {
  const url = parseProviderUrl(text, {
    example: EXAMPLE,
    parameters: ["tenantID", "clientID", "clientSecret", "entraIDHost"],
  });
  refusePath(url, EXAMPLE);
  const origin = vendorOrigin(url);
  if (!new URL(origin).hostname.includes(".")) {
    throw new SecretError(
      `The secret provider azurekeyvault needs the whole host name of the vault, for example ${EXAMPLE}.`,
    );
  }
  return { origin, identity: identityOf(url) };
}

/** A client with its secret; without a secret the identity of the machine, of which a client ID names one of several. */
function identityOf(url: ProviderUrl): AzureIdentity {
  const [tenantId, clientId, clientSecret] = ["tenantID", "clientID", "clientSecret"].map((name) =>
    url.parameter(name),
  );
  const entraHost = url.parameter("entraIDHost");
  if (clientSecret === undefined && tenantId === undefined) {
    if (entraHost === undefined) return { kind: "managed", clientId };
    throw new SecretError(
      "The secret provider azurekeyvault takes entraIDHost only with tenantID, clientID and clientSecret.",
    );
  }
  // With a user name or a path in it, the client's secret would go elsewhere.
  const entraUrl = `https://${entraHost ?? ENTRA_ID}`;
  if (!URL.canParse(entraUrl) || new URL(entraUrl).href !== `${new URL(entraUrl).origin}/`) {
    throw new SecretError(`The secret provider azurekeyvault needs a host as entraIDHost, for example ${ENTRA_ID}.`);
  }
  return {
    kind: "client",
    tenantId: url.required("tenantID"),
    clientId: url.required("clientID"),
    clientSecret: url.required("clientSecret"),
    entraOrigin: new URL(entraUrl).origin,
  };
}

/** The inner code where there is one: `SecretDisabled` tells more than `Forbidden`. */
function codeOf(answer: SecretAnswer): unknown {
  const error = jsonAnswer(answer)?.error;
  if (!isJsonObject(error)) return undefined;
  return isJsonObject(error.innererror) ? error.innererror.code : error.code;
}

const READING = {
  401: "the token is not accepted",
  403: "it is disabled, or the identity may not get it",
  404: "there is no such secret in the vault",
  429: "the vault is asked too often",
};
