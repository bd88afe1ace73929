import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { createSigner, issueToken, manage, requestToken, setUpOwner } from "../behaviour/fixture.ts";
import { CONSOLE } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { startInProcess } from "../support/in-process.ts";
import { SETUP_TOKEN } from "../support/runtime.ts";

const nothingToRead = () => Promise.reject(new Error("nothing is read"));

describe("a server whose database another process has locked", () => {
  let folder: string;
  let server: RunningServer;
  let lines: string[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-locked-"));
    lines = [];
    const port = await freePort();
    const text = `version: "1"
http: {address: "127.0.0.1:${port}"}
store: {path: ${JSON.stringify(folder)}}
console: {enabled: true, setupToken: "${SETUP_TOKEN}"}
logger: {jsonOutput: true}
oidcProvider: {region: us}`;
    const compiled = await compileConfiguration(text, { file: "test.yaml", readDocument: nothingToRead });
    if ("errors" in compiled) throw new Error(compiled.errors.map(({ message }) => message).join("\n"));
    server = await startServer({
      artifact: compiled.artifact,
      environment: {},
      secrets: { get: nothingToRead },
      verbose: false,
      write: (line) => lines.push(line),
    });
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  test("41. answers 503 and when to come back to what cannot wait, and serves again afterwards", async () => {
    const region = { region: "us", url: server.url, logs: () => lines } as const;
    const owner = await setUpOwner(region);
    const signer = await createSigner(owner);
    await issueToken(region, signer);

    const lock = await holdWriteLock(join(folder, "countersign.db"));
    const [token, change] = await Promise.all([
      requestToken(region, signer),
      manage(owner, "POST", "/api-clients", { name: "another" }),
    ]);
    for (const answer of [token, change]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(await answer.json()).toMatchObject({ type: "urn:countersign:problem:unavailable", status: 503 });
    }
    const entries = lines.map((line) => JSON.parse(line));
    const warnings = entries.filter(({ msg }) => msg === "store not available");
    expect(warnings).toHaveLength(2);
    for (const warning of warnings) {
      expect(warning).toMatchObject({ level: "warn", cause: expect.stringContaining("database is locked") });
    }
    expect(entries.filter(({ level }) => level === "error")).toMatchObject([
      {
        msg: "the store keeps nothing that is written; requests that write are answered 503",
        cause: "database is locked",
      },
    ]);
    expect((await fetch(`${server.url}/status`)).status).toBe(503);
    expect(lines.join("\n")).not.toMatch(/\bat .*\.ts:\d/);

    await lock.release();
    await issueToken(region, signer);
    expect((await fetch(`${server.url}/status`)).status).toBe(200);
  });
});

describe("an error of the store", () => {
  const answerTo = async (error: unknown) => {
    const product = await startInProcess({
      configuration: { console: { ...CONSOLE, enabled: true, baseURL: "https://us.example" } },
      adapt: (dependencies) => {
        const { directory } = dependencies.stores;
        const getBrowserSession = () => Promise.reject(error);
        return { ...dependencies, stores: { ...dependencies.stores, directory: { ...directory, getBrowserSession } } };
      },
    });
    const headers = { cookie: `__Host-countersign-console=${"A".repeat(43)}` };
    const response = await product.send("/api/v1/me", { headers });
    await product.close();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };

  test("that goes away by itself is 503, any other 500", async () => {
    expect(await answerTo(new StoreUnavailableError(new Error("throttled")))).toEqual({ status: 503, retryAfter: "1" });
    expect(await answerTo(new Error("no such table"))).toEqual({ status: 500, retryAfter: null });
  });
});

/** In another process, as two connections of one process would not wait for each other in the same way. */
async function holdWriteLock(file: string): Promise<{ release(): Promise<void> }> {
  const script = join(import.meta.dirname, "../infra-node/hold-write-lock.ts");
  const holder = spawn(process.execPath, [script, file], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(holder, "exit");
  await once(createInterface({ input: holder.stdout }), "line");
  return {
    release: async () => {
      holder.stdin.end();
      await exited;
    },
  };
}
