import { expect, test } from "vitest";
import type { Attributes } from "../../../lib/telemetry/attributes.ts";
import type { Telemetry } from "../../../lib/telemetry/telemetry.ts";
import { rpc } from "../../behaviour/gateway-fixture.ts";
import { GATEWAY_CLIENT, withOwnExchange } from "./own-exchange.ts";

const it = withOwnExchange();

/** What was measured of exchanges for an app, in order. */
function measured(): { readonly telemetry: Telemetry; readonly exchanges: readonly Attributes[] } {
  const exchanges: Attributes[] = [];
  const telemetry: Telemetry = {
    startSpan: () => undefined,
    record: (metric, _, attributes) => {
      const isOurs = metric === "countersign.token.exchange.duration" && attributes["countersign.app"] !== undefined;
      if (isOurs) exchanges.push(attributes);
    },
    countActive: () => undefined,
    countSession: () => undefined,
  };
  return { telemetry, exchanges };
}

test("an exchange is measured, and a kept credential is none", async () => {
  const { telemetry, exchanges } = measured();
  await it.restart({ adapt: (dependencies) => ({ ...dependencies, telemetry }) });
  const { text } = await it.token();
  for (let n = 0; n < 3; n++) await rpc(await it.gateway.call("getNote", { noteId: "1" }, text));
  expect(exchanges).toEqual([
    { "countersign.app": "notes", "countersign.outcome": "obtained", "error.type": undefined },
  ]);
});

test("an exchange that fails is measured with the reason", async () => {
  const { telemetry, exchanges } = measured();
  const clients = [{ ...GATEWAY_CLIENT, scopes: [] }];
  await it.restart({ clients, adapt: (dependencies) => ({ ...dependencies, telemetry }) });
  await rpc(await it.gateway.call("getNote", { noteId: "1" }, (await it.token()).text));
  expect(exchanges).toMatchObject([{ "countersign.outcome": "refused", "error.type": "invalid_scope" }]);
});
