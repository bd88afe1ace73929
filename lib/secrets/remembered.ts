import type { SecretProvider } from "./provider.ts";

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
