import { SecretError, type SecretProvider } from "./provider.ts";

/** Opens a provider from its URL; throws or rejects with SecretError. */
export type OpenSecretProvider = (url: string) => SecretProvider | Promise<SecretProvider>;

/** Kinds that are specified and not built yet, so that the error can tell them from typing mistakes. */
const LATER = /^(hashivaults?(\+https?)?|awssecretsmanager|azurekeyvault|conjur|cyberarkccp|delinea|gcpsecretmanager)$/;

/**
 * Opens the one secret provider. Its URL is in the flag or in the variable; both may name the same.
 * Without a URL every secret is an error that says how to name a provider.
 * @param openers by scheme: what this runtime can open
 */
export async function openSecretProvider(
  sources: { readonly flag?: string | undefined; readonly variable?: string | undefined },
  openers: Readonly<Record<string, OpenSecretProvider>>,
): Promise<SecretProvider> {
  const flag = sources.flag || undefined;
  const variable = sources.variable || undefined;
  if (flag !== undefined && variable !== undefined && flag !== variable) {
    throw new SecretError("-secretProvider and SVC_SECRET_PROVIDER name different secret providers; accepted: one.");
  }
  const url = flag ?? variable;
  if (url === undefined) return noProvider();

  const known = Object.keys(openers).join(", ");
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(url)?.[1];
  if (scheme === undefined) throw new SecretError(`The secret provider is no URL; known schemes: ${known}.`);
  const open = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  if (open !== undefined) return open(url);
  const reason = LATER.test(scheme) ? "is not supported by this version" : "is unknown";
  throw new SecretError(`The secret provider ${scheme} ${reason}; known schemes: ${known}.`);
}

function noProvider(): SecretProvider {
  return {
    async get(reference) {
      throw new SecretError(
        `the secret <${reference}> needs a secret provider; name one with -secretProvider or SVC_SECRET_PROVIDER`,
      );
    },
  };
}
