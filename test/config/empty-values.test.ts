import { describe, expect, test } from "vitest";
import { mistakes, startMistakes } from "./support.ts";

describe("values that are not there", () => {
  test("an unset variable is named", async () => {
    expect(await startMistakes('version: 1\nhttp: {tls: "{{ env.ENTRY }}"}')).toEqual([
      "2:13: http.tls: the environment variable ENTRY is not set",
    ]);
  });

  test("an empty variable is named where text is required", async () => {
    const text = `version: 1
store: {path: "{{ env.FOLDER }}"}
tls: {main: {caFile: "{{ env.CA }}{{ env.SUFFIX }}"}}
`;
    expect(await startMistakes(text, { environment: { FOLDER: "", CA: "", SUFFIX: "" } })).toEqual([
      "2:15: store.path: found an empty value of {{ env.FOLDER }}; accepted: a folder",
      "3:22: tls.main.caFile: found an empty value of {{ env.CA }}{{ env.SUFFIX }}; accepted: the path of a PEM file",
    ]);
  });

  test("a missing and an empty secret are named with their references", async () => {
    const text = `version: 1
connectors:
  - {name: a, type: oidc, oauthClientID: b, oidcWellKnownURL: "https://a.example/", oauthClientSecret: <id.secret>}
telemetry: {metrics: {readers: [{periodic: {exporter: {otlp: {endpoint: "https://a.example/", headers: {x: <otlp.token>}}}}}]}}
`;
    const found = await startMistakes(text, { secrets: { S_ID_SECRET: "" } });
    expect(found).toEqual([
      expect.stringMatching(/^3:\d+: connectors\[0\]\.oauthClientSecret: .*<id\.secret>/),
      expect.stringMatching(/^4:\d+: telemetry\..*\.headers\.x: the secret <otlp\.token> is not set/),
    ]);
  });

  test.each([
    ["a number", 'health: {heartbeat: {interval: "{{ env.NONE }}"}}', "health.heartbeat.interval"],
    ["a boolean", 'http: {accessLog: {disabled: "{{ env.NONE }}"}}', "http.accessLog.disabled"],
    ["one of several words", 'logger: {level: "{{ env.NONE }}"}', "logger.level"],
  ])("an empty variable is named where %s is required", async (_, keys, path) => {
    expect(await startMistakes(`version: 1\n${keys}`, { environment: { NONE: "" } })).toEqual([
      expect.stringContaining(`${path}: found an empty value of {{ env.NONE }}; accepted: `),
    ]);
  });

  test("null is the same as absent: a default where there is one, a mistake where something is required", async () => {
    expect(await mistakes("version: 1\nhealth: null\nlogger: {level: null}\nhttp: {hosts: ~}")).toEqual([]);
    expect(await mistakes("version: null")).toEqual([
      '1:10: version: required and missing; accepted: text or a number, for example "1"',
    ]);
    expect(await mistakes("version: 1\nconnectors: [null]\ntls: {main: null}")).toEqual([
      "2:14: connectors[0]: required and missing; accepted: a mapping of keys",
      "3:13: tls.main: required and missing; accepted: a mapping of keys",
    ]);
  });

  test.each([
    ["health: [location]", "health: found a list; accepted: a mapping of keys"],
    ["http: text", 'http: found "text"; accepted: a mapping of keys'],
    ["telemetry: {metrics: []}", "telemetry.metrics: found a list; accepted: a mapping of keys"],
    ["console: 5", "console: found a number; accepted: a mapping of keys"],
    ["store: true", "store: found the boolean true; accepted: a mapping of keys"],
    ["session: {lifetime: 1h}", 'session.lifetime: found "1h"; accepted: a mapping of keys'],
    ["http: {hosts: {a: b}}", "http.hosts: found a mapping; accepted: a list"],
    ["caches: {a: b}", "caches: found a mapping; accepted: a list"],
  ])("%s is of the wrong kind", async (keys, message) => {
    expect(await mistakes(`version: 1\n${keys}`)).toEqual([expect.stringContaining(message)]);
  });
});
