import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as explain } from "../../infra/node/commands/explain.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { tokenParameters } from "../behaviour/fixture.ts";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { assertionNow, sendForm, signerOf } from "../security/in-process-client.ts";
import { type InProcess, ISSUER, startInProcess, type TestClient } from "../support/in-process.ts";
import { configurationOf, mistakes, warningsOf } from "./support.ts";

const page = readFileSync(new URL("../../docs/proxy.md", import.meta.url), "utf8");

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

/** The whole gateway, and pieces of others. */
const [gateway = "", ...pieces] = blocks("yaml");
const secrets = { S_GATEWAY_CLIENT_SECRET: "a secret of the gateway, long enough" };

test("every configuration on the page is accepted without a warning: the whole gateway, and each piece in its place", async () => {
  expect(await warningsOf(gateway, { secrets })).toEqual([]);
  expect(pieces).toHaveLength(3);
  for (const piece of pieces) {
    const apps = gateway.slice(0, gateway.indexOf("apps:\n"));
    expect(await mistakes(apps + piece)).toEqual([]);
  }
});

test("what the page says that would be decided is what the command prints", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  const file = (name: string) => join(folder, name);
  const resource = "http://localhost:8080/mcp";
  const claims = { iss: "http://localhost:8080", aud: resource, sub: "client_1", client_id: "client_1" };
  await writeFile(file("gateway.yaml"), gateway);
  await writeFile(file("claims.json"), JSON.stringify({ ...claims, scope: "ledger:read" }));
  await writeFile(file("arguments.json"), '{"amount":50000}');
  const given = ["-tool", "ledger_addPayment", "-claims", file("claims.json"), "-arguments", file("arguments.json")];
  let stdout = "";
  const write = (text: string) => {
    stdout += text;
  };
  const io = { stdout: write, stderr: () => undefined, environment: secrets };
  await explain(["-config", file("gateway.yaml"), "-secretProvider", "env://S_", ...given], io);
  await rm(folder, { recursive: true });
  expect(blocks("text")[0]).toBe(stdout);
});

describe("the example", () => {
  const [claims = {}, answer = {}, record = {}] = blocks("json").map((text) => JSON.parse(text) as JsonObject);
  /** The request as the page makes it. */
  const command = blocks("sh").find((text) => text.includes("tools/call")) ?? "";
  const body = /-d '([\s\S]*?)'\n/.exec(command)?.[1] ?? "";
  const headers = Object.fromEntries(
    [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  let product: InProcess;
  let client: TestClient;
  let token: string;
  const arrived: { readonly headers: Headers; readonly params: JsonObject }[] = [];

  const ledger: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { id, method, params } = (await request.json()) as { id: unknown; method: string; params: JsonObject };
    if (method === "server/discover") return resultOf(id, { supportedVersions: ["2026-07-28"], capabilities: {} });
    const tools = ["addPayment", "deletePayment"].map((name) => ({ name, inputSchema: { type: "object" } }));
    if (method === "tools/list") return resultOf(id, { tools });
    arrived.push({ headers: request.headers, params });
    const payment = { id: "p-1", ...(params.arguments as JsonObject) };
    const link = { type: "resource_link", uri: "file:///statements/2026-11.csv", name: "November" };
    const content = [{ type: "text", text: JSON.stringify(payment) }, link];
    return resultOf(id, { content, structuredContent: payment });
  };

  const call = async (message: string, name = "ledger_addPayment") =>
    rpc(
      await product.send("/mcp", {
        method: "POST",
        headers: { ...headers, "Mcp-Name": name, authorization: `Bearer ${token}` },
        body: message,
      }),
    );

  /** @param resource absent: for the management API */
  async function tokenFor(resource?: string): Promise<string> {
    const assertion = await assertionNow(product, await signerOf(client));
    const form = { ...tokenParameters(assertion), ...(resource !== undefined && { resource }) };
    const issued = await sendForm(product, "/oauth2/token", form);
    return String((issued.body as JsonObject).access_token);
  }

  beforeAll(async () => {
    const here = gateway
      .replaceAll("http://localhost:8080", ISSUER)
      .replace("http:\n", `http:\n  publicURL: ${ISSUER}\n`);
    product = await startInProcess({
      configuration: await configurationOf(here, { secrets }),
      adapt: (dependencies) => ({ ...dependencies, outbound: () => ledger }),
    });
    client = await product.createClient({
      scopes: ["ledger:read", "ledger:write", "audit:read"],
      resources: [`${ISSUER}/mcp`],
    });
    token = await tokenFor(`${ISSUER}/mcp`);
  });
  afterAll(() => product.close());

  test("is answered as the page shows, carries what it shows, and leaves the record that it shows", async () => {
    expect(await call(body)).toEqual(answer);
    const { authorization, ...sent } = Object.fromEntries(arrived[0]?.headers ?? []);
    expect(arrived[0]?.params.name).toBe("addPayment");
    expect(sent).toMatchObject({ "x-agent": client.clientId, "x-request": expect.stringMatching(/^[0-9A-Z]{26}$/) });
    const carried = decodeJwt(authorization?.replace("Bearer ", "") ?? "");
    const { aud, scope, client_id: gatewayId, iat = 0, exp } = carried;
    expect({ aud, scope, client_id: gatewayId }).toMatchObject({
      aud: claims.aud,
      scope: claims.scope,
      client_id: claims.client_id,
    });
    expect(exp).toBe(iat + 10);
    expect(carried).toMatchObject({ sub: client.clientId, act: { sub: client.clientId } });
    expect(Object.keys(carried)).toEqual(expect.arrayContaining(Object.keys(claims)));

    const api = await tokenFor();
    const read = await product.send("/api/v1/audit-events?type=tool.invoked&limit=1", {
      headers: { authorization: `Bearer ${api}` },
    });
    const [written = {}] = ((await read.json()) as { readonly items: readonly JsonObject[] }).items;
    expect(Object.keys(written).sort()).toEqual(Object.keys(record).sort());
    const { type, outcome, app, tool } = record;
    expect(written).toMatchObject({ type, outcome, app, tool, requestId: sent["x-request"] });
  });

  test("is refused as the page says: too much of it, and a tool that is left out", async () => {
    arrived.length = 0;
    const { result } = await call(body.replace("500", "50000"));
    expect(result).toMatchObject({ isError: true, content: [{ text: "A policy does not allow this call." }] });
    const { error } = await call(body.replace("addPayment", "deletePayment"), "ledger_deletePayment");
    expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining("There is no tool of this name.") });
    expect(arrived).toEqual([]);
  });
});

function resultOf(id: unknown, result: JsonObject): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
}
