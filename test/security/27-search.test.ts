import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import { rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { ALWAYS, searching } from "../gateway/search/searching.ts";
import { RESOURCE } from "../gateway/started.ts";
import { withGateway } from "../gateway/with-gateway.ts";
import { type Opa, startOpa } from "../support/opa.ts";

const THEIRS = { name: "theirs", organization: "org_other" };
const it = withGateway({ catalog: ALWAYS, otherApps: [THEIRS] });
let opa: Opa;
let token: string;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa.stop());
beforeEach(async () => {
  token = await it.server.token(RESOURCE, "jwt");
});
const agent = searching(
  () => it.gateway,
  () => token,
);

const HIDDEN = ["deleteNote", "createNote", "theirs_getNote"];
const QUESTIONS = ["throw a note away", "deleteNote", "theirs_getNote", "write a note", "note", "theirs"];
const cel: PolicyConfiguration = {
  engine: "cel",
  name: "cel",
  expression: '!(request.mcp.tool.params.name in ["deleteNote", "createNote"])',
};
const asking = (): PolicyConfiguration => ({
  engine: "opa",
  name: "opa",
  url: opa.url,
  timeout: 5_000,
  forwardToken: false,
  list: true,
});
/** Whatever it is asked, as a list or for a call. */
const allowing = (isAllowed: (name: string) => boolean) =>
  opa.decide(({ request: { mcp } }) => ({
    allowed: mcp.tools
      ? mcp.tools.map(({ params }) => params.name).filter(isAllowed)
      : isAllowed((mcp.tool?.params as { readonly name: string } | undefined)?.name ?? ""),
  }));

/** Names as they stand in a text, none of them a part of another. */
const mentions = (text: string, name: string) => new RegExp(`(?<![A-Za-z_])${name}(?![A-Za-z_])`).test(text);

describe.each(["cel", "opa"] as const)("27. tools that are hidden by %s or another organization's", (engine) => {
  beforeEach(async () => {
    allowing((name) => name !== "deleteNote" && name !== "createNote");
    await it.restart({ policies: [engine === "cel" ? cel : asking()] });
  });

  test("27. are found by no question, and others are", async () => {
    for (const query of QUESTIONS) {
      const text = await agent.text("search_tools", { query, limit: 50 });
      for (const name of HIDDEN) expect(mentions(text, name)).toBe(false);
    }
    expect(await agent.found("read a note")).toContain("getNote");
  });

  test("27. are described like tools that do not exist, and are near to no name", async () => {
    const about = async (name: string) => {
      const text = await agent.text("describe_tools", { names: [name] });
      return text.replaceAll(JSON.stringify(name), "it");
    };
    for (const name of HIDDEN) {
      expect(await about(name)).toMatch(/^There is no tool it\./);
      for (const other of HIDDEN) expect(mentions(await about(`${name}s`), other)).toBe(false);
      for (const other of HIDDEN) expect(mentions(await about(name), other)).toBe(false);
    }
  });

  test("27. cannot be called by way of another, whatever scopes they need, and are unknown there too", async () => {
    const before = it.upstream.requests.length;
    for (const name of HIDDEN) {
      const response = await agent.wrapped(name, { noteId: "1", title: "a" });
      expect(response.status).toBe(200);
      const answer = await rpc(response);
      expect(answer.result?.isError).toBe(true);
      const text = textOf(answer);
      expect(text).toContain(`There is no tool "${name}".`);
      for (const other of HIDDEN) expect(mentions(text.replaceAll(`"${name}"`, ""), other)).toBe(false);
    }
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("27. do not count toward the threshold", async () => {
    const visible = { search: "auto", threshold: 1_000 } as const;
    const policies = [engine === "cel" ? cel : asking()];
    await it.restart({ catalog: visible, policies });
    const count = (await agent.names()).length;
    await it.restart({ catalog: { search: "auto", threshold: count }, policies });
    expect(await agent.names()).toHaveLength(count);
  });
});

describe("27. a policy server", () => {
  test("27. is asked once about all candidates of a search, and of a list of tools not at all", async () => {
    await it.restart({ policies: [asking()] });
    allowing(() => true);
    const before = opa.inputs.length;
    await agent.found("note");
    expect(opa.inputs).toHaveLength(before + 1);
    expect(opa.inputs.at(-1)?.request.mcp).toMatchObject({ method: "tools/list", app: "notes" });
    await agent.names();
    expect(opa.inputs).toHaveLength(before + 1);
  });

  test("27. that hides the best hits is asked once more, so that the others are found", async () => {
    await it.restart({ policies: [asking()] });
    const all = await (async () => {
      allowing(() => true);
      return agent.found("note");
    })();
    const last = all.at(-1) ?? expect.fail();
    allowing((name) => name === last);
    const before = opa.inputs.length;
    const { result } = await agent.send("tools/call", { name: "search_tools", arguments: { query: "note", limit: 1 } });
    expect(textOf({ result })).toContain(last);
    expect(opa.inputs.length - before).toBeLessThanOrEqual(2);
  });

  test("27. that cannot be asked hides everything", async () => {
    await it.restart({ policies: [asking()] });
    opa.answer((response) => response.destroy());
    expect(await agent.found("note")).toEqual([]);
    expect(await agent.text("describe_tools", { names: ["getNote"] })).toContain('There is no tool "getNote".');
  });
});
