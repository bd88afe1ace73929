import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AccessRequestService, startAccessRequestService } from "../support/access-request-service.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { createSigner } from "./fixture.ts";
import {
  auditOutcome,
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  mcpURL,
  post,
  rpc,
  startGateway,
  textOf,
} from "./gateway-fixture.ts";

/** Before the entries by tool. */
const DECISION_POINT = `      inbound:
        authzen:
          pdp: "{{ env.PDP_URL }}"
          token: "{{ env.PDP_TOKEN }}"
          timeout: 5s
          accessRequests: true
`;

/** Calls that wait for an approval at the service of a decision point (AuthZEN Access Request and Approval Profile, draft 1). */
export function accessRequests(runtime: RuntimeUnderTest): void {
  describe("access requests", { timeout: 60_000 }, () => {
    let it: GatewayUnderTest;
    let service: AccessRequestService;
    beforeAll(async () => {
      service = await startAccessRequestService();
      const change = (configuration: string) => configuration.replace("      inbound:\n", DECISION_POINT);
      const variables = { PDP_URL: service.pdp, PDP_TOKEN: service.token };
      it = await startGateway(runtime, { alone: true, change, variables });
    });
    afterAll(async () => {
      await it.stop();
      await service.stop();
    });

    const newAgent = async (name: string) => {
      const signer = await createSigner(it.owner, { name, scopes: ["notes:read"], resources: [mcpURL(it.us)] });
      const authorization = bearer(await gatewayToken(it.us, signer));
      return async () => textOf(await rpc(await post(it.us, call("getNote", { noteId: "1" }), authorization)));
    };

    test("83. a call that is denied is requested once, and made when the service has approved it", async () => {
      const called = await newAgent("waiting");
      expect(await called()).toMatch(/^Waits for approval at the service of the decision point/);
      expect(await called()).toMatch(/^Waits for approval/);
      expect(service.submissions).toHaveLength(1);
      expect(it.upstream.requests.filter(({ url }) => url.startsWith("/notes/1"))).toHaveLength(0);
      service.decide("approved");
      // The service is not asked before its time.
      await expect.poll(called, { timeout: 30_000, interval: 500 }).toContain("First");
      expect(service.polls).toHaveLength(1);
      const { details } = await auditOutcome(it.owner, "getNote", "success");
      expect(details).toMatchObject({ taskId: service.tasks().at(-1) });
    });

    test("83. a call is made at once where the service approves at once", async () => {
      service.decideAtOnce("approved");
      expect(await (await newAgent("at once"))()).toContain("First");
      service.decideAtOnce(undefined);
    });
  });
}
