import { type AccessToken, tokenFrom } from "../access-token.ts";
import { jsonAnswer, type SendSecretRequest } from "../http.ts";
import type { SecretSources } from "../opener.ts";
import { SecretError } from "../provider.ts";
import { signInFailure, withHint } from "../refusal.ts";
import { gcpAssertion } from "./assertion.ts";
import { parseServiceAccount, type ServiceAccount } from "./service-account.ts";

const METADATA = new URL("http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token");
const KEY_FILE = "GOOGLE_APPLICATION_CREDENTIALS";
const KEY = "GOOGLE_SERVICE_ACCOUNT_JSON";

export interface GcpSignInOptions extends Pick<SecretSources, "clock" | "environment" | "readFile"> {
  /** For errors. */
  readonly provider: string;
  readonly send: SendSecretRequest;
}

/**
 * How access tokens are had: as the service account whose key is in the variable GOOGLE_SERVICE_ACCOUNT_JSON or in the file
 * that GOOGLE_APPLICATION_CREDENTIALS names, else as the one that the machine runs as, from its metadata server.
 * @throws SecretError when a key is there and cannot be used
 */
export async function gcpSignIn(options: GcpSignInOptions): Promise<() => Promise<AccessToken>> {
  const account = await serviceAccount(options);
  if (account !== undefined) return () => tokenForKey(account, options);
  const hint = `the machine's own service account was asked for, as neither ${KEY} nor ${KEY_FILE} is set`;
  return () => withHint(hint, () => tokenOfMachine(options));
}

async function serviceAccount({ environment, readFile }: GcpSignInOptions): Promise<ServiceAccount | undefined> {
  const key = environment[KEY];
  if (key) return parseServiceAccount(key, `The variable ${KEY}`);
  const path = environment[KEY_FILE];
  if (!path) return undefined;
  if (readFile === undefined) throw new SecretError(`${KEY_FILE} needs files, which are not here; accepted: ${KEY}.`);
  const read = readFile(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new SecretError(`The file that ${KEY_FILE} names cannot be read${reason}.`, { cause });
  });
  return parseServiceAccount(await read, `The file that ${KEY_FILE} names`);
}

/** RFC 7523 §2.1. */
async function tokenForKey(account: ServiceAccount, { provider, send, clock }: GcpSignInOptions): Promise<AccessToken> {
  const grant = {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await gcpAssertion(account, clock.now()),
  };
  const answer = await send({
    url: account.tokenUri,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(grant).toString(),
  });
  const token = tokenFrom(answer);
  if (token !== undefined) return token;
  const meaning = "the service account or its key is not valid (any more), or the clock is wrong";
  const code = jsonAnswer(answer)?.error;
  throw signInFailure(provider, answer, { code, meanings: { 400: meaning, 401: meaning } });
}

async function tokenOfMachine({ provider, send }: GcpSignInOptions): Promise<AccessToken> {
  const answer = await send({ url: METADATA, headers: { "Metadata-Flavor": "Google" } });
  const token = tokenFrom(answer);
  if (token !== undefined) return token;
  throw signInFailure(provider, answer, { meanings: { 404: "it runs as none" } });
}
