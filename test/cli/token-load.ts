import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSigningKey, type SigningKey, signClientAssertion } from "../../infra/node/commands/token.ts";
import { INTROSPECTOR, type Workplace } from "./countersign.ts";

/** An API client of a workplace with one key pair. */
export interface LoadClient {
  readonly clientId: string;
  readonly keyPairId: string;
  readonly signer: SigningKey;
}

/** A token that the server acknowledged, and the assertion that was used up for it. */
export interface Issued {
  readonly assertion: string;
  readonly token: string;
}

export interface Load {
  /** What was acknowledged so far. */
  readonly issued: readonly Issued[];
  /** Resolves when so many more are acknowledged. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** `client create`, or another key pair for a client that exists. */
export async function createClient(at: Workplace, name: string, of?: LoadClient): Promise<LoadClient> {
  const keyOut = join(at.folder, `${name}.pem`);
  const args = of === undefined ? ["create", "-name", name] : ["add-key", "-client", of.clientId];
  const run = await at.countersign("client", ...args, "-keyOut", keyOut);
  if (run.code !== 0) throw new Error(run.stderr);
  const { clientId, keyPairId } = JSON.parse(run.stdout);
  return { clientId, keyPairId, signer: await readSigningKey(readFileSync(keyOut, "utf8")) };
}

/** Several workers that ask for tokens one after the other, until stopped. Fails with the first answer that is no token. */
export function startLoad(at: Workplace, client: LoadClient, workers = 6): Load {
  const issued: Issued[] = [];
  let goes = true;
  const work = async () => {
    while (goes) {
      const assertion = await sign(at, client);
      const response = await present(at, assertion);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const { access_token } = (await response.json()) as { access_token: string };
      issued.push({ assertion, token: access_token });
    }
  };
  const ended = Promise.all(Array.from({ length: workers }, work));
  const failed = ended.then(() => undefined);
  return {
    issued,
    more: async (count) => {
      const enough = issued.length + count;
      while (issued.length < enough) await Promise.race([failed, new Promise((resolve) => setImmediate(resolve))]);
    },
    stop: async () => {
      goes = false;
      await ended;
    },
  };
}

export function sign(at: Workplace, { clientId, signer }: LoadClient): Promise<string> {
  return signClientAssertion(signer, clientId, `${at.url}/oauth2/token`);
}

/** Asks for a token with an assertion. */
export function present(at: Workplace, assertion: string): Promise<Response> {
  return postForm(`${at.url}/oauth2/token`, {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
}

export async function isActive(at: Workplace, token: string): Promise<boolean> {
  const { clientId, secret } = INTROSPECTOR;
  const Authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
  const response = await postForm(`${at.url}/oauth2/introspect`, { token }, { Authorization });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { active: boolean }).active;
}

function postForm(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: new URLSearchParams(form) });
}
