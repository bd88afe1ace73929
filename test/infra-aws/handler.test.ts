import { beforeAll, describe, expect, test } from "vitest";
import { createHandler } from "../../infra/aws/handler.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { eventually } from "../support/eventually.ts";
import { WITHOUT_TABLES } from "../support/lambda-environment.ts";
import { eventOf, scheduledEvent } from "./support/event.ts";
import { splitAnswer } from "./support/http-integration.ts";
import { invokeInProcess, provideAwslambda } from "./support/in-process-runtime.ts";

beforeAll(provideAwslambda);

const artifact: ConfigurationArtifact = {
  format: 1,
  source: "countersign.yaml",
  document: { version: "1", http: { publicURL: null } },
  placeholders: [{ path: ["http", "publicURL"], parts: [{ env: "PUBLIC_URL" }], line: 1, column: 1 }],
  positions: {},
  catalogs: {},
};
const environment = {
  ...WITHOUT_TABLES,
  PUBLIC_URL: "https://id.example",
};
const JSON_LOG = { jsonOutput: true };
const fromTheFront = { "x-countersign-origin": WITHOUT_TABLES.ORIGIN_SECRET };

async function start(variables: Readonly<Record<string, string | undefined>>, sections: object = {}) {
  const lines: string[] = [];
  const configured = { ...artifact, document: { ...(artifact.document as object), ...sections } };
  const handler = await createHandler({
    artifact: configured,
    environment: variables,
    write: (line) => lines.push(line),
  });
  const send = async (fields: Parameters<typeof eventOf>[0]) => {
    const answer = await splitAnswer(invokeInProcess(handler)(eventOf(fields)));
    if (answer === undefined) throw new Error("the answer has no status");
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return { status: answer.metadata.statusCode, text: Buffer.concat(pieces).toString("utf8") };
  };
  /** Invokes the function as EventBridge does, which reads no answer. */
  const tick = async (time: string) => {
    let bytes = 0;
    for await (const piece of invokeInProcess(handler)(scheduledEvent(time))) bytes += piece.length;
    return bytes;
  };
  const beats = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "heartbeat");
  return { send, tick, lines, beats };
}

