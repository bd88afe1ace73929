import { describe, expect, test } from "vitest";
import type { ConsentRecord } from "../../lib/stores/grants.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { everyPage } from "./every-page.ts";
import { consent, consentEvent, HOUR, rotationOf } from "./grant-records.ts";
import { givenConsent, redeemedChain, revokeConsent } from "./grant-workings.ts";

/** What people allowed clients. */
export function consentsContract(engine: StoreEngine): void {
  describe(`consents on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const kept = ({ subject, clientId }: ConsentRecord) => opened.stores.grants.consent(subject, clientId);
    const give = (given: ConsentRecord, event = consentEvent(given, "consent.given")) =>
      opened.stores.grants.giveConsent(given, event);
    const records = async ({ organizationId }: { readonly organizationId?: string }) =>
      (await opened.stores.auditLog.query({ organizationId }, { limit: 100 })).items;

    test("a consent is kept for its person and client, and for no other", async () => {
      const given = consent();
      expect(await kept(given)).toBeUndefined();
      expect(await give(given)).toEqual(given);
      expect(await kept(given)).toEqual(given);
      expect(await kept({ ...given, subject: consent().subject })).toBeUndefined();
      expect(await kept({ ...given, clientId: consent().clientId })).toBeUndefined();
    });

    test("a further consent widens the one before, which keeps its id, and what adds nothing is not recorded", async () => {
      const first = await givenConsent(opened.stores);
      const scopes = ["books:write", "books:read"];
      const second = consent({ ...first, consentId: consent().consentId, scopes, updatedAt: 7, createdAt: 6 });
      const event = consentEvent(second, "consent.given");
      const widened = { ...first, scopes: ["books:read", "books:write"], updatedAt: 7 };
      expect(await give(second, event)).toEqual(widened);
      expect(await kept(first)).toEqual(widened);
      expect(
        await eventually(
          () => records(event),
          ({ length }) => length > 0,
        ),
      ).toEqual([event]);
      const again = consentEvent(second, "consent.given");
      expect(await give({ ...second, consentId: consent().consentId, updatedAt: 8 }, again)).toEqual(widened);
      expect(await kept(first)).toEqual(widened);
      expect(await records(again)).toEqual([]);
      const elsewhere = { ...widened, resources: ["https://other.example/mcp"], updatedAt: 9 };
      const both = { ...elsewhere, resources: [...first.resources, ...elsewhere.resources] };
      expect(await give({ ...elsewhere, consentId: consent().consentId })).toEqual(both);
      expect(await kept(first)).toEqual(both);
    });

    test("14. scopes that were allowed at one resource are not allowed at another", async () => {
      const first = await givenConsent(opened.stores);
      const other = { scopes: ["books:write"], resources: ["https://other.example/mcp"], updatedAt: 7 };
      const second = { ...first, ...other };
      expect(await give({ ...second, consentId: consent().consentId })).toEqual(second);
      expect(await kept(first)).toEqual(second);
    });

    test("of 50 consents that are given at once nothing is lost, under one id", async () => {
      const { subject, clientId } = consent();
      const given = Array.from({ length: 50 }, (_, i) => consent({ subject, clientId, scopes: [`scope:${i}`] }));
      const results = await Promise.all(given.map((one) => give(one)));
      const united = await opened.stores.grants.consent(subject, clientId);
      expect(new Set(results.map(({ consentId }) => consentId))).toEqual(new Set([united?.consentId]));
      expect([...(united?.scopes ?? [])].sort()).toEqual(given.flatMap(({ scopes }) => scopes).sort());
      for (const [i, { scopes }] of results.entries()) expect(scopes).toContain(`scope:${i}`);
    });

    test("18. a consent is taken back once, and one that is given afterwards is another", async () => {
      const first = consent();
      const event = consentEvent(first, "consent.revoked");
      const { grants } = opened.stores;
      expect(await grants.revokeConsent(first.subject, first.clientId, event)).toBe(false);
      await give(first);
      expect(await grants.revokeConsent(first.subject, first.clientId, event)).toBe(true);
      expect(
        await eventually(
          () => records(event),
          ({ length }) => length > 0,
        ),
      ).toEqual([event]);
      expect(await kept(first)).toBeUndefined();
      expect(await revokeConsent(opened.stores, first)).toBe(false);
      const second = consent({ subject: first.subject, clientId: first.clientId });
      expect(await give(second)).toEqual(second);
      expect(await kept(first)).toEqual(second);
    });

    test("of 50 parallel ends of a consent one ends it", async () => {
      const given = await givenConsent(opened.stores);
      const ends = await Promise.all(Array.from({ length: 50 }, () => revokeConsent(opened.stores, given)));
      expect(ends.filter(Boolean)).toHaveLength(1);
    });

    test("consents are listed by their people and by their clients, until they are taken back", async () => {
      const { grants } = opened.stores;
      const one = await givenConsent(opened.stores);
      const another = await givenConsent(opened.stores, { subject: one.subject });
      const others = await Promise.all(
        Array.from({ length: 3 }, () => givenConsent(opened.stores, { clientId: one.clientId })),
      );
      const { clientId, subject } = one;
      const toClient = { isAllBut: false, clients: [consent().clientId, clientId] };
      const allBut = { isAllBut: true, clients: [clientId] };
      const to = (clients: typeof toClient, limit: number) =>
        everyPage((page) => grants.consentsTo(clients, page), limit);
      expect(sorted(await grants.consentsOf([subject]))).toEqual(sorted([one, another]));
      const subjects = [subject, ...others.map((other) => other.subject), consent().subject];
      expect(sorted(await grants.consentsOf(subjects))).toEqual(sorted([one, another, ...others]));
      expect(await grants.consentsOf([])).toEqual([]);
      for (const limit of [1, 3, 4, 100]) expect(sorted(await to(toClient, limit))).toEqual(sorted([one, ...others]));
      expect(await to({ isAllBut: false, clients: [] }, 100)).toEqual([]);
      const rest = await to(allBut, 100);
      expect(rest.filter(({ subject: of }) => of === subject)).toEqual([another]);
      expect(rest.filter((found) => found.clientId === clientId)).toEqual([]);
      const first = await grants.consentsTo(toClient, { limit: 100 });
      for (const cursor of ["none", "bm9uZQ"])
        expect(await grants.consentsTo(toClient, { limit: 100, cursor })).toEqual(first);
      expect(await revokeConsent(opened.stores, one)).toBe(true);
      expect(await grants.consentsOf([subject])).toEqual([another]);
      expect(sorted(await to(toClient, 2))).toEqual(sorted(others));
    });

    test("what brings a token notes the use of its consent and what its person is called, at most once an hour", async () => {
      const { grants } = opened.stores;
      const { consent: given, grant, redemption } = await redeemedChain(opened.stores);
      const used = { ...given, subjectName: grant.subjectName, lastUsedAt: redemption.now };
      expect(await kept(given)).toEqual(used);
      let { reference } = redemption.refreshToken;
      const rotatedAt = async (now: number) => {
        const rotation = rotationOf(grant, reference, { now });
        expect(await grants.rotate(rotation)).toEqual({ outcome: "rotated" });
        reference = rotation.successor.reference;
        return kept(given);
      };
      expect(await rotatedAt(redemption.now + HOUR - 1)).toEqual(used);
      const later = { ...used, lastUsedAt: redemption.now + HOUR };
      expect(await rotatedAt(later.lastUsedAt)).toEqual(later);
      expect(await grants.consentsOf([given.subject])).toEqual([later]);
      const more = { scopes: [...given.scopes, "books:write"], updatedAt: 7, subjectName: "ada.b@corp.example" };
      const widened = { ...later, ...more };
      expect(await give({ ...given, ...more, consentId: consent().consentId })).toEqual(widened);
      expect(await kept(given)).toEqual(widened);
      expect(await revokeConsent(opened.stores, given)).toBe(true);
      const next = await givenConsent(opened.stores, { subject: given.subject, clientId: given.clientId });
      expect(await kept(given)).toEqual(next);
      expect(await grants.rotate(rotationOf(grant, reference))).toEqual({ outcome: "ended" });
      expect(await kept(given)).toEqual(next);
    });

    test("consents and their ends survive a restart and what deletes the expired", async () => {
      const [still, ended] = [await givenConsent(opened.stores), await givenConsent(opened.stores)];
      expect(await revokeConsent(opened.stores, ended)).toBe(true);
      await opened.reopen();
      await opened.housekeep();
      expect(await kept(still)).toEqual(still);
      expect(await kept(ended)).toBeUndefined();
    });
  });
}

function sorted(consents: readonly ConsentRecord[]): readonly ConsentRecord[] {
  return consents.toSorted((one, other) => (one.consentId < other.consentId ? -1 : 1));
}
