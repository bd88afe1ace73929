import { SecretError, type SecretProvider } from "./provider.ts";

/**
 * `env://PREFIX_`: secrets as variables of the platform (Workers secrets, the environment of Lambda or a process).
 * `<ns.key>` is `PREFIX_NS_KEY`.
 */
export function environmentSecrets(environment: Readonly<Record<string, unknown>>) {
  return (url: string): SecretProvider => {
    const prefix = /^env:\/\/([A-Za-z_][A-Za-z0-9_]*)?$/.exec(url)?.[1] ?? "";
    if (url !== `env://${prefix}`) {
      throw new SecretError("The secret provider env takes a prefix of letters, digits and _, for example env://CS_.");
    }
    return {
      async get(reference) {
        const name = variableName(prefix, reference);
        const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
        if (typeof value === "string" && value !== "") return value;
        throw new SecretError(`the secret <${reference}> is not set: env has no variable ${name}`);
      },
    };
  };
}

function variableName(prefix: string, reference: string): string {
  return prefix + reference.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
}
