import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { documented, documentedJson, sends, textOf, withAnsweringApi } from "../bridge/answering-api.ts";

const api = withAnsweringApi();
const LOGIN = "<!doctype html><title>Sign in</title>";

/** A head and some of the body, and then what the test says. */
const begins =
  (status: number, headers: Readonly<Record<string, string>>, then: "hangs" | "breaks"): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers);
    response.write('{"error":"half', () => {
      if (then === "breaks") response.destroy();
    });
  };

describe("29. an answer that is no success is an error", () => {
  test.each([
    [400, "tool_error"],
    [404, "tool_error"],
    [429, "tool_error"],
    [500, "upstream_error"],
    [503, "upstream_error"],
  ])("%i tells its status and body", async (status, outcome) => {
    const body = '{"title":"no","detail":"because"}';
    const invocation = await api.call(sends(body, "application/problem+json", status, { "retry-after": "30" }));
    expect(invocation).toMatchObject({ outcome, reason: `http_${status}`, result: { isError: true } });
    expect(invocation.result.structuredContent).toBeUndefined();
    expect(textOf(invocation)).toMatch(new RegExp(`^HTTP ${status} [\\s\\S]*\n\n${body}\n\nRetry-After: 30$`));
  });

  test("a body of megabytes is told up to 16 KiB, and the rest is not read", async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(502, { "content-type": "text/html" });
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", write);
      write();
    };
    const invocation = await api.call(endless);
    expect(invocation.reason).toBe("http_502");
    expect(textOf(invocation)).toContain(
      `${"x".repeat(16_384)}\n[The answer goes on; only its first 16384 bytes were read.]`,
    );
    expect(textOf(invocation).length).toBeLessThan(17_000);
    await expect.poll(() => api.leftEarly).toBe(true);
  });

  test("a body that is cut within a character is text all the same", async () => {
    const text = textOf(await api.call(sends(`x${"ü".repeat(10_000)}`, "text/plain; charset=utf-8", 500)));
    expect(text).toContain(`x${"ü".repeat(8_191)}\n[`);
  });

  test.each(["hangs", "breaks"] as const)("a body that %s does not hide the status", async (then) => {
    const invocation = await api.call(begins(500, { "content-type": "application/json" }, then), {
      endsEarly: then === "hangs",
    });
    expect(invocation.reason).toBe("http_500");
    expect(textOf(invocation)).toBe('HTTP 500 Internal Server Error\n\n{"error":"half\n[The answer broke off here.]');
  });

  test("bytes are named", async () => {
    const invocation = await api.call(sends(new Uint8Array([0, 255]), "image/png", 404));
    expect(textOf(invocation)).toBe("HTTP 404 Not Found\n\n[2 bytes of image/png]");
  });

  test.each([
    ["https://user:pw@files.example/a/b?signature=secret#c", "https://files.example/a/b"],
    ["/elsewhere?key=secret", "/elsewhere"],
  ])("a redirect to %s is not followed and tells no secret", async (location, told) => {
    const invocation = await api.call(sends("", undefined, 302, { location }));
    expect(invocation).toMatchObject({ outcome: "tool_error", reason: "http_302", result: { isError: true } });
    expect(textOf(invocation)).toBe(`HTTP 302 Found (redirects are not followed; this one leads to ${told})`);
  });

  test("304 is no redirect", async () => {
    expect(textOf(await api.call(sends("", undefined, 304)))).toBe("HTTP 304 Not Modified");
  });
});

describe("29. a success that cannot be one is an error", () => {
  const JSON_TYPE = "application/json";
  test.each([
    [
      "a page in place of documented JSON",
      sends(LOGIN, "text/html; charset=utf-8"),
      documentedJson(),
      "it is text/html, not JSON",
    ],
    [
      "a page where nothing is documented",
      sends(LOGIN, "text/html"),
      documented(undefined),
      "it is text/html, not JSON",
    ],
    ["garbage", sends("{'a': 1}", JSON_TYPE), documentedJson(), "it is not valid JSON"],
    ["half of an object", sends('{"a": [1, 2', JSON_TYPE), documentedJson(), "it is not valid JSON"],
  ])("%s", async (_, answer, operation, problem) => {
    const invocation = await api.call(answer, { operation });
    expect(invocation).toMatchObject({
      outcome: "upstream_error",
      reason: "unexpected_response",
      result: { isError: true },
    });
    expect(textOf(invocation)).toContain(`its answer is not as documented: ${problem}.\n\n`);
  });

  test("a page is an answer where pages are documented", async () => {
    const operation = documented({ "text/html": {} });
    expect(await api.call(sends(LOGIN, "text/html"), { operation })).toMatchObject({ outcome: "success" });
  });

  test("a problem of status 200", async () => {
    const invocation = await api.call(sends('{"title":"no"}', "application/problem+json"));
    expect(invocation).toMatchObject({ outcome: "tool_error", reason: "problem_details", result: { isError: true } });
    expect(textOf(invocation)).toBe('HTTP 200 OK, but the answer describes a problem.\n\n{"title":"no"}');
  });

  test("whoever sent something is told to look before doing it again", async () => {
    const advice = "Before you repeat the call, find out whether it took effect.";
    expect(textOf(await api.call(sends("{", JSON_TYPE), { method: "post" }))).toContain(advice);
    expect(textOf(await api.call(sends("{", JSON_TYPE)))).not.toContain(advice);
  });
});

describe("29. an answer that does not come to its end is an error", () => {
  const OK = { "content-type": "application/json" };

  test("a connection that breaks", async () => {
    const invocation = await api.call(begins(200, OK, "breaks"), { method: "post" });
    expect(invocation).toMatchObject({ outcome: "upstream_error", reason: "broken_off", result: { isError: true } });
    expect(textOf(invocation)).toMatch(
      /^The connection broke off in the middle of the API's answer\. Before you repeat/,
    );
  });

  test("a body that hangs", async () => {
    const invocation = await api.call(begins(200, OK, "hangs"), { endsEarly: true });
    expect(invocation).toMatchObject({ reason: "timeout", result: { isError: true } });
    expect(textOf(invocation)).toBe("The API did not answer within 20000 ms.");
    await expect.poll(() => api.leftEarly).toBe(true);
  });

  test("a body of 30 MB, declared or not, is not read to its end", async () => {
    const large = Buffer.alloc(30 * 1024 * 1024, "x");
    const undeclared: RequestListener = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "transfer-encoding": "chunked" }).end(large);
    };
    for (const answer of [sends(large, "text/plain"), undeclared]) {
      const invocation = await api.call(answer);
      expect(invocation).toMatchObject({ reason: "response_too_large", result: { isError: true } });
      expect(textOf(invocation)).toBe(
        "The API's answer is longer than 4194304 bytes and was not read. Ask for less, if the tool has arguments for it: a page, a filter.",
      );
      await expect.poll(() => api.leftEarly).toBe(true);
    }
  });

  test("a small body that unpacks to 20 MB", async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const packed = sends(bomb, "application/json", 200, { "content-encoding": "gzip" });
    expect(await api.call(packed)).toMatchObject({ reason: "response_too_large", result: { isError: true } });
  });

  test("a body that does not unpack", async () => {
    const packed = sends("{}", "application/json", 200, { "content-encoding": "gzip" });
    expect(await api.call(packed)).toMatchObject({ reason: "broken_off", result: { isError: true } });
  });
});
