import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";
import { type CorpusDocument, read } from "./documents.ts";
import { operationDocument } from "./receiver/operation-document.ts";
import { type Receiver, startReceiver } from "./receiver/server.ts";
import { verdictOn } from "./receiver/verdict.ts";

const JSON_TYPE = { "content-type": "application/json" };

describe("the receiver sees what is wrong", () => {
  let receiver: Receiver;
  let document: CorpusDocument;
  let tools: ReadonlyMap<string, BridgeTool>;
  beforeAll(async () => {
    receiver = await startReceiver();
    document = read("every kind", "test/openapi/every-kind.openapi.yaml");
    const result = await compileCatalog(document.text, { app: "app", namespace: { disabled: true } });
    if ("errors" in result) throw new Error(result.errors[0]?.message);
    const open = createOpenTool(result.catalog);
    tools = new Map(result.catalog.tools.map((tool) => [tool.name, open(tool)]));
  });
  afterAll(() => receiver.close());

  /** What it says of a request that somebody wrote by hand. */
  async function problemsOf(name: string, given: Record<string, unknown>, path: string, init: RequestInit = {}) {
    const tool = tools.get(name) as BridgeTool;
    const operation = operationDocument(document.json, tool.method, tool.path);
    receiver.expect(operation, name === "formBody");
    await fetch(`${receiver.baseURL}${path}`, { method: tool.method, ...init });
    const [arrival] = receiver.take();
    if (arrival === undefined) throw new Error("nothing arrived");
    return verdictOn(operation, tool, given, arrival).problems.join("\n");
  }

  const plain = { text: "a b", number: 1, flag: true, q: "x" };

  test("and what is right", async () => {
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true?q=x")).toBe("");
    expect(
      await problemsOf("jsonThatIsNoObject", { body: [1, "1"] }, "/json", { headers: JSON_TYPE, body: '[1,"1"]' }),
    ).toBe("");
  });

  test("another path, a missing, an unknown and a misplaced parameter", async () => {
    expect(await problemsOf("plainParameters", plain, "/plane/a%20b/1/true?q=x")).toContain("not found");
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true")).toContain("required property 'q'");
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true?q=x&r=1")).toContain(
      "Unknown query parameter 'r'",
    );
    const init = { headers: { q: "x" } };
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true", init)).toContain("required property 'q'");
  });

  test("a value of another type, another value, and one that nobody sent", async () => {
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/one/true?q=x")).toContain("must be integer");
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true?q=y")).toContain(
      'query q: sent "x", read "y"',
    );
    expect(await problemsOf("plainParameters", plain, "/plain/a%252520b/1/true?q=x")).toContain("path text: sent");
    const traced = { headers: { "x-trace": "t" } };
    expect(await problemsOf("plainParameters", plain, "/plain/a%20b/1/true?q=x", traced)).toContain("was not sent");
  });

  test("characters that are not encoded, and another style", async () => {
    expect(await problemsOf("plainParameters", { ...plain, q: "(x)" }, "/plain/a%20b/1/true?q=(x)")).toContain(
      "url encoded",
    );
    expect(await problemsOf("queryStyles", { form: ["a", "b"] }, "/query?form=a,b")).not.toBe("");
    expect(await problemsOf("queryStyles", { pipes: ["a", "b"] }, "/query?pipes=a&pipes=b")).toBe("");
    expect(await problemsOf("queryStyles", { pipes: ["a", "b"] }, "/query?pipes=a,b")).toContain("query pipes");
    const given = {
      text: "a",
      list: ["b", "c"],
      object: { R: 1, G: 2 },
      explodedList: ["d"],
      explodedObject: { R: 1, G: 2 },
    };
    expect(await problemsOf("labelPath", given, "/label/.a/.b,c/.R,1,G,2/.d/.R=1.G=2")).toBe("");
    expect(await problemsOf("labelPath", given, "/label/.a/.b.c/.R,1,G,2/.d/.R=1.G=2")).toContain("path list");
  });

  test("a body of another media type, against the schema, with other values, or none", async () => {
    const body = { body: [1] };
    expect(
      await problemsOf("jsonThatIsNoObject", body, "/json", { headers: { "content-type": "text/plain" }, body: "[1]" }),
    ).toContain("media type");
    expect(await problemsOf("jsonThatIsNoObject", body, "/json", { headers: JSON_TYPE, body: "[1,1]" })).toContain(
      "duplicate items",
    );
    expect(await problemsOf("jsonThatIsNoObject", body, "/json", { headers: JSON_TYPE, body: "[2]" })).toContain(
      "sent [1]",
    );
    expect(await problemsOf("jsonThatIsNoObject", body, "/json")).not.toBe("");
    const node = '{"id":"1","name":"ab","kind":"node"}';
    expect(
      await problemsOf("jsonBody", { name: "ab", kind: "node" }, "/json", { headers: JSON_TYPE, body: node }),
    ).toContain("id must NOT be valid");
    const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "text=a&number=one" };
    expect(await problemsOf("formBody", { text: "a", number: 1 }, "/form", form)).toContain("must be number");
  });
});
