import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { postForm, tokenEndpointOf, tokenParameters } from "../../behaviour/fixture.ts";
import { bearer, call, post } from "../../behaviour/gateway-fixture.ts";
import { json } from "../../secrets/servers/vendor-server.ts";
import { eventually } from "../../support/eventually.ts";
import type { Canaries } from "./canaries.ts";
import { INTROSPECTOR, type Instance } from "./instance.ts";
import { introspector, type Used } from "./use.ts";

/** Brings every secret to where it does not belong, and everything that can fail to failure while secrets are about. */
export async function misuseEverything(instance: Instance, used: Used, canaries: Canaries): Promise<void> {
  const all = everySecret(instance, used);
  for (const secret of all) await inWrongPlaces(secret, used, canaries);
  await asWrongCredentials(instance, used, canaries);
  await asMalformedRequests(instance, used, canaries);
  await withFailingParts(instance, used, canaries);
  await withoutStore(instance, used, canaries);
}

function everySecret({ secrets }: Instance, used: Used): readonly string[] {
  const { signer, owner, assertion, token, gatewayToken, linkToken, invitationToken } = used;
  const cookie = owner.cookie.split("=")[1] ?? "";
  const ofUse = [cookie, assertion, token, gatewayToken, linkToken, invitationToken];
  return [...Object.values(secrets), signer.key.pem, ...ofUse];
}

/** Keeps what an error says; what another answer says belongs to whoever asked. */
async function keepError(place: string, answer: Response | Promise<Response>, canaries: Canaries): Promise<number> {
  const response = await answer;
  const body = await response.text();
  if (response.status >= 400) canaries.saw(place, JSON.stringify([...response.headers]) + body);
  return response.status;
}

async function inWrongPlaces(secret: string, { region }: Used, canaries: Canaries): Promise<void> {
  const { url } = region;
  const escaped = encodeURIComponent(secret);
  const header = secret.replaceAll("\n", " ");
  const keep = (place: string, answer: Promise<Response>) => keepError(place, answer, canaries);
  await keep("a path", fetch(`${url}/nowhere/${escaped}`));
  await keep("a path that is cut", fetch(`${url}/${"x".repeat(1_010)}/${escaped}`));
  await keep("a query", fetch(`${url}/oauth2/token?client_assertion=${escaped}`, { method: "POST" }));
  await keep("a query of the gateway", fetch(`${url}/mcp?access_token=${escaped}`, { method: "POST" }));
  for (const name of ["User-Agent", "X-Request-Id", "Authorization", "Cookie", "Mcp-Session-Id", "traceparent"]) {
    const headers = { [name]: name === "User-Agent" ? `${"x".repeat(240)} ${header}` : header };
    await keep(name, fetch(`${url}/api/v1/me`, { headers }));
    await keep(`${name} at the gateway`, fetch(`${url}/mcp`, { method: "POST", headers, body: "{}" }));
  }
  await keep("a bearer token", fetch(`${url}/api/v1/me`, { headers: bearer(header) }));
  await keep("a broken body", fetch(`${url}/api/v1/setup`, { method: "POST", body: `{"token": "${header}` }));
  await keep("a form", postForm(`${url}/oauth2/token`, { grant_type: secret, client_secret: secret }));
  await keep("a broken form", postForm(`${url}/oauth2/introspect`, `token=${escaped}&token=${escaped}&x=%zz`));
}

