import { afterEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { assertionNow, sendAssertion, signerOf } from "../security/in-process-client.ts";
import { PROCESS } from "../support/configuration.ts";
import { type InProcess, type InProcessOptions, ISSUER, startInProcess } from "../support/in-process.ts";

const running: InProcess[] = [];
afterEach(async () => {
  for (const product of running.splice(0)) await product.close();
});

async function start(options: InProcessOptions = {}): Promise<InProcess> {
  const product = await startInProcess(options);
  running.push(product);
  return product;
}

type Entry = Readonly<Record<string, unknown>>;

/** Replaces operations of the store that keeps API clients. */
const withApiClients =
  (change: (dependencies: Dependencies) => Partial<Dependencies["stores"]["apiClients"]>) =>
  (dependencies: Dependencies): Dependencies => {
    const { stores } = dependencies;
    return { ...dependencies, stores: { ...stores, apiClients: { ...stores.apiClients, ...change(dependencies) } } };
  };

/** The entries that a request causes, also behind its answer. */
async function entriesOf(product: InProcess, request: () => Promise<unknown>): Promise<readonly Entry[]> {
  const before = product.logs.length;
  await request();
  await product.settled();
  return product.logs.slice(before).map((line) => JSON.parse(line));
}

async function tokenRequest(product: InProcess): Promise<() => Promise<unknown>> {
  const assertion = await assertionNow(product, await signerOf(await product.createClient()));
  return () => sendAssertion(product, assertion);
}

describe("every entry of a request carries its id", () => {
  test("also what the instance's own logger writes deep inside, and what follows the answer", async () => {
    const product = await start({
      adapt: withApiClients(({ logger, stores }) => ({
        getForVerification: (clientId, options) => {
          logger.debug("deep inside");
          return stores.apiClients.getForVerification(clientId, options);
        },
        recordUse: async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          logger.info("behind the answer");
          throw new Error("nobody waits for this");
        },
      })),
    });
    const entries = await entriesOf(product, await tokenRequest(product));
    expect(entries.map(({ msg }) => msg)).toEqual([
      "deep inside",
      "request",
      "behind the answer",
      "background work failed",
    ]);
    expect(new Set(entries.map(({ requestId }) => requestId))).toEqual(new Set([entries[0]?.requestId]));
    expect(entries[0]?.requestId).toMatch(/^[0-9A-Z]{26}$/);
  });

  test("and each request its own, when several run at once", async () => {
    const product = await start({
      adapt: withApiClients(({ logger, stores }) => ({
        getForVerification: async (clientId, options) => {
          const read = await stores.apiClients.getForVerification(clientId, options);
          await new Promise((resolve) => setTimeout(resolve, 5));
          logger.debug("deep inside", { clientId });
          return read;
        },
      })),
    });
    const requests = await Promise.all(Array.from({ length: 5 }, () => tokenRequest(product)));
    const entries = await entriesOf(product, () => Promise.all(requests.map((send) => send())));
    const deep = entries.filter(({ msg }) => msg === "deep inside");
    const outer = entries.filter(({ msg }) => msg === "request");
    expect(new Set(deep.map(({ requestId }) => requestId)).size).toBe(5);
    for (const { requestId, clientId } of deep) {
      expect(outer.find((entry) => entry.requestId === requestId)?.caller).toBe(clientId);
    }
  });

  test.each<readonly [string, string, { method?: string; body?: string; headers?: Record<string, string> }]>([
    ["an unknown path", "/nowhere", {}],
    ["a method that is not served", "/oauth2/token", { method: "DELETE" }],
    ["a body that is no form", "/oauth2/token", { method: "POST", body: "{}" }],
    ["a wrong secret", "/oauth2/introspect", { method: "POST", headers: { Authorization: "Basic YTpi" } }],
  ])("also when it is refused: %s", async (_, path, init) => {
    const product = await start();
    const headers = { "X-Request-Id": "of-the-caller", "User-Agent": "curl/8 \u00e9", ...init.headers };
    let id: string | null = null;
    const entries = await entriesOf(product, async () => {
      id = (await product.send(path, { ...init, headers })).headers.get("X-Request-Id");
    });
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      expect(entry).toMatchObject({ requestId: id, clientRequestId: "of-the-caller", soid: "test" });
    }
  });
});

