import { beforeEach, expect, test } from "vitest";
import { textOf } from "../../behaviour/gateway-fixture.ts";
import { RESOURCE } from "../started.ts";
import { withGateway } from "../with-gateway.ts";
import { ALWAYS, searching } from "./searching.ts";

const THEIRS = { name: "theirs", organization: "org_other" };
const it = withGateway({ catalog: ALWAYS, otherApps: [{ name: "more" }, THEIRS] });
let token: string;
beforeEach(async () => {
  token = await it.server.token(RESOURCE, "jwt");
});
const agent = searching(
  () => it.gateway,
  () => token,
);
const asked = (app: string, query = "read a note") =>
  agent.send("tools/call", { name: "search_tools", arguments: { query, app, limit: 50 } });
const namesIn = ({ result }: Awaited<ReturnType<typeof asked>>) => {
  const { tools } = (result?.structuredContent ?? {}) as { readonly tools?: readonly { readonly name: string }[] };
  return (tools ?? expect.fail()).map(({ name }) => name);
};

test("with an app only its tools are found, and perhaps none of them", async () => {
  const found = namesIn(await asked("more"));
  expect(found).toContain("more_getNote");
  expect(found.every((name) => name.startsWith("more_"))).toBe(true);
  expect(namesIn(await asked("notes"))[0]).toBe("getNote");
  const nothing = await asked("more", "zebra");
  expect(nothing.result?.isError).toBeUndefined();
  expect(textOf(nothing)).toContain("No tool has these words");
});

test("an app that is named in the question comes first", async () => {
  const [first = ""] = await agent.found("more: read a note");
  expect(first).toBe("more_getNote");
});

test("27. an app that is not known, another organization's, or hidden by a policy does not exist; the others are named", async () => {
  const refused = async (app: string) => {
    const answer = await asked(app);
    expect(answer.result?.isError).toBe(true);
    return textOf(answer).replace(JSON.stringify(app), "it");
  };
  const text = "There is no app it. There are: notes, more.";
  expect(await refused("zebra")).toBe(text);
  expect(await refused("theirs")).toBe(text);
  expect(await refused("Notes")).toBe(text);
  const expression = 'request.mcp.app == "notes"';
  await it.restart({ policies: [{ engine: "cel", name: "cel", expression }] });
  expect(await refused("more")).toBe("There is no app it. There are: notes.");
  await it.restart({ policies: [{ engine: "cel", name: "cel", expression: "false" }] });
  expect(await refused("notes")).toBe("There is no app it.");
});

test.each([[""], [1], ["x".repeat(201)]])("an app %j is refused", async (app) => {
  const answer = await asked(app as string);
  expect(answer.result?.isError).toBe(true);
  expect(textOf(answer)).toMatch(/^Invalid arguments: .*app/);
});
