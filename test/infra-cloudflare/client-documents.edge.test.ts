import { afterAll, beforeAll, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { answerOf, NO_UPSTREAM, postForm } from "../behaviour/fixture.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { type DocumentServer, openDocumentServer } from "../support/document-server.ts";
import { freePorts } from "../support/free-port.ts";
import { type BareWorkerd, startBareWorkerd } from "./support/bare-workerd.ts";
import { bundledWorker } from "./support/bundle.ts";
import { compiledConfiguration } from "./support/configuration.ts";

const HOST = "agent.example";
const configuration = behaviourConfiguration
  .replace("  region:", "  keySecret: <countersign.key-secret>\n  registration: {clientIDMetadata: true}\n  region:")
  .replace(
    "apps:\n",
    `connectors:
  - {name: corp, type: oidc, oidcWellKnownURL: "${NO_UPSTREAM}/.well-known/openid-configuration", oauthClientID: x, oauthClientSecret: y}
apps:
`,
  );

let server: DocumentServer;
let workerd: BareWorkerd;
let url: string;
beforeAll(async () => {
  server = await openDocumentServer([HOST]);
  const [compiled, [port = 0]] = await Promise.all([compiledConfiguration(configuration), freePorts(1)]);
  url = `http://127.0.0.1:${port}`;
  const bundle = await bundledWorker(compiled.path);
  const variables = { ...workerVariables("us", url, { configuration }), UPSTREAM_URL: NO_UPSTREAM };
  workerd = await startBareWorkerd({
    port,
    bundle: bundle.path,
    variables,
    outbound: { host: HOST, port: server.port, ca: server.ca },
  });
  await Promise.all([compiled.remove(), bundle.remove()]);
});
afterAll(async () => {
  await workerd.stop();
  await server.close();
});

/** 200 when the client is known, which is public. */
const statusOf = async (clientId: string) =>
  (await answerOf(postForm(`${url}/oauth2/revoke`, { token: "unknown", client_id: clientId }))).status;
const asked = (clientId: string) => server.requests.filter((request) => request === clientId).length;

test("a Worker reads a client's document over HTTPS, keeps it, and knows the client by it", async () => {
  const clientId = `https://${HOST}/client`;
  server.serve(clientId, { client_id: clientId, redirect_uris: ["http://127.0.0.1/callback"] });
  expect([await statusOf(clientId), await statusOf(clientId)]).toEqual([200, 200]);
  expect(asked(clientId)).toBe(1);
});

test("21. a Worker follows no redirect to a document, and reads none that is too long", async () => {
  const [target, moved, long] = ["target", "moved", "long"].map((name) => `https://${HOST}/${name}`) as [
    string,
    string,
    string,
  ];
  server.serve(target, { client_id: moved, redirect_uris: ["http://127.0.0.1/callback"] });
  server.serve(moved, (_, response) => void response.writeHead(302, { Location: target }).end());
  server.serve(long, { client_id: long, redirect_uris: ["http://127.0.0.1/callback"], x: "x".repeat(64 * 1024) });
  expect([await statusOf(moved), await statusOf(long)]).toEqual([401, 401]);
  expect([asked(moved), asked(target), asked(long)]).toEqual([1, 0, 1]);
});

test("21. a Worker asks no host whose name or address is inside a network", async () => {
  const before = server.requests.length;
  for (const id of [
    "https://127.0.0.1/c",
    "https://[::1]/c",
    "https://localhost/c",
    "https://a.internal/c",
    "https://10.0.0.1/c",
  ]) {
    expect(await statusOf(id)).toBe(401);
  }
  expect(server.requests).toHaveLength(before);
});
