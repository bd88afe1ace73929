import { expect, test } from "vitest";
import { SPECIFIED_KEYS } from "./keys.ts";
import { keyRows } from "./rows/keys.ts";
import { rows } from "./rows.ts";

/** What the specification says of operation beside its tables of keys, by the ids of the rows. */
const OPERATION = [
  ...["environment", "secrets", "mistakes"].map((name) => `configuration.${name}`),
  ...["status", "up", "connectors"].map((name) => `health.${name}`),
  ...["fields", "interval"].map((name) => `heartbeat.${name}`),
  ...["instance", "request", "json", "access"].map((name) => `log.${name}`),
  ...["requests", "authentication", "runtime", "traces", "otlp"].map((name) => `telemetry.${name}`),
  ...["config", "secret-provider", "version", "verbose"].map((name) => `command.${name}`),
  ...["secret-provider-only", "secret-stores", "secret-kinds"].map((name) => `command.${name}`),
  ...["yaml", "required", "port", "file"].map((name) => `startup.${name}`),
  ...["session-timeout", "sse-keep-alive", "refresh-interval", "introspection-timeout"].map((name) => `limits.${name}`),
  ...["heartbeat-interval", "otlp-milliseconds", "expected-audiences"].map((name) => `limits.${name}`),
];

const ids = new Set(rows.map(({ id }) => id));

test("every key of the specification has a row, and no row is about another key", () => {
  expect(keyRows.map(({ id }) => id)).toEqual(SPECIFIED_KEYS.map(({ key }) => `configuration.${key}`));
  expect(keyRows.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("everything that the specification says of operation has a row", () => {
  expect(OPERATION.filter((id) => !ids.has(id))).toEqual([]);
});

test("the parts of titles of one row differ, so that none stands for another", () => {
  for (const { id, tests } of rows) expect(new Set(tests).size, id).toBe(tests.length);
});
