import { describe, expect, test } from "vitest";
import { documented, documentedJson, sends, textOf, withAnsweringApi } from "./answering-api.ts";

const api = withAnsweringApi();
const BYTES = Uint8Array.from({ length: 20_000 }, (_, n) => (n * 7) % 256);
const BASE64 = Buffer.from(BYTES).toString("base64");

describe("what is no text", () => {
  test.each(["image/png", "audio/mpeg"])("%s is a block of its kind", async (mimeType) => {
    const { outcome, result } = await api.call(sends(BYTES, mimeType));
    expect(outcome).toBe("success");
    expect(result.content).toEqual([{ type: mimeType.split("/")[0], data: BASE64, mimeType }]);
  });

  test.each([
    ["application/pdf", "application/pdf"],
    ["video/mp4; codecs=avc1", "video/mp4"],
    [undefined, "application/octet-stream"],
    ['image/png"><x', "application/octet-stream"],
    [`image/${"x".repeat(5_000)}`, "application/octet-stream"],
  ])("%s is an embedded resource whose URI tells nothing of the request", async (type, mimeType) => {
    const { result } = await api.call(sends(BYTES, type));
    expect(result.content).toEqual([
      { type: "resource", resource: { uri: "countersign:answer/answer", mimeType, blob: BASE64 } },
    ]);
  });

  test("of more than a megabyte is refused, and a larger image is not", async () => {
    const large = new Uint8Array(1024 * 1024 + 1);
    const refused = await api.call(sends(large, "application/zip"));
    expect(refused).toMatchObject({
      outcome: "upstream_error",
      reason: "response_too_large",
      result: { isError: true },
    });
    expect(textOf(refused)).toBe("The API's answer is longer than 1048576 bytes and was not read.");
    expect((await api.call(sends(large, "image/png"))).outcome).toBe("success");
  });
});

describe("text", () => {
  test.each([
    ["text/csv", "a,b\n1,2\n"],
    ["image/svg+xml", "<svg/>"],
    ["application/octet-stream", "a log\twith a tab\r\n"],
    ["application/vnd.example.diff; charset=utf-8", "+ a line"],
    ["multipart/mixed; boundary=x", "--x\r\n\r\none\r\n--x--\r\n"],
    [undefined, "Grüße"],
  ])("of type %s is text", async (type, body) => {
    const { result, outcome } = await api.call(sends(body, type));
    expect(outcome).toBe("success");
    expect(result).toEqual({ content: [{ type: "text", text: body }] });
  });

  const WESTERN = Uint8Array.from([0x47, 0x72, 0xfc, 0xdf, 0x65]);
  test.each([
    ["UTF-8 labelled ISO-8859-1", Buffer.from("Grüße"), "text/plain; charset=ISO-8859-1"],
    ["UTF-8 with an unknown label", Buffer.from("Grüße"), "text/plain; charset=nonsense"],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffGrüße"), "text/plain"],
    ["ISO-8859-1 labelled so", WESTERN, "text/plain; charset=iso-8859-1"],
    ["ISO-8859-1 labelled UTF-8", WESTERN, "text/plain; charset=utf-8"],
    ["UTF-16 with a byte order mark", Buffer.from("\ufeffGrüße", "utf16le"), "text/plain"],
    ["UTF-16 labelled so", Buffer.from("Grüße", "utf16le"), "text/plain; charset=utf-16le"],
  ])("in %s is read", async (_, body, type) => {
    expect(textOf(await api.call(sends(body, type)))).toBe("Grüße");
  });
});

