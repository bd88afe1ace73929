import { describe, expect, test } from "vitest";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { callsOf, type Line } from "./journal.ts";

/** What is left after the writers of `signIns` were killed. */
export interface Remains {
  readonly journals: readonly (readonly Line[])[];
  stores(): Stores;
  /** Expects the event to be recorded, once, if what it tells happened, else not. */
  expectEvent(event: AuditEvent, happened: boolean): Promise<void>;
}

/** What sign-ins, chains, registrations and changes of keys left is there as a whole or not at all. */
export function killedGrantsContract(name: string, { journals, stores, expectEvent }: Remains): void {
  const endedConsents = () =>
    new Set(callsOf(journals, "grants", "revokeConsent").map(({ args: [subject] }) => subject));

  describe(`interactions on ${name}`, () => {
    test("each interaction is there at its last step, or ended, or was never begun", async () => {
      const steps = new Map(
        callsOf(journals, "grants", "advance").map((call) => [call.args[0].interactionHash, call] as const),
      );
      const ends = new Map(callsOf(journals, "grants", "finish").map((call) => [call.args[0], call] as const));
      for (const { args, acknowledged } of callsOf(journals, "grants", "begin")) {
        const [first] = args;
        const [step, end] = [steps.get(first.interactionHash), ends.get(first.interactionHash)];
        const found = await stores().grants.interaction(first.interactionHash, Date.now());
        const possible = [
          ...(end !== undefined || acknowledged === undefined ? [undefined] : []),
          ...(end?.acknowledged === undefined && step?.acknowledged === undefined ? [first] : []),
          ...(step === undefined ? [] : [step.args[0]]),
        ];
        expect(possible).toContainEqual(found);
      }
    });
  });

  describe(`consents on ${name}`, () => {
    test("18. each consent is there with its event or not at all, and one that was taken back is over with its chains", async () => {
      const ended = endedConsents();
      for (const { args, acknowledged } of callsOf(journals, "grants", "giveConsent")) {
        const [given, event] = args;
        const found = await stores().grants.consent(given.subject, given.clientId);
        if (ended.has(given.subject)) continue;
        if (found === undefined) expect(acknowledged).toBeUndefined();
        // Besides, when it was used.
        else expect(found).toMatchObject(given);
        await expectEvent(event, found !== undefined);
      }
      const redemptions = callsOf(journals, "grants", "redeem").map(({ args: [one] }) => one);
      for (const { args, acknowledged } of callsOf(journals, "grants", "revokeConsent")) {
        const [subject, clientId, event] = args;
        const found = await stores().grants.consent(subject, clientId);
        if (acknowledged !== undefined) expect(found).toBeUndefined();
        await expectEvent(event, found === undefined);
        const { accessToken, now } = redemptions.find((one) => one.accessToken?.token.subject === subject) ?? {};
        if (accessToken === undefined || now === undefined) throw new Error("each chain was redeemed before");
        const active = await stores().tokens.introspect(accessToken.reference, now);
        expect(active).toEqual(found === undefined ? undefined : accessToken.token);
      }
    });
  });

  describe(`authorization codes on ${name}`, () => {
    test("each chain is there with its code or not at all", async () => {
      const ended = endedConsents();
      for (const { args, acknowledged } of callsOf(journals, "grants", "start")) {
        const [grant, code, reference] = args;
        if (ended.has(grant.subject)) continue;
        const found = await stores().grants.grant(grant.chainId, grant.createdAt);
        expect(found).toEqual(found === undefined && acknowledged === undefined ? undefined : grant);
        const foundCode = await stores().grants.code(reference, grant.createdAt);
        expect(foundCode?.code).toEqual(found === undefined ? undefined : code);
      }
    });

    test("13. each redemption is whole: the used code, both tokens and the event, or none of them", async () => {
      const ended = endedConsents();
      for (const { args, acknowledged } of callsOf(journals, "grants", "redeem")) {
        const [{ reference, accessToken, refreshToken, event, now }] = args;
        if (accessToken === undefined || refreshToken === undefined) throw new Error("the writer asks for both");
        if (ended.has(accessToken.token.subject)) continue;
        const isUsed = (await stores().grants.code(reference, now))?.isUsed;
        if (acknowledged !== undefined) expect([acknowledged.value, isUsed]).toEqual(["redeemed", true]);
        const active = await stores().tokens.introspect(accessToken.reference, now);
        expect(active).toEqual(isUsed === true ? accessToken.token : undefined);
        const found = await stores().grants.refreshToken(refreshToken.reference, now);
        expect(found?.refreshToken).toEqual(isUsed === true ? refreshToken.record : undefined);
        await expectEvent(event, isUsed === true);
      }
    });
  });

  describe(`refresh tokens on ${name}`, () => {
    test("15. each rotation is whole: the used token, its successor, the access token and the event, or none of them", async () => {
      for (const { args, acknowledged } of callsOf(journals, "grants", "rotate")) {
        const [{ reference, accessToken, successor, event, now }] = args;
        if (accessToken === undefined) throw new Error("the writer asks for opaque tokens");
        const isRotated = (await stores().grants.refreshToken(reference, now))?.rotatedAt !== undefined;
        if (acknowledged !== undefined) expect([acknowledged.value, isRotated]).toEqual([{ outcome: "rotated" }, true]);
        const found = await stores().grants.refreshToken(successor.reference, now);
        expect(found?.refreshToken).toEqual(isRotated ? successor.record : undefined);
        const active = await stores().tokens.introspect(accessToken.reference, now);
        expect(active).toEqual(isRotated ? accessToken.token : undefined);
        await expectEvent(event, isRotated);
      }
    });
  });

  describe(`tokens on ${name}`, () => {
    test("18. each exchanged token is there with its event or not at all, and the end of a chain holds", async () => {
      const ends = new Map(
        callsOf(journals, "tokens", "end").map((call) => [call.args[0].lineage.chainId, call] as const),
      );
      for (const { args, acknowledged } of callsOf(journals, "tokens", "exchange")) {
        const [{ token, reference, event }] = args;
        if (reference === undefined) throw new Error("the writer asks for opaque tokens");
        const found = await stores().tokens.introspect(reference, token.issuedAt);
        const end = ends.get(token.chainId);
        if (acknowledged === undefined || end !== undefined) expect([undefined, token]).toContainEqual(found);
        else expect(found).toEqual(token);
        await expectEvent(event, found !== undefined || end !== undefined);
        if (end === undefined) continue;
        if (end.acknowledged !== undefined) expect(found).toBeUndefined();
        await expectEvent(end.args[0].event, found === undefined);
      }
    });
  });

  describe(`registered clients on ${name}`, () => {
    test("each registration is there with its event or not at all", async () => {
      for (const { args, acknowledged } of callsOf(journals, "registeredClients", "create")) {
        const [record, event] = args;
        const found = await stores().registeredClients.get(record.clientId);
        expect(found).toEqual(found === undefined && acknowledged === undefined ? undefined : record);
        await expectEvent(event, found !== undefined);
      }
    });
  });

  describe(`signing keys on ${name}`, () => {
    test("each change of the keys took place as a whole, with its event, and none that was acknowledged is lost", async () => {
      const calls = callsOf(journals, "signingKeys", "replace");
      const { revision, keys } = await stores().signingKeys.read();
      const ofRevision = Map.groupBy(calls, ({ args: [expected] }) => expected);
      for (const [expected, group] of ofRevision) {
        // Whoever came next kept the newest key of the set that it found.
        const kept = ofRevision.get(expected + 1)?.[0]?.args[1][0] ?? keys.at(-1);
        const placed = group.filter(({ args }) => args[1].at(-1)?.keyId === kept?.keyId);
        expect(placed).toHaveLength(expected < revision ? 1 : 0);
        for (const call of group) {
          const isPlaced = placed.includes(call);
          if (call.acknowledged !== undefined) expect([call.acknowledged.value, isPlaced]).toEqual([true, true]);
          await expectEvent(call.args[2], isPlaced);
          if (isPlaced && expected === revision - 1) expect(keys).toEqual(call.args[1]);
        }
      }
    });
  });
}
