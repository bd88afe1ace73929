import { inspect } from "node:util";
import { expect } from "vitest";
import { SecretError } from "../../../lib/secrets/provider.ts";

/** Rejects, or throws, with a SecretError without any of the credentials; resolves to its message. */
export async function failureOf(work: () => unknown, credentials: readonly string[]): Promise<string> {
  const error: unknown = await Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof SecretError)) throw new Error("there is no SecretError", { cause: error });
  const told = everythingIn(error);
  for (const credential of credentials.flatMap(spellings)) expect(told).not.toContain(credential);
  return error.message;
}

/** Message, stack, own properties and causes of an error, however deep. */
function everythingIn(error: unknown): string {
  const parts = [inspect(error, { depth: 12, showHidden: true, maxStringLength: null })];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    parts.push(cause.message, cause.stack ?? "", JSON.stringify(cause));
  }
  return parts.join("\n");
}

function spellings(credential: string): readonly string[] {
  const base64 = Buffer.from(credential).toString("base64").replace(/=+$/, "");
  return [credential, encodeURIComponent(credential), base64.slice(0, -1)];
}
