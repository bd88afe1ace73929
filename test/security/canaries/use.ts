import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientIds } from "../../../lib/api-clients/client-id.ts";
import { fromBase64url } from "../../../lib/kernel/encoding.ts";
import {
  basic,
  createSigner,
  expectJson,
  issueToken,
  manage,
  type Owner,
  postForm,
  type Signer,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../../behaviour/fixture.ts";
import { bearer, call, post, rpc } from "../../behaviour/gateway-fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { pemLines } from "../../support/secret-looks.ts";
import { type Canaries, newSecret } from "./canaries.ts";
import { INTROSPECTOR, type Instance } from "./instance.ts";

/** Secrets that the product made or was given, each of them valid when it was used. */
export interface Used {
  readonly region: RunningRegion;
  readonly owner: Owner;
  readonly signer: Signer;
  readonly assertion: string;
  readonly token: string;
  readonly gatewayToken: string;
  readonly linkToken: string;
  readonly invitationToken: string;
  /** What an agent passes on to an API. */
  readonly apiKey: string;
}

/** Uses every class of secret as it is meant to be used; what it did is the evidence. */
export async function useEverything(instance: Instance, canaries: Canaries): Promise<Used> {
  const { url, secrets } = instance;
  const region: RunningRegion = { region: "us", url, logs: () => [] };
  canaries.add("Vault token", secrets.vaultToken);
  const read = "GET /v1/secret/data/countersign/introspector";
  canaries.exercised("Vault token", instance.vault.asked.includes(read));
  const owner = await setUp(region, instance, canaries);
  const signer = await signerWithKey(owner, instance, canaries);

  const assertion = await signAssertion(signer, region);
  const answer = await postForm(tokenEndpointOf(region), tokenParameters(assertion, { scope: "audit:read" }));
  const { access_token: token } = await expectJson<{ access_token: string }>(answer, 200);
  canaries.add("client assertion", assertion, ...assertion.split(".").slice(1));
  canaries.exercised("client assertion", answer.status === 200);
  const gatewayToken = await issueToken(region, signer, { resource: `${url}/mcp`, scope: "notes:write" });
  for (const one of [token, gatewayToken]) canaries.add("access token", one, one.slice(9, 52));
  canaries.exercised("access token", (await audit(region, bearer(token))).status === 200);

  canaries.add("client secret", secrets.introspector);
  const introspection = await postForm(`${url}/oauth2/introspect`, { token }, introspector(secrets.introspector));
  const { active } = await expectJson<{ active: boolean }>(introspection, 200);
  canaries.exercised("client secret", active);
  const apiKey = await passApiKeys(region, gatewayToken, instance, canaries);
  const linkToken = await signIn(instance, canaries);
  const invitationToken = await invite(owner, canaries);
  return { region, owner, signer, assertion, token, gatewayToken, apiKey, linkToken, invitationToken };
}

export function introspector(secret: string): Readonly<Record<string, string>> {
  return basic({ clientId: INTROSPECTOR, secret });
}

export function audit({ url }: RunningRegion, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${url}/api/v1/audit-events`, { headers });
}

async function setUp(region: RunningRegion, { secrets }: Instance, canaries: Canaries): Promise<Owner> {
  const response = await fetch(`${region.url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: secrets.setupToken, organization: "Example", email: "owner@example.com" }),
  });
  await response.body?.cancel();
  canaries.add("setup token", secrets.setupToken);
  canaries.exercised("setup token", response.status === 201);
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const owner = { region, cookie };
  canaries.add("cookie", cookie.split("=")[1] ?? "");
  canaries.exercised("cookie", (await manage(owner, "GET", "/me")).status === 200);
  return owner;
}

async function signerWithKey(owner: Owner, { url, secrets }: Instance, canaries: Canaries): Promise<Signer> {
  const scopes = ["audit:read", "notes:write"];
  const signer = await createSigner(owner, { scopes, resources: [`${url}/mcp`] });
  canaries.add("private key", ...pemLines(signer.key.pem));
  canaries.exercised("private key", (await issueToken(owner.region, signer)) !== "");
  canaries.add("client id secret", secrets.idSecret);
  const { isOurs } = clientIds(fromBase64url(secrets.idSecret) ?? new Uint8Array());
  canaries.exercised("client id secret", isOurs(signer.clientId));
  return signer;
}

