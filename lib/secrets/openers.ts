import type { OpenSecretProvider, SecretProviderOpeners } from "./provider.ts";

/** HashiCorp Vault and OpenBao. */
const vault: OpenSecretProvider = async (url, sources) => (await import("./vault/open.ts")).openVault(url, sources);

/** What opens everywhere. Each loads its module on first use; all of them are in the Worker, so that none may need an SDK. */
export const PORTABLE_OPENERS: SecretProviderOpeners = {
  awssecretsmanager: async (url, sources) =>
    (await import("./aws/open-by-fetch.ts")).openAwsSecretsByFetch(url, sources),
  azurekeyvault: async (url, sources) =>
    (await import("./azure/open-by-fetch.ts")).openAzureKeyVaultByFetch(url, sources),
  conjur: async (url, sources) => (await import("./conjur/open.ts")).openConjur(url, sources),
  delinea: async (url, sources) => (await import("./delinea/open.ts")).openDelinea(url, sources),
  env: async (url, { environment }) => (await import("./env.ts")).environmentSecrets(environment)(url),
  gcpsecretmanager: async (url, sources) => (await import("./gcp/open.ts")).openGcpSecretManager(url, sources),
  hashivault: vault,
  hashivaults: vault,
  "hashivault+http": vault,
  "hashivault+https": vault,
};

/** Every scheme there is, so that an error can tell one that a runtime lacks from a typing mistake. */
export const SCHEMES: readonly string[] = [
  "awssecretsmanager",
  "azurekeyvault",
  "conjur",
  "cyberarkccp",
  "delinea",
  "env",
  "gcpsecretmanager",
  "hashivault",
  "hashivaults",
  "hashivault+http",
  "hashivault+https",
  "secretfile",
];