describe("the Lambda handler", () => {
  test("serves the application, which says that it does not reach its tables", async () => {
    const { send } = await start(environment);
    expect(await send({ path: "/status", headers: fromTheFront })).toEqual({
      status: 503,
      text: '{"status":"down","components":[{"name":"store","status":"down"}]}',
    });
    expect((await send({ path: "/nowhere", headers: fromTheFront })).status).toBe(404);
  });

  test("starts with a later request when it could not at first", async () => {
    const variables: Record<string, string | undefined> = { ...environment, PUBLIC_URL: undefined };
    const { send, lines } = await start(variables);
    const ask = async () => (await send({ path: "/nowhere", headers: fromTheFront })).status;
    expect(await ask()).toBe(503);
    variables.PUBLIC_URL = environment.PUBLIC_URL;
    expect(await eventually(ask, (status) => status !== 503)).toBe(404);
    expect(lines.filter((line) => line.includes("the configuration starts now"))).toHaveLength(1);
  });

  test("answers 503 on every path when the configuration cannot start, and only the log says why", async () => {
    const { send, lines } = await start({ ...environment, PUBLIC_URL: undefined });
    for (const path of ["/status", "/oauth2/token", "/"]) {
      expect(await send({ path })).toEqual({ status: 503, text: '{"status":"down"}' });
    }
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: "error",
      cause: expect.stringContaining("PUBLIC_URL"),
    });
  });

  test.each(["RECORDS_TABLE", "SESSIONS_TABLE", "AUDIT_TABLE"])("cannot start without %s", async (variable) => {
    const { send, lines } = await start({ ...environment, [variable]: "" });
    expect((await send({ path: "/status" })).status).toBe(503);
    expect(lines.join()).toContain(variable);
  });

  test("refuses with 403 what went around the public domain", async () => {
    const { send } = await start(environment);
    expect((await send({ path: "/nowhere" })).status).toBe(403);
    expect((await send({ path: "/nowhere", headers: fromTheFront })).status).toBe(404);
  });

  test("cannot start without the secret that it would tell the public domain by, and serves nobody", async () => {
    const { send, lines } = await start({ ...environment, ORIGIN_SECRET: undefined });
    expect((await send({ path: "/status", headers: fromTheFront })).status).toBe(503);
    expect(lines.join()).toContain("ORIGIN_SECRET");
  });

  test.each([
    [{}, false],
    [{ SVC_DEBUG_MODE: "true" }, true],
  ])("with %j logs at debug level: %j", async (variables, expected) => {
    const { send, lines } = await start(
      { ...environment, ...variables },
      { logger: { level: "error", jsonOutput: true } },
    );
    await send({ path: "/nowhere", headers: fromTheFront });
    expect(lines.length > 0).toBe(expected);
  });

  test("cannot start with a debug mode that is none, and says what is accepted", async () => {
    const { send, lines } = await start({ ...environment, SVC_DEBUG_MODE: "1" });
    expect((await send({ path: "/status", headers: fromTheFront })).status).toBe(503);
    expect(lines.join()).toContain('SVC_DEBUG_MODE: found \\"1\\"; accepted: true, false.');
  });

  test("logs what is to know about its configuration", async () => {
    const { lines } = await start(environment, { http: { publicURL: null, address: "127.0.0.1:8080" } });
    expect(lines.filter((line) => line.includes("configuration warning") && line.includes("address"))).toHaveLength(1);
  });

  test("beats with EventBridge's schedule once an interval, without any request", async () => {
    const { tick, beats } = await start(environment, { logger: JSON_LOG, health: { heartbeat: { interval: "2m" } } });
    // From an even minute on that is still to come: what an instance has beaten since counts (D181).
    const even = Math.ceil(Date.now() / 120_000) * 120_000;
    for (const minute of [0, 1, 2, 3, 4]) {
      expect(await tick(new Date(even + minute * 60_000 + 4_000).toISOString())).toBe(0);
    }
    expect(beats()).toHaveLength(3);
    for (const beat of beats()) {
      expect(beat).toMatchObject({ level: "info", config_version: "1", cpu_count: expect.any(Number) });
      expect(Object.values(beat)).not.toContain(null);
    }
  });

  test("takes no request for the schedule, whatever its headers, query and body say", async () => {
    const { send, beats } = await start(environment, { logger: JSON_LOG, health: { heartbeat: { disabled: false } } });
    const event = scheduledEvent("2026-11-26T01:00:00Z");
    const body = JSON.stringify(event);
    const headers = { "detail-type": "Scheduled Event", source: "aws.events", "content-type": "application/json" };
    const query = new URLSearchParams({ "detail-type": "Scheduled Event", source: "aws.events" }).toString();
    expect((await send({ method: "POST", path: "/", headers, query, body })).status).toBe(403);
    expect(beats()).toEqual([]);
  });

  test("75. fetches security events with the schedule, unless nobody can say whose turn it is", async () => {
    const wellKnown = "http://127.0.0.1:9/.well-known/openid-configuration";
    const corp = {
      name: "corp",
      type: "oidc",
      oauthClientID: "c",
      oauthClientSecret: "s",
      oidcWellKnownURL: wellKnown,
    };
    const stream = { connector: "corp", delivery: "poll", token: "t", pollURL: "https://ssf.example/poll" };
    const { tick, lines } = await start(environment, { logger: JSON_LOG, connectors: [corp], signals: [stream] });
    await tick("2026-11-26T01:00:00Z");
    expect(lines.filter((line) => line.includes("security events not fetched"))).toHaveLength(1);
  });

  test("says that an interval of seconds is kept with requests alone", async () => {
    const { lines } = await start(environment, { logger: JSON_LOG, health: { heartbeat: { interval: "10s" } } });
    expect(lines.filter((line) => line.includes("health.heartbeat.interval: without requests"))).toHaveLength(1);
  });

  test("is silent with the schedule too while its configuration cannot start, but for the cause", async () => {
    const { tick, lines } = await start({ ...environment, PUBLIC_URL: undefined });
    expect(await tick("2026-11-26T01:00:00Z")).toBe(0);
    expect(lines).toHaveLength(1);
  });

  test("refuses with 400 what is no request", async () => {
    const { send } = await start(environment);
    expect((await send({ method: "TRACE", path: "/status", headers: fromTheFront })).status).toBe(400);
  });
});
