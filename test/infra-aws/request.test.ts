import { describe, expect, test } from "vitest";
import { targetOf, toRequest } from "../../infra/aws/request.ts";
import { type EventFields, eventOf } from "./support/event.ts";

const requestOf = (fields: EventFields): Request => {
  const request = toRequest(eventOf(fields), "id.example");
  if (request === undefined) throw new Error("no request was made of the event");
  return request;
};

describe("a Function URL event", () => {
  test("becomes a request at the host that the client used", () => {
    const request = requestOf({ path: "/oauth2/token", query: "a=1&a=2%20" });
    expect(request.url).toBe("https://id.example/oauth2/token?a=1&a=2%20");
    expect(request.headers.get("host")).toBe("id.example");
  });

  test("keeps an encoded path as it is and cannot turn it into a query", () => {
    expect(new URL(requestOf({ path: "/a%2Fb%3F/c?d#e" }).url).pathname).toBe("/a%2Fb%3F/c%3Fd%23e");
  });

  test.each([
    ["/a%2Fb//c;d", "x=%zz", "/a%2Fb//c;d?x=%zz"],
    ["/%2e%2E/../x", "", "/%2e%2E/../x"],
  ])("has the target that the platform tells: %s %s", (path, query, target) => {
    expect(targetOf(eventOf({ path, query }))).toBe(target);
  });

  test("brings a binary body unchanged", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const request = requestOf({ method: "POST", body: bytes.toString("base64"), isBase64Encoded: true });
    expect(Buffer.from(await request.arrayBuffer())).toEqual(bytes);
  });

  test("brings a text body unchanged", async () => {
    expect(await requestOf({ method: "POST", body: "grüße=1" }).text()).toBe("grüße=1");
  });

  test("brings its cookies as one header", () => {
    expect(requestOf({ cookies: ["a=1", "b=2"] }).headers.get("cookie")).toBe("a=1; b=2");
  });

  test("does not show the application what the front added", () => {
    const headers = { "x-countersign-origin": "secret", "x-countersign-viewer-host": "h", "x-other": "stays" };
    const request = requestOf({ headers });
    expect([...request.headers.keys()].sort()).toEqual(["host", "x-other"]);
  });

  test.each([{ method: "TRACE" }, { headers: { "bad name": "x" } }])(
    "that no request can be made of is told apart: %j",
    (fields) => {
      expect(toRequest(eventOf(fields), "id.example")).toBeUndefined();
    },
  );
});
