import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { type ReceivedMessage, startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { answerOf, createSigner, expectJson, joined, manage, NO_UPSTREAM, type Owner, setUpOwner } from "./fixture.ts";

const WEBHOOKS = `
webhooks:
  - name: pager
    url: "{{ env.DESK_URL }}"
    secrets: ["{{ env.DESK_SECRET }}"]
    types: [alerts]
  - name: switchboard
    url: "{{ env.OTHER_URL }}"
    secrets: ["{{ env.OTHER_SECRET }}"]
    types: [stop.placed]
apps:
`;

interface Recorded {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What somebody should know of at once is told to webhooks, with the id of its audit record (D272). */
export function alerts(runtime: RuntimeUnderTest): void {
  describe("alerts", { timeout: 60_000 }, () => {
    let pager: WebhookReceiver;
    let switchboard: WebhookReceiver;
    let regions: RunningRegions;
    let owner: Owner;

    beforeAll(async () => {
      [pager, switchboard] = await Promise.all([startWebhookReceiver(), startWebhookReceiver()]);
      const variables = {
        ...{ UPSTREAM_URL: NO_UPSTREAM, DESK_URL: pager.url, DESK_SECRET: pager.secret },
        ...{ OTHER_URL: switchboard.url, OTHER_SECRET: switchboard.secret },
      };
      const configuration = behaviourConfiguration.replace("\napps:\n", WEBHOOKS);
      regions = await runtime.start({ configuration, variables, alone: true });
      owner = await setUpOwner(regions.us);
    });
    afterAll(async () => {
      await regions.stop();
      await Promise.all([pager.stop(), switchboard.stop()]);
    });

    const of = (type: string, receiver = pager) => receiver.messages.filter((message) => message.type === type);
    const recorded = async (type: string): Promise<readonly Recorded[]> => {
      const { body } = await answerOf(manage(owner, "GET", `/audit-events?type=${type}&limit=200`));
      return (body as { items: readonly Recorded[] }).items;
    };
    /** All that came of a type are the records of the type, each once. */
    const told = async (type: string, count: number): Promise<readonly ReceivedMessage[]> => {
      await expect.poll(() => of(type)).toHaveLength(count);
      const ids = () => recorded(type).then((records) => records.map(({ id }) => id).toSorted());
      const came = of(type).map(({ id }) => id);
      await expect.poll(ids).toEqual(came.toSorted());
      return of(type);
    };

    test("82. the first owner is told of, with who it is and where the record is", async () => {
      const [{ id, data, timestamp } = expect.fail()] = await told("member.added", 1);
      const userId = expect.stringMatching(/^user_/);
      expect(data).toEqual({
        ...{ organizationId: expect.stringMatching(/^org_/), outcome: "success", actor: userId, user: userId },
        names: { [String(data.user)]: "owner@example.com" },
        details: { role: "owner" },
        url: `${regions.us.url}/console/audit?record=${id}`,
      });
      expect((await recorded("member.added"))[0]?.time).toBe(timestamp);
      const [signIn] = await told("sign_in.succeeded", 1);
      expect(signIn?.data).toMatchObject({ user: data.user, details: { method: "setup" } });
    });

    test("82. members and their roles are told of; what stays as it is, and a way in of every day, is not", async () => {
      const other = await joined(owner, { email: "second@example.com", role: "member" });
      const { userId } = await expectJson<{ userId: string }>(await manage(other, "GET", "/me"), 200);
      const isGiven = async (role: string) =>
        expect((await manage(owner, "PATCH", `/members/${userId}`, { role })).status).toBe(200);
      await isGiven("owner");
      await isGiven("owner");
      await isGiven("member");
      expect((await manage(owner, "DELETE", `/members/${userId}`)).status).toBe(204);
      const changes = await told("member.role_changed", 2);
      expect(changes.map(({ data }) => data.details)).toEqual(
        expect.arrayContaining([{ role: "owner" }, { role: "member" }]),
      );
      await told("member.removed", 1);
      await told("member.added", 2);
      expect(of("sign_in.succeeded").map(({ data }) => data.details)).toEqual([{ method: "setup" }]);
    });

    test("82. an API client and its keys are told of, without a key", async () => {
      const { clientId, key } = await createSigner(owner, { name: "paying agent" });
      const [created] = await told("api_client.created", 1);
      expect(created?.data).toMatchObject({ names: { [clientId]: "paying agent" } });
      const [added] = await told("key_pair.added", 1);
      expect(added?.data).toMatchObject({ details: { keyPairId: key.keyPairId } });
      const [, , ...secret] = key.pem.split("\n");
      expect(JSON.stringify(pager.messages)).not.toContain(secret[0]);
    });

    test("82. an organization that is deleted is told of once", async () => {
      const { organizationId } = await expectJson<{ organizationId: string }>(
        await manage(owner, "POST", "/organizations", { name: "Trial" }),
        201,
      );
      expect((await manage(owner, "DELETE", `/organizations/${organizationId}`)).status).toBe(204);
      const stages = async () =>
        (await recorded("organization.deleted")).map(({ details }) => details?.stage).toSorted();
      await expect.poll(stages).toEqual(["closed", "removed"]);
      await expect
        .poll(() => of("organization.deleted").map(({ data }) => data.details))
        .toEqual([{ organizationId, stage: "closed" }]);
    });

    test("82. a stop is told to whoever asks for it by name, and to nobody of another type", async () => {
      const { clientId } = await createSigner(owner);
      const target = { kind: "api_client", id: clientId, state: "suspended", reason: "It does harm." };
      const placed = await answerOf(manage(owner, "POST", "/stops", target));
      expect([placed.status, placed.body]).toEqual([200, expect.anything()]);
      const { stop } = placed.body as { stop: { stopId: string } };
      const lifted = await manage(owner, "POST", `/stops/${stop.stopId}/resume`, { reason: "It is mended." });
      expect(lifted.status).toBe(200);
      const [one] = await told("stop.placed", 1);
      expect(one?.data).toMatchObject({ reason: "It does harm.", details: { kind: "api_client", id: clientId } });
      await told("stop.lifted", 1);
      // What came after the deletion has been told: its second record has not.
      expect(of("organization.deleted")).toHaveLength(1);
      await expect.poll(() => switchboard.messages.map(({ type }) => type)).toEqual(["stop.placed"]);
      expect(switchboard.messages[0]?.id).toBe(one?.id);
    });
  });
}
