import { expect, test } from "vitest";
import { rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { freePort } from "../support/free-port.ts";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();

test("an API that refuses connections is one warning in the log, with the code of the cause", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await it.restart({ upstreamURL: `http://${address}` });
  const answer = await rpc(await it.gateway.call("getNote", { noteId: "1" }, await it.server.token(RESOURCE, "jwt")));
  expect(textOf(answer)).toBe("The API could not be reached: the connection was refused.");
  const warnings = it.gateway.logs.map((line) => JSON.parse(line)).filter(({ level }) => /warn/i.test(level));
  expect(warnings).toMatchObject([
    { msg: "the API did not answer", app: "notes", tool: "getNote", reason: "unreachable", cause: "ECONNREFUSED" },
  ]);
  expect(JSON.stringify(warnings)).not.toContain(address);
});
