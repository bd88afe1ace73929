import { SecretError } from "../provider.ts";
import { type ProviderUrl, parseProviderUrl } from "../provider-url.ts";
import { refusePath, vendorOrigin } from "../vendor-origin.ts";
import type { AzureIdentity } from "./credential.ts";

export interface AzureKeyVaultUrl {
  readonly origin: string;
  readonly identity: AzureIdentity;
}

const EXAMPLE = "azurekeyvault://my-vault.vault.azure.net";
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