describe("what nobody foresaw", () => {
  const failing = (thrown: unknown) =>
    start({
      adapt: withApiClients(() => ({
        getForVerification: () => {
          throw thrown;
        },
      })),
    });

  test.each([
    [
      "an error",
      new Error("disk on fire", { cause: new TypeError("sparks") }),
      /disk on fire[\s\S]*caused by TypeError: sparks/,
    ],
    ["something that is no error", "disk on fire", /caused by disk on fire/],
  ])("is one entry with its stack, and an answer without: %s", async (_, thrown, told) => {
    const product = await failing(thrown);
    const send = await tokenRequest(product);
    let answer: unknown;
    const entries = await entriesOf(product, async () => {
      answer = await send();
    });
    const errors = entries.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ msg: "request failed", error: expect.stringMatching(told) }]);
    expect(errors[0]?.error).toMatch(/at .+:\d+/);
    expect(answer).toMatchObject({
      status: 500,
      body: {
        type: "urn:countersign:problem:internal",
        detail: "The request could not be completed.",
        instance: `urn:countersign:request:${errors[0]?.requestId}`,
      },
    });
    expect(JSON.stringify(answer)).not.toContain("fire");
    expect(entries.find(({ msg }) => msg === "request")).toMatchObject({ status: 500 });
  });
});

describe("the access log", () => {
  test("tells who was authenticated, from where and with what", async () => {
    const product = await start();
    const client = await product.createClient();
    const assertion = await assertionNow(product, await signerOf(client));
    const [entry] = await entriesOf(product, () => sendAssertion(product, assertion));
    expect(entry).toMatchObject({
      msg: "request",
      level: "info",
      method: "POST",
      path: "/oauth2/token",
      status: 200,
      durationMs: 0,
      caller: client.clientId,
    });
  });

  test("names nobody who was not authenticated", async () => {
    const product = await start();
    const client = await product.createClient();
    const other = await signerOf(await product.createClient());
    const forged = await assertionNow(product, { ...other, clientId: client.clientId });
    const entries = await entriesOf(product, () => sendAssertion(product, forged));
    expect(entries.map(({ msg }) => msg)).toEqual(["oauth request refused", "request"]);
    for (const entry of entries) expect(entry).not.toHaveProperty("caller");
  });

  test("takes no more of the user agent than a browser's, and keeps it on its line", async () => {
    const product = await start();
    const agent = (userAgent: string) =>
      entriesOf(product, () => product.send("/livez", { headers: { "User-Agent": userAgent } }));
    expect((await agent(`a"b\\${"c".repeat(1_000)}`))[0]?.userAgent).toBe(`a"b\\${"c".repeat(252)}…`);
    expect((await entriesOf(product, () => product.send("/livez")))[0]).not.toHaveProperty("userAgent");
  });
});

describe("the session of an entry", () => {
  const logger = { ...PROCESS.logger, logSessionID: true };
  const mcpProvider = {
    serverName: "test",
    stream: {
      path: "/mcp",
      resource: `${ISSUER}/mcp`,
      session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
    },
    oauth: { enabled: false, metadataPath: "/.well-known/oauth-protected-resource", servers: [] },
    allowedOrigins: [ISSUER],
    allowedHosts: ["us.example"],
  };
  const headers = { Cookie: "a=b; __Host-countersign=the-session", "Mcp-Session-Id": "the-agent" };
  const sessionsOf = async (product: InProcess, path: string, init: RequestInit = { headers }) => {
    const entries = await entriesOf(product, () => product.send(path, init));
    return new Set(entries.map(({ sessionId }) => sessionId));
  };

  test("is the beginning of its hash, a browser's or an agent's", async () => {
    const product = await start({ configuration: { logger, mcpProvider } });
    expect(await sessionsOf(product, "/nowhere")).toEqual(new Set([sha256base64url("the-session").slice(0, 16)]));
    expect(await sessionsOf(product, "/mcp")).toEqual(new Set([sha256base64url("the-agent").slice(0, 16)]));
    expect(await sessionsOf(product, "/nowhere", {})).toEqual(new Set([undefined]));
    expect(product.logs.join("\n")).not.toMatch(/the-session|the-agent/);
  });

  test("is left out at a gateway without sessions, whatever the header says", async () => {
    const stream = { path: "/mcp", resource: `${ISSUER}/mcp` };
    const product = await start({ configuration: { logger, mcpProvider: { ...mcpProvider, stream } } });
    expect(await sessionsOf(product, "/mcp", { headers: { "Mcp-Session-Id": "the-agent" } })).toEqual(
      new Set([undefined]),
    );
  });

  test("is left out unless the configuration asks for it", async () => {
    const product = await start({ configuration: { mcpProvider } });
    for (const path of ["/nowhere", "/mcp"]) expect(await sessionsOf(product, path)).toEqual(new Set([undefined]));
  });
});