async function asWrongCredentials({ secrets }: Instance, used: Used, canaries: Canaries): Promise<void> {
  const { region, assertion, token, linkToken, invitationToken, gatewayToken } = used;
  const { url } = region;
  const keep = (place: string, answer: Promise<Response>) => keepError(place, answer, canaries);
  const changed = (text: string) => text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
  const form = (path: string, parameters: Readonly<Record<string, string>>, headers = {}) =>
    postForm(`${url}/oauth2/${path}`, parameters, headers);
  await keep("an assertion once more", form("token", tokenParameters(assertion)));
  await keep("a forged assertion", form("token", tokenParameters(changed(assertion))));
  await keep("a wrong secret", form("introspect", { token }, introspector(`${secrets.introspector}!`)));
  await keep("two ways at once", form("introspect", { token, client_secret: "x" }, introspector(secrets.introspector)));
  const posted = { client_id: `not-${INTROSPECTOR}`, client_secret: secrets.introspector };
  await keep("somebody else's secret", form("introspect", { token, ...posted }));
  await keep("a revocation by nobody", form("revoke", { token }));
  await keep("a changed token", fetch(`${url}/mcp`, { method: "POST", headers: bearer(changed(gatewayToken)) }));
  await keep("a token for another resource", post(region, call("listNotes"), bearer(token)));
  const asJson = (body: unknown) => ({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  await keep("a link once more", fetch(`${url}/api/v1/sign-in/link`, asJson({ token: linkToken })));
  const invitation = asJson({ token: invitationToken });
  await keep("an invitation once more", fetch(`${url}/api/v1/invitations/accept`, invitation));
  await keep("an invitation looked at once more", fetch(`${url}/api/v1/invitations/preview`, invitation));
  const again = { token: secrets.setupToken, organization: "Again", email: "again@example.com" };
  await keep("a setup token once more", fetch(`${url}/api/v1/setup`, asJson(again)));
  await keep("too many members", fetch(`${url}/api/v1/setup`, asJson({ ...again, organization: again.token, x: 1 })));
}

/** What never becomes a request, with secrets in it. */
async function asMalformedRequests({ url, secrets }: Instance, used: Used, canaries: Canaries): Promise<void> {
  const { hostname, port } = new URL(url);
  const { token, assertion } = used;
  for (const bytes of [
    `GET /${token} HTTP/9.9\r\n\r\n`,
    `POST /${token} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: nope\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${secrets.vaultToken}\r\nHost: ${token}\r\n${secrets.vaultToken}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a b\r\nCookie: ${used.owner.cookie}\r\n\r\n`,
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${assertion}\r\n`,
    `GET /?t=${token}${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ]) {
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    // A connection that the server cuts is an answer, too.
    socket.on("error", () => undefined);
    socket.end(bytes);
    await once(socket, "close");
    canaries.saw("a malformed request", answer);
  }
}

async function withFailingParts(instance: Instance, used: Used, canaries: Canaries): Promise<void> {
  const { collector, secrets, upstream, vault } = instance;
  const { region, gatewayToken, apiKey } = used;
  const logged = (text: string) =>
    eventually(
      async () => instance.output().includes(text),
      (isThere) => isThere,
    );

  collector.answerWith(() => ({ status: 400, body: `who is ${secrets.collectorKey}?` }));
  await logged('"msg":"telemetry is lost"');
  collector.answerWith(() => ({ status: 200 }));

  const failing = post(region, call("failure", { apiKey }), bearer(gatewayToken));
  await keepError("a tool whose API fails", failing, canaries);
  await upstream.stop();
  const gone = call("createNote", { title: "A key", text: apiKey });
  await keepError("a tool whose API is gone", post(region, gone, bearer(gatewayToken)), canaries);

  // Vault repeats what it was shown, and the command has to say why it cannot start.
  const message = `no: ${secrets.vaultToken}, nor ${secrets.introspector}`;
  for (const status of [403, 500]) {
    vault.before = () => json(status, { errors: [message] });
    const { stdout, stderr } = await instance.run("client", "list", "-verbose");
    canaries.saw(`a start that Vault refuses with ${status}`, stdout + stderr);
  }
  vault.before = undefined;
}

/** The last thing to be done: nothing is found in the store from here on, and each request is a 500 with a stack. */
async function withoutStore({ folder, url }: Instance, used: Used, canaries: Canaries): Promise<void> {
  const database = new DatabaseSync(join(folder, "store/countersign.db"));
  for (const table of ["browser_sessions", "tokens", "sign_in_links"]) database.exec(`DROP TABLE ${table}`);
  database.close();
  const keep = (place: string, answer: Promise<Response>) => keepError(place, answer, canaries);
  const statuses = [
    await keep("a session without a store", fetch(`${url}/api/v1/me`, { headers: { Cookie: used.owner.cookie } })),
    await keep("a token without a store", fetch(`${url}/api/v1/me`, { headers: bearer(used.token) })),
    await keep("an assertion without a store", postForm(tokenEndpointOf(used.region), tokenParameters(used.assertion))),
  ];
  if (!statuses.includes(500)) throw new Error(`nothing failed: ${statuses.join(", ")}`);
}
