import { SCHEMES } from "./openers.ts";
import { SecretError, type SecretProvider, type SecretProviderOpeners, type SecretSources } from "./provider.ts";
import { credentialsIn } from "./provider-url.ts";

/** Where the provider is named. */
export interface SecretProviderNames {
  readonly flag?: string | undefined;
  readonly variable?: string | undefined;
}

/**
 * Opens the one secret provider. Its URL is in the flag or in the variable; both may name the same.
 * Without a URL every secret is an error that says how to name a provider.
 * @param openers by scheme: what this runtime can open
 * @throws SecretError (rejects) that quotes no value of the URL
 */
export async function openSecretProvider(
  { flag, variable }: SecretProviderNames,
  openers: SecretProviderOpeners,
  sources: SecretSources,
): Promise<RememberedSecrets> {
  if (flag && variable && flag !== variable) {
    throw new SecretError("-secretProvider and SVC_SECRET_PROVIDER name different secret providers; accepted: one.");
  }
  const url = flag || variable;
  if (!url) return rememberedSecrets(noProvider());

  const known = Object.keys(openers).sort().join(", ");
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(url)?.[1];
  if (scheme === undefined) throw new SecretError(`The secret provider is no URL; known schemes: ${known}.`);
  // A URL's parser leaves some of them out: a logger would look for other credentials than those that are sent.
  if (/[\p{Cc}]/u.test(url)) {
    throw new SecretError(
      `The secret provider ${scheme} has a line break, a tab or another control character in its URL.`,
    );
  }
  const open = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  if (open !== undefined) return rememberedSecrets(await open(url, sources), credentialsIn(url));
  const reason = SCHEMES.includes(scheme) ? "does not work on this runtime" : "is unknown";
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

/** A provider that knows what it gave, so that a logger can remove secrets by value. */
export interface RememberedSecrets extends SecretProvider {
  /** The values that are in use, those before them, and the credentials in the provider's URL; none is empty. */
  values(): Iterable<string>;
  /** Tells the listener every value that is known, and all of them again when there is a new one, before anybody else has it. */
  onValue(listener: (value: string) => void): void;
}

/** @param credentials values that are known from the start */
export function rememberedSecrets(provider: SecretProvider, credentials: readonly string[] = []): RememberedSecrets {
  /** The latest two of each reference: whatever still runs on the former one may log it. */
  const given = new Map<string, readonly string[]>();
  const listeners: ((value: string) => void)[] = [];
  const values = () => new Set([...credentials, ...[...given.values()].flat()].filter((value) => value !== ""));
  const tell = (listener: (value: string) => void) => {
    for (const value of values()) listener(value);
  };
  return {
    async get(reference) {
      const value = await provider.get(reference);
      const [latest] = given.get(reference) ?? [];
      if (value === latest) return value;
      given.set(reference, latest === undefined ? [value] : [value, latest]);
      // All of them, as a listener may forget those that it has not heard of for long.
      if (value !== "") for (const listener of listeners) tell(listener);
      return value;
    },
    values,
    onValue(listener) {
      listeners.push(listener);
      tell(listener);
    },
  };
}
