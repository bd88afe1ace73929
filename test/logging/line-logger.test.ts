import { describe, expect, test } from "vitest";
import { type LineLoggerOptions, lineLogger } from "../../lib/logging/line-logger.ts";
import type { LineFormat } from "../../lib/logging/log-line.ts";
import { jsonLine, textLine } from "../../lib/logging/log-line.ts";
import type { LogLevel } from "../../lib/logging/logger-configuration.ts";
import { REDACTED } from "../../lib/logging/redaction.ts";

const JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJjbGllbnRfMSJ9.c2lnbmF0dXJlLWJ5dGVz";
const TOKEN = "cst_us_0fAbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG3xYz12";

function recorder(level: LogLevel = "debug", format: LineFormat = jsonLine, more: Partial<LineLoggerOptions> = {}) {
  const lines: string[] = [];
  const clock = { now: () => Date.UTC(2026, 10, 20, 9, 30) };
  const write = (line: string) => lines.push(line);
  return { lines, logger: lineLogger({ level, format, clock, soid: "instance-1", write, ...more }) };
}

test("a JSON line carries time, level, message, instance and fields", () => {
  const { lines, logger } = recorder();
  logger.with({ requestId: "r1" }).warn("slow", { durationMs: 12, ok: true, nothing: undefined });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: "2026-11-20T09:30:00Z",
      level: "warn",
      msg: "slow",
      soid: "instance-1",
      requestId: "r1",
      durationMs: 12,
      ok: true,
    },
  ]);
});

test("no field replaces time, level, message or instance", () => {
  const { lines, logger } = recorder();
  logger.info("real", { msg: "forged", level: "error", soid: "other", time: "never" });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-11-20T09:30:00Z",
    level: "info",
    msg: "real",
    soid: "instance-1",
  });
});

test("entries below the level are dropped", () => {
  const { lines, logger } = recorder("warn");
  logger.debug("a");
  logger.info("b");
  logger.warn("c");
  logger.error("d");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["c", "d"]);
});

test("fields bound by `with` stay with that logger alone", () => {
  const { lines, logger } = recorder("debug", textLine);
  logger.with({ requestId: "r1" });
  logger.info("plain");
  expect(lines).toEqual(["2026-11-20T09:30:00Z INFO  plain soid=instance-1"]);
});

test("a text line stays one line, whatever is in it", () => {
  const { lines, logger } = recorder("debug", textLine);
  logger.info("first\nsecond", { path: "/a\r\nb", name: 'say "hi"', line: "x\u2028y\u001b[31m" });
  expect(lines[0]).toMatch(/^\P{Cc}+$/u);
  expect(lines[0]).not.toMatch(/[\u2028\u2029]/);
  expect(lines[0]).toContain('name="say \\"hi\\""');
});

test("a JSON line stays one line for every reader, and says what it was told", () => {
  const { lines, logger } = recorder("debug", jsonLine);
  const name = "x\u2028y\u2029z\u0085\u007f";
  logger.info("first\nsecond", { name });
  expect(lines[0]).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: "first\nsecond", name });
});

test("an entry carries the fields of the work it is written in, unless it has its own", () => {
  let fields: Readonly<Record<string, string>> | undefined;
  const { lines, logger } = recorder("debug", textLine, { scope: { current: () => fields } });
  logger.info("outside");
  fields = { requestId: "r1", note: `token=${TOKEN}` };
  logger.info("inside", { kind: "a" });
  logger.with({ requestId: "r2" }).info("own", { note: "mine" });
  expect(lines.map((line) => line.slice("2026-11-20T09:30:00Z INFO  ".length))).toEqual([
    "outside soid=instance-1",
    `inside requestId=r1 note="token=${REDACTED}" kind=a soid=instance-1`,
    "own requestId=r1 note=mine soid=instance-1",
  ]);
});

test("a line that cannot be written fails nobody", () => {
  const write = () => {
    throw new Error("EPIPE");
  };
  const { logger } = recorder("debug", jsonLine, { write });
  expect(() => logger.error("lost")).not.toThrow();
});

test("10. a secret that stands where a text is cut is not left in half", () => {
  const { lines, logger } = recorder();
  for (const before of [8_150, 8_180, 8_192, 16_360, 16_380]) {
    logger.info(`${" ".repeat(before)}${JWT} ${"m".repeat(20_000)}`, { a: `${JWT} `.repeat(180) + JWT.slice(0, 60) });
  }
  for (const before of [100, 120, 200, 250, 1_000, 1_020, 9_000]) {
    const text = `${"x".repeat(before)}/${JWT}`;
    logger.with({ clientRequestId: text }).info("request", { path: text, userAgent: text });
  }
  expect(lines.join("\n")).not.toContain(JWT.slice(0, 8));
});

test("a message or field is cut, so that no stranger fills the log", () => {
  const { lines, logger } = recorder();
  logger.with({ bound: "b".repeat(8_193) }).info("m".repeat(100_000), { field: "f".repeat(8_192), secret: "s" });
  const { msg, bound, field, secret } = JSON.parse(lines[0] ?? "");
  expect(msg).toBe(`${"m".repeat(8_192)}…`);
  expect(bound).toBe(`${"b".repeat(8_192)}…`);
  expect(field).toBe("f".repeat(8_192));
  expect(secret).toBe(REDACTED);
});

describe("10. no line shows a secret", () => {
  for (const [name, format] of [
    ["JSON", jsonLine],
    ["text", textLine],
  ] as const) {
    test(`10. by the name of its field, as ${name}`, () => {
      const { lines, logger } = recorder("debug", format);
      const names = ["authorization", "Cookie", "client_secret", "clientSecret", "client_assertion", "access_token"];
      for (const field of [...names, "privateKey", "private_key", "setupToken", "code", "password"]) {
        logger.info("entry", { [field]: "hunter2" });
      }
      for (const line of lines) {
        expect(line).toContain(REDACTED);
        expect(line).not.toContain("hunter2");
      }
    });

    test(`10. by its look, in any field and in the message, as ${name}`, () => {
      const { lines, logger } = recorder("debug", format);
      const pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----";
      for (const secret of [JWT, TOKEN, pem, "Bearer abcdefgh12345678", "Basic dXNlcjpwYXNzd29yZA=="]) {
        logger.info(`got ${secret} here`, { detail: `saw ${secret} there` });
      }
      const all = lines.join("\n");
      for (const part of [JWT.slice(0, 30), TOKEN.slice(7), "MIGHAgEA", "abcdefgh12345678", "dXNlcjpwYXNz"]) {
        expect(all).not.toContain(part);
      }
      expect(lines).toHaveLength(5);
    });
  }

  test("10. ids of tokens, keys and clients stay readable", () => {
    const { lines, logger } = recorder();
    logger.info("issued", { tokenId: "tok_1", keyPairId: "key_1", clientId: "client_1", error: "invalid_client" });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ tokenId: "tok_1", keyPairId: "key_1", clientId: "client_1" });
  });
});
