import type { SecretProviderOpeners } from "./provider.ts";

/**
 * What opens on Node and Lambda, because it needs client certificates or an SDK; the SDKs take the place of requests of our
 * own, as they find the credentials of every machine. A Worker does not mention this file, and is built without what is
 * behind it.
 */
export const HOSTED_OPENERS: SecretProviderOpeners = {
  awssecretsmanager: async (url, sources) => (await import("./aws/open.ts")).openAwsSecrets(url, sources),
  azurekeyvault: async (url, sources) => (await import("./azure/open.ts")).openAzureKeyVault(url, sources),
  cyberarkccp: async (url, sources) => (await import("./cyberark-ccp.ts")).openCyberarkCcp(url, sources),
};

/** What opens on Node only. */
export const NODE_OPENERS: SecretProviderOpeners = {
  secretfile: async (url, sources) => (await import("./secret-file.ts")).openSecretFile(url, sources),
};
