import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpOwner } from "../behaviour/fixture.ts";
import { mcpConfiguration } from "../behaviour/mcp/configuration.ts";
import { answerTo, readEvents } from "../behaviour/mcp/events.ts";
import { startAgent } from "../behaviour/mcp/fixture.ts";
import { listen, openSession, post, request, terminate } from "../behaviour/mcp/session.ts";
import { type MortalServer, startMortalServer } from "../support/mortal-server.ts";

let server: MortalServer;

beforeAll(async () => {
  server = await startMortalServer(mcpConfiguration({ hasLegacy: true }));
});
afterAll(() => server.close());

describe("sessions and a server that is killed", () => {
  test("go on in the next process with all that was agreed; streams and ended ones do not", async () => {
    const { region } = server;
    const agent = await startAgent(await setUpOwner(region));
    const [going, ended] = [await openSession(region, agent.stream), await openSession(region, agent.stream)];
    await answerTo(await post(region, request("logging/setLevel", { level: "info" }), going.headers));
    expect((await terminate(region, ended.headers)).status).toBe(204);
    const stream = readEvents(await listen(region, going.headers));
    await stream.next();
    const broken = stream.next().catch(() => "broken");
    await server.kill();
    expect(await broken).toBe("broken");

    await server.restart();
    expect((await post(region, request("ping"), ended.headers)).status).toBe(404);
    const call = request("tools/call", { name: "upstream_listTags", arguments: {} });
    const messages = await readEvents(await post(region, call, going.headers)).rest();
    expect(messages).toMatchObject([{ method: "notifications/message", params: { level: "info" } }, { id: 1 }]);
    expect((await listen(region, going.headers)).status).toBe(200);
    expect((await terminate(region, going.headers)).status).toBe(204);
  });
});
