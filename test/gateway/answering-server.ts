import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on a loopback port that answers what a test says, for answers that no real server gives. */
export interface AnsweringServer {
  readonly url: string;
  readonly wellKnown: string;
  /** The discovery document at an address that tells nothing of its issuer. */
  readonly metadata: string;
  /** Paths requested so far. */
  readonly requests: readonly string[];
  /** From now on this path answers this text; other paths answer 404. */
  answer(path: string, text: string): void;
  /** The discovery document: its own addresses for keys and introspection, unless `more` says otherwise. */
  describe(more: Readonly<Record<string, unknown>>): void;
  stop(): Promise<void>;
}

const WELL_KNOWN = "/.well-known/openid-configuration";
const METADATA = "/metadata";

export async function startAnsweringServer(): Promise<AnsweringServer> {
  const answers = new Map<string, string>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const text = answers.get(request.url ?? "");
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = { issuer: url, jwks_uri: `${url}/jwks`, introspection_endpoint: `${url}/introspection` };
  return {
    url,
    wellKnown: url + WELL_KNOWN,
    metadata: url + METADATA,
    requests,
    answer: (path, text) => void answers.set(path, text),
    describe(more) {
      for (const path of [WELL_KNOWN, METADATA]) answers.set(path, JSON.stringify({ ...own, ...more }));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
