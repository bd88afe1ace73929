import { beforeAll, expect, test } from "vitest";
import { readEvents } from "../behaviour/mcp/events.ts";
import { type McpUnderTest, startMcp } from "../behaviour/mcp/fixture.ts";
import { sendModern } from "../behaviour/mcp/stateless-fixture.ts";
import { node } from "../runtimes/node.ts";

let it: McpUnderTest;
beforeAll(async () => {
  it = await startMcp(node);
});

test("a server that stops ends what clients listen to with its result, and cuts nothing off", async () => {
  const notifications = { toolsListChanged: true };
  const response = await sendModern(it.us, it.agent.stream, "subscriptions/listen", { notifications }, "l");
  const events = readEvents(response);
  await events.message();
  const rest = events.rest();
  await it.stop();
  expect(await rest).toMatchObject([{ id: "l", result: { resultType: "complete" } }]);
  expect(it.us.logs().filter((line) => line.includes("cut off"))).toEqual([]);
});
