import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { endBrowserSession, startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { hostSessionValue, loggedSessionHash } from "../../lib/directory/host-sessions.ts";
import { createKnownSessions } from "../../lib/directory/known-sessions.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import type { ConnectorSignIn } from "../../lib/stores/directory.ts";
import { HOUR, MINUTE, openTestInstance, type TestInstance } from "./instance.ts";

const USER = "user_mNjSic-IH40do4WAWIqSntpwQQDtsqoIECI04L3zShM";
const SIGN_IN: ConnectorSignIn = {
  ...{ connector: "corp", issuer: "https://corp.example", subject: "alice", claims: {} },
};
/** Where the test instance is. */
const OURS = "localhost";
const HOST = "payroll.example";

let instance: TestInstance;
/** How often a session was read from the store. */
let reads: number;
let ports: Dependencies;
beforeEach(() => {
  instance = openTestInstance();
  reads = 0;
  const { dependencies } = instance;
  const { stores } = dependencies;
  const getBrowserSession: typeof stores.directory.getBrowserSession = (hash) => {
    reads += 1;
    return stores.directory.getBrowserSession(hash);
  };
  ports = { ...dependencies, stores: { ...stores, directory: { ...stores.directory, getBrowserSession } } };
});
afterEach(() => instance.close());

const start = () => startBrowserSession(ports, USER, { signIn: SIGN_IN });

test("60. a session is known by its secret on our host, and elsewhere by a value that is bound to that host", async () => {
  const secret = await start();
  const sessionHash = sha256base64url(secret);
  const known = createKnownSessions(ports, { memory: 0 });
  const bound = await hostSessionValue(sessionHash, HOST, ports);
  expect(await known.resume(secret, OURS)).toMatchObject({ userId: USER, sessionHash });
  expect(await known.resume(bound, HOST)).toMatchObject({ userId: USER, sessionHash });
  const [prefix = "", , mac = ""] = bound.split(".");
  const other = sha256base64url(await start());
  const foreign: readonly (readonly [value: string, host: string])[] = [
    ...([OURS, `sub.${HOST}`, HOST.toUpperCase(), `${HOST}:8443`, ""] as const).map((host) => [bound, host] as const),
    [secret, HOST],
    [sessionHash, HOST],
    [`${prefix}.${other}.${mac}`, HOST],
    [`${prefix}.${sessionHash}.${sha256base64url(mac)}`, HOST],
    [`${prefix}.${sessionHash}`, HOST],
    [`${bound}.`, HOST],
    [bound.slice(2), HOST],
    [await hostSessionValue(sessionHash, OURS, ports), OURS],
    ["", HOST],
    ["", OURS],
  ];
  for (const [value, host] of foreign)
    expect([value, host, await known.resume(value, host)]).toEqual([value, host, undefined]);
});

test("a value that another secret bound is none", async () => {
  const sessionHash = sha256base64url(await start());
  const theirs = { ...ports, stateSecret: new Uint8Array(32).fill(1) };
  const value = await hostSessionValue(sessionHash, HOST, theirs);
  expect(await createKnownSessions(ports, { memory: 0 }).resume(value, HOST)).toBeUndefined();
  expect(await createKnownSessions(theirs, { memory: 0 }).resume(value, HOST)).toBeDefined();
});

test("a session of the Console is none at web apps", async () => {
  const secret = await startBrowserSession(ports, USER, { method: "link", userAgent: "A browser" });
  expect(await createKnownSessions(ports, { memory: 0 }).resume(secret, OURS)).toBeUndefined();
});

test.each([
  [0, 5],
  [2_000, 1],
])("with a memory of %i ms, five uses in a row read %i times", async (memory, expected) => {
  const secret = await start();
  const known = createKnownSessions(ports, { memory });
  for (let use = 0; use < 5; use++) expect(await known.resume(secret, OURS)).toBeDefined();
  expect(reads).toBe(expected);
});

test("what is remembered is good for its time, and no longer because it is used", async () => {
  const secret = await start();
  const known = createKnownSessions(ports, { memory: 2 * MINUTE });
  await known.resume(secret, OURS);
  await endBrowserSession(instance.dependencies, secret);
  instance.advance(MINUTE + MINUTE / 2);
  // It is touched here, as its last use is written.
  expect(await known.resume(secret, OURS)).toBeDefined();
  instance.advance(MINUTE);
  expect(await known.resume(secret, OURS)).toBeUndefined();
});

test("a remembered session ends on time, and with a stop of its person", async () => {
  const secret = await start();
  const known = createKnownSessions(ports, { memory: 24 * HOUR });
  expect(await known.resume(secret, OURS)).toBeDefined();
  const operator = { id: "operator:test", organizationId: "org_1", isOperator: true } as const;
  const stopped = await start();
  expect(await known.resume(stopped, OURS)).toBeDefined();
  instance.advance(2 * HOUR);
  expect(await known.resume(secret, OURS)).toBeUndefined();
  const fresh = await start();
  expect(await known.resume(fresh, OURS)).toBeDefined();
  await placeStop(ports, operator, { kind: "person", id: USER, state: "suspended", reason: "left" });
  expect(await known.resume(fresh, OURS)).toBeUndefined();
});

test("whoever waits for the end of a session is told once: when it is forgotten, and when it is found to be over", async () => {
  const secret = await start();
  const sessionHash = sha256base64url(secret);
  const known = createKnownSessions(ports, { memory: 24 * HOUR });
  await known.resume(secret, OURS);
  const told: string[] = [];
  known.onEnd(sessionHash, () => told.push("one"));
  known.onEnd(sessionHash, () => told.push("other"));
  known.onEnd(sessionHash, () => told.push("taken back"))();
  known.onEnd(sha256base64url("another"), () => told.push("another"));
  known.forget(sessionHash);
  known.forget(sessionHash);
  expect(told).toEqual(["one", "other"]);
  known.onEnd(sessionHash, () => told.push("found over"));
  await endBrowserSession(instance.dependencies, secret);
  expect(await known.resume(secret, OURS)).toBeUndefined();
  expect(told).toEqual(["one", "other", "found over"]);
});

test("a session that ends while it is read is not remembered", async () => {
  const secret = await start();
  const { directory } = ports.stores;
  let known = createKnownSessions(ports, { memory: 24 * HOUR });
  const slow: Dependencies = {
    ...ports,
    stores: {
      ...ports.stores,
      directory: {
        ...directory,
        getBrowserSession: async (hash) => {
          const session = await directory.getBrowserSession(hash);
          await endBrowserSession(instance.dependencies, secret);
          known.forget(hash);
          return session;
        },
      },
    },
  };
  known = createKnownSessions(slow, { memory: 24 * HOUR });
  await known.resume(secret, OURS);
  expect(await known.resume(secret, OURS)).toBeUndefined();
});

test("the log names a session alike on all hosts, and anything else by its hash", async () => {
  const secret = await start();
  const sessionHash = sha256base64url(secret);
  expect(loggedSessionHash(secret)).toBe(sessionHash);
  expect(loggedSessionHash(await hostSessionValue(sessionHash, HOST, ports))).toBe(sessionHash);
  for (const value of ["", "h.x.y", `h.${sessionHash}.`, "h.\n.x"]) {
    expect(loggedSessionHash(value)).toBe(sha256base64url(value));
  }
});