describe("JSON", () => {
  test.each([
    ["with a byte order mark", "application/json", '\ufeff{"a":1}'],
    ["of a type of its own", "application/vnd.example+json; charset=utf-8", '{"a":1}'],
    ["under the name of plain text", "text/plain", '{"a":1}'],
    ["under the name of a page", "text/html", ' {"a":1}'],
    ["under no name", undefined, '{"a":1}'],
  ])("%s is structured content", async (_, type, body) => {
    const invocation = await api.call(sends(body, type), { operation: documentedJson() });
    expect(invocation).toMatchObject({ outcome: "success", result: { structuredContent: { a: 1 } } });
  });

  test("under the name of plain text is structured content where nothing is documented", async () => {
    expect((await api.call(sends('{"a":1}', "text/plain"))).result.structuredContent).toEqual({ a: 1 });
  });

  test("as text is text where the document says text", async () => {
    const { result } = await api.call(sends('{"a":1}', "text/plain"), { operation: documented({ "text/plain": {} }) });
    expect(result).toEqual({ content: [{ type: "text", text: '{"a":1}' }] });
  });
});

describe("answers without a body", () => {
  test.each([
    ["get", 204],
    ["get", 205],
    ["post", 201],
    ["get", 200],
  ])("%s %i is a success that tells its status, with an output schema as well", async (method, status) => {
    const empty = sends("", "application/json", status);
    const plain = await api.call(empty, { method });
    expect(textOf(plain)).toMatch(new RegExp(`^HTTP ${status}`));
    expect(plain).toMatchObject({ outcome: "success" });
    const operation = documentedJson({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(await api.call(empty, { method, operation })).toMatchObject({
      outcome: "success",
      result: { structuredContent: {} },
    });
  });

  test("HEAD tells what the body would be, however long", async () => {
    const headers = { "content-length": "30000000", etag: '"5"', "last-modified": "Sun, 22 Nov 2026 08:00:00 GMT" };
    const invocation = await api.call(sends("", "video/mp4", 200, headers), { method: "head" });
    expect(invocation.outcome).toBe("success");
    expect(textOf(invocation)).toBe(
      'HTTP 200 OK\nContent-Type: video/mp4\nContent-Length: 30000000\nLast-Modified: Sun, 22 Nov 2026 08:00:00 GMT\nETag: "5"',
    );
  });
});

describe("headers that an agent needs", () => {
  test("a new resource's place is told without host and query", async () => {
    const location = `${api.url}/notes/5?key=secret#part`;
    const { result } = await api.call(sends('{"id":5}', "application/json", 201, { location }), { method: "post" });
    expect(result.content).toEqual([
      { type: "text", text: '{"id":5}' },
      { type: "text", text: "Location: /notes/5" },
    ]);
    expect(result.structuredContent).toEqual({ id: 5 });
  });

  test("the next page is told as arguments, and no other parameter of its URL", async () => {
    const parameters = [
      { name: "page", in: "query", schema: { type: "integer" } },
      { name: "per[page]", in: "query", schema: { type: "integer" } },
    ];
    const link = '</answer?page=1>; rel="prev", <https://x.example/a?key=secret&page=3&per%5Bpage%5D=50>; rel="next"';
    const operation = { ...documentedJson(), parameters };
    const text = textOf(await api.call(sends("[]", "application/json", 200, { link }), { operation }));
    expect(text).toMatch(/^\[\]\nNext page: page=3, per\S*page\S*=50$/);
    expect(textOf(await api.call(sends("[]", "application/json", 200, { link })))).toBe("[]\nThere is a next page.");
  });
});

describe("a redirect that is the documented success", () => {
  const operation = { responses: { 302: { description: "The archive." } } };
  test.each([
    ["https://user@files.example/a.zip?signature=x#part", "https://files.example/a.zip?signature=x"],
    ["/files/a.zip?key=secret", "/files/a.zip"],
  ])("to %s is an answer that says where", async (location, told) => {
    const invocation = await api.call(sends("", undefined, 302, { location }), { operation });
    expect(invocation).toMatchObject({ outcome: "success" });
    expect(textOf(invocation)).toBe(`HTTP 302 Found: the answer is at ${told} and was not fetched.`);
  });

  test("is no answer without a place", async () => {
    expect((await api.call(sends("", undefined, 302), { operation })).result.isError).toBe(true);
  });
});