/** One goes to the collector of telemetry with each export; of an API one is ours, one is in the arguments of a tool. */
async function passApiKeys(
  region: RunningRegion,
  token: string,
  { upstream, collector, secrets }: Instance,
  canaries: Canaries,
): Promise<string> {
  const apiKey = newSecret("api-key");
  canaries.add("API key", apiKey, secrets.collectorKey, secrets.notesKey);
  const created = await rpc(await post(region, call("createNote", { title: "A key", text: apiKey }), bearer(token)));
  await collector.span(({ name }) => name.includes("/mcp"));
  const arrived = upstream.requests.some(({ body }) => body.includes(JSON.stringify(apiKey).slice(1, -1)));
  const carried = upstream.requests.some(({ url }) =>
    url.endsWith(`?notes_key=${encodeURIComponent(secrets.notesKey)}`),
  );
  const exported = collector.exports.some(({ headers }) => headers["x-api-key"] === secrets.collectorKey);
  canaries.exercised("API key", created.result?.isError !== true && arrived && carried && exported);
  return apiKey;
}

async function signIn({ url, run }: Instance, canaries: Canaries): Promise<string> {
  const { stdout, stderr } = await run("owner", "-email", "owner@example.com");
  const token = /#token=([\w-]+)/.exec(stdout)?.[1] ?? "";
  canaries.add("sign-in link", token);
  canaries.saw("stderr of countersign owner", stderr);
  const response = await fetch(`${url}/api/v1/sign-in/link`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  canaries.exercised("sign-in link", response.status === 200);
  canaries.add("cookie", response.headers.getSetCookie()[0]?.split(";")[0]?.split("=")[1] ?? "");
  return token;
}

/** One that stays open, for the list of them, and one that is accepted: that one's token. */
async function invite(owner: Owner, canaries: Canaries): Promise<string> {
  const tokenFor = async (email: string) => {
    const invitation = await manage(owner, "POST", "/invitations", { email, role: "member" });
    const { link } = await expectJson<{ link: string }>(invitation, 201);
    return new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";
  };
  canaries.add("invitation link", await tokenFor("open@example.com"));
  const token = await tokenFor("invited@example.com");
  canaries.add("invitation link", token);
  const stranger = { ...owner, cookie: "" };
  const preview = await manage(stranger, "POST", "/invitations/preview", { token });
  const response = await manage(stranger, "POST", "/invitations/accept", { token });
  canaries.exercised("invitation link", preview.status === 200 && response.status === 200);
  canaries.add("cookie", response.headers.getSetCookie()[0]?.split(";")[0]?.split("=")[1] ?? "");
  return token;
}

/** What the other commands write. */
export async function useCommands({ url, folder, run }: Instance, canaries: Canaries): Promise<void> {
  const key = join(folder, "client.pem");
  const saw = async (...parameters: readonly string[]) => {
    const { code, stdout, stderr } = await run(...parameters);
    if (code !== 0) throw new Error(`${parameters.join(" ")} ended with ${code}: ${stderr}`);
    canaries.saw(`countersign ${parameters.slice(0, 2).join(" ")}`, stdout + stderr);
    return stdout;
  };
  const { clientId } = JSON.parse(await saw("client", "create", "-name", "second", "-keyOut", key, "-verbose"));
  canaries.add("private key", ...pemLines(readFileSync(key, "utf8")));
  const { stdout, stderr } = await run("token", "-issuer", url, "-client", clientId, "-key", key);
  canaries.add("access token", stdout.trim(), stdout.trim().slice(9, 52));
  canaries.saw("stderr of countersign token", stderr);
  await saw("client", "show", "-client", clientId);
  await saw("client", "list");
  await saw("validate");
  await saw("tools", "-json");
  await saw("compile", "-out", join(folder, "artifact.json"));
  canaries.saw("the artifact", readFileSync(join(folder, "artifact.json")));
}
