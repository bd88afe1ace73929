import type { RequestListener, ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { documentedJson, sends, textOf, withAnsweringApi } from "./answering-api.ts";

const api = withAnsweringApi();
const EVENTS =
  ': hello\n\nid: 1\nevent: delta\ndata: {"n":1}\n\ndata: one\r\ndata: two\r\n\r\nretry: 5\n\ndata: [DONE]';

/** Sends the head and the first chunk; the test has the rest. */
function begins(type: string, first: string, then: (response: ServerResponse) => void): RequestListener {
  return (_, response) => {
    response.writeHead(200, { "content-type": type });
    response.write(first, () => then(response));
  };
}

test("events are collected, each with its name and data", async () => {
  const invocation = await api.call(sends(EVENTS, "text/event-stream"));
  expect(invocation.outcome).toBe("success");
  expect(textOf(invocation)).toBe('event: delta\n{"n":1}\n\none\ntwo\n\n[DONE]');
});

test.each([
  ["application/x-ndjson", '{"n":1}\r\n\n{"n":2}'],
  ["application/jsonl", '{"n":1}\n{"n":2}\n'],
  ["application/json-seq", '\u001e{"n":1}\n\u001e{"n":2}\n'],
])("%s is collected line by line", async (type, body) => {
  expect(textOf(await api.call(sends(body, type)))).toBe('{"n":1}\n{"n":2}');
});

test("progress counts items while they arrive", async () => {
  const progress = vi.fn();
  const pending = api.call(
    begins("text/event-stream", "data: 1\n\ndata: 2\n", (response) => {
      vi.waitFor(() => expect(progress).toHaveBeenCalledWith({ progress: 1 }), 10_000).then(() =>
        response.end("\ndata: 3\n\n"),
      );
    }),
    { progress },
  );
  expect(textOf(await pending)).toBe("1\n\n2\n\n3");
  expect(progress.mock.calls.map(([report]) => report)).toEqual([
    { progress: 0, message: "The API answered with HTTP 200." },
    { progress: 1 },
    { progress: 3 },
  ]);
});

test("a stream that does not end is an answer with what came in time, and says so", async () => {
  const endless = begins("text/event-stream", "data: 1\n\ndata: 2\n\ndata: par", () => undefined);
  const invocation = await api.call(endless, { endsEarly: true });
  expect(invocation.outcome).toBe("success");
  expect(textOf(invocation)).toBe("1\n\n2\n\n[The API's stream goes on; these are its first 2 events.]");
  await expect.poll(() => api.leftEarly).toBe(true);
});

test("a stream that says nothing in time is an error", async () => {
  const silent = begins("text/event-stream", ": wait\n\n", () => undefined);
  expect(await api.call(silent, { endsEarly: true })).toMatchObject({ outcome: "upstream_error", reason: "timeout" });
});

test("a stream without end is read up to a megabyte, and reported on some hundred times at most", async () => {
  const progress = vi.fn();
  const line = `{"text":"${"x".repeat(89)}"}\n`;
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const write = () => {
      while (!response.destroyed && response.write(line));
    };
    response.on("drain", write);
    write();
  };
  const invocation = await api.call(endless, { progress });
  expect(invocation.outcome).toBe("success");
  const text = textOf(invocation);
  expect(text.slice(-80)).toMatch(/\[The API's stream goes on; these are its first 10381 lines\.\]$/);
  expect(text.length).toBeLessThan(1024 * 1024 + 100);
  expect(progress.mock.calls.length).toBeLessThan(200);
  await expect.poll(() => api.leftEarly).toBe(true);
});

test("29. a stream that breaks off is an error that has what came before", async () => {
  const breaks = begins("text/event-stream", "data: 1\n\ndata: 2", (response) => response.destroy());
  const invocation = await api.call(breaks);
  expect(invocation).toMatchObject({ outcome: "upstream_error", reason: "broken_off", result: { isError: true } });
  expect(textOf(invocation)).toBe("The API's answer broke off after 1 events.\n\n1");
});

test("an agent that leaves cancels a stream that was begun", async () => {
  const agent = new AbortController();
  const begun = begins("text/event-stream", "data: 1\n\n", () => agent.abort());
  expect(await api.call(begun, { signal: agent.signal })).toMatchObject({ outcome: "cancelled" });
  await expect.poll(() => api.leftEarly).toBe(true);
});

test("29. a stream under an output schema is an error that has the items", async () => {
  const operation = documentedJson({ type: "object", properties: {} });
  const invocation = await api.call(sends("data: 1\n\n", "text/event-stream"), { operation });
  expect(invocation).toMatchObject({ reason: "unexpected_response", result: { isError: true } });
  expect(textOf(invocation)).toContain("it is a stream, not JSON.\n\n1");
});
