import { beforeEach, describe, expect, test } from "vitest";
import { ulid, ulidTime } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import { personId } from "../../lib/stores/identities.ts";
import type { Stop, StopTarget } from "../../lib/stores/stops.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import type { TokenRecord } from "../../lib/stores/tokens.ts";
import { credentialEvent } from "./credential-records.ts";
import { type OpenStores, openedStores, type StoreEngine } from "./engine.ts";
import { clientToken, exchanged, exchangeOf, personToken, recordedIn } from "./exchange-records.ts";
import { apiClient, newOrganizationId, tokenIssue } from "./records.ts";
import { whileEnding } from "./while-ending.ts";

/** What every implementation of `Stops` does, and what tokens and grants make of it. */
export function stopsContract(engine: StoreEngine): void {
  describe(`stops on ${engine.name}`, () => {
    let open: OpenStores;
    let stores: Stores;
    beforeEach(async () => {
      open = await engine.open();
      stores = open.stores;
      return () => open.close();
    });

    test("52. at first nothing is stopped; then stops read back as each change left them, with its event", async () => {
      expect(await stores.stops.readStops()).toEqual({ revision: 0, stops: [] });
      const one = stop({ kind: "person", id: "ü/\u{1F916}", issuer: "https://idp.example" });
      for (const [before, stops] of [[one], [one, stop({ kind: "app", id: "books" })], []].entries()) {
        const event = stopPlaced();
        const record = { revision: before + 1, stops };
        expect(await stores.stops.replaceStops(record, event)).toBe("done");
        expect(await stores.stops.readStops()).toEqual(record);
        expect(await recordedIn(stores, event, 1)).toEqual([event.id]);
        for (const revision of [0, before + 1, before + 3]) {
          expect(await stores.stops.replaceStops({ revision, stops: [one] }, event)).toBe("stale");
        }
      }
    });

    test("52. of 50 parallel writers of one revision, of two processes, one counts, with one event", async () => {
      const processes = [stores, await open.another()] as const;
      const { organizationId } = stopPlaced();
      const changes = Array.from({ length: 50 }, (_, number) => ({
        record: { revision: 1, stops: [stop({ kind: "app", id: String(number) })] },
        event: { ...stopPlaced(), organizationId },
      }));
      const results = await Promise.all(
        changes.map(({ record, event }, i) => (processes[i % 2] as Stores).stops.replaceStops(record, event)),
      );
      expect(results.filter((result) => result === "done")).toHaveLength(1);
      const winner = changes[results.indexOf("done")];
      for (const process of processes) expect(await process.stops.readStops()).toEqual(winner?.record);
      expect(await recordedIn(stores, { type: "stop.placed", organizationId }, 1)).toEqual([winner?.event.id]);
    });

    test("52. no token of what is stopped is active, issued or exchanged, in any process, until it is resumed", async () => {
      const other = await open.another();
      const begun = await clientToken(stores);
      const ofClient = begun.token;
      const ofPerson = await personToken(stores);
      const [clients, persons] = [
        await exchanged(stores, ofClient, { apiClientKeyPairId: ofClient.keyPairId }),
        await exchanged(stores, ofPerson),
      ];
      const ofMember = await exchanged(stores, ofPerson, { memberId: "user_of-the-directory" });
      const account = { issuer: "https://idp.example/", subject: "ada" };
      const ofAccount = await exchanged(stores, ofPerson, { subject: personId(account) });
      const late = await exchanged(stores, ofPerson, { issuedAt: Date.now() + 10_000 });
      const untouched = await exchanged(stores, await personToken(stores));
      const active = async (token: typeof clients) =>
        (await other.tokens.introspect(token.reference, token.token.issuedAt)) !== undefined;
      const cases: readonly (readonly [StopTarget, TokenRecord, typeof clients, Partial<Stop>?])[] = [
        [{ kind: "organization", id: ofClient.organizationId }, ofClient, clients],
        [{ kind: "api_client", id: ofClient.clientId }, ofClient, clients],
        [{ kind: "key_pair", id: ofClient.keyPairId }, ofClient, clients],
        [{ kind: "person", id: ofPerson.subject }, ofPerson, persons],
        [
          { kind: "agent", id: ofPerson.clientId },
          ofPerson,
          persons,
          { organizationId: ofPerson.organizationId as string },
        ],
        [{ kind: "agent", id: persons.token.clientId }, persons.token, persons],
        [
          { kind: "person", id: ofPerson.subject },
          ofPerson,
          persons,
          { state: "ended", at: Date.now() + 1, until: Date.now() + 1e9 },
        ],
        [{ kind: "person", id: "user_of-the-directory" }, ofMember.token, ofMember],
        [{ kind: "person", id: account.subject, issuer: account.issuer }, ofAccount.token, ofAccount],
        [{ kind: "person", id: "user_of-the-directory" }, ofAccount.token, ofAccount, { accounts: [account] }],
        // Exchanged by somebody who had not heard of it: the chain is older.
        [{ kind: "person", id: ofPerson.subject }, late.token, late, { state: "ended", at: Date.now() + 1 }],
      ];
      for (const [number, [target, from, token, fields]] of cases.entries()) {
        expect(await active(token)).toBe(true);
        const stops = [stop(target, fields)];
        expect(await stores.stops.replaceStops({ revision: 2 * number + 1, stops }, stopPlaced())).toBe("done");
        expect({ target, isActive: await active(token), others: await active(untouched) }).toEqual({
          target,
          isActive: false,
          others: true,
        });
        for (const one of [stores, other]) {
          expect(await one.tokens.isLive(token.token)).toBe(false);
          expect(await one.tokens.exchange(exchangeOf(from))).toBe(false);
        }
        const { chainId } = token.token;
        if (from === ofPerson) expect(await other.grants.grant(chainId, Date.now())).toBeUndefined();
        expect(await stores.stops.replaceStops({ revision: 2 * number + 2, stops: [] }, stopPlaced())).toBe("done");
      }
      const isOfAnother = { kind: "person", id: ofPerson.subject } as const;
      const elsewhere = [
        stop(isOfAnother, { organizationId: newOrganizationId() }),
        stop({ ...isOfAnother, issuer: "https://idp.example" }),
        stop(isOfAnother, { state: "ended", at: ulidTime(persons.token.chainId.slice(-26)) ?? 0 }),
      ];
      await stores.stops.replaceStops({ revision: 2 * cases.length + 1, stops: elsewhere }, stopPlaced());
      expect(await active(persons)).toBe(true);
    });

    test("52. issue against a stop: none succeeds that begins after it, and no token that was issued before is active", async () => {
      const processes = [stores, await open.another()] as const;
      const client = apiClient();
      await stores.apiClients.create(client, credentialEvent("api_client.created"));
      const record = { revision: 1, stops: [stop({ kind: "api_client", id: client.clientId })] };
      const issue = async (by: Stores) => {
        const request = tokenIssue(client);
        return { request, result: await by.tokens.issue(request) };
      };
      const calls = await whileEnding(processes, issue, 3, () => stores.stops.replaceStops(record, stopPlaced()));
      for (const { isLate, answer } of calls) {
        if (isLate) expect(answer.result).toEqual({ outcome: "refused", reason: "stopped" });
        const { reference, token } = answer.request;
        expect(await stores.tokens.introspect(reference, token.issuedAt)).toBeUndefined();
      }
      expect(calls.some(({ answer }) => answer.result.outcome === "issued")).toBe(true);
    });
  });

  describe(`restarts of stops on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`stops on ${engine.name}`, () => {
      test("stops survive a restart and what deletes the expired", async () => {
        const { token, reference } = await clientToken(opened.stores);
        const record = { revision: 1, stops: [stop({ kind: "api_client", id: token.clientId })] };
        expect(await opened.stores.stops.replaceStops(record, stopPlaced())).toBe("done");
        await opened.reopen();
        await opened.housekeep();
        expect(await opened.stores.stops.readStops()).toEqual(record);
        expect(await opened.stores.tokens.introspect(reference, token.issuedAt)).toBeUndefined();
      });
    });
  });
}

function stop(target: StopTarget, fields: Partial<Stop> = {}): Stop {
  const at = Date.now();
  return {
    stopId: `stop_${ulid(at, random)}`,
    target,
    state: "suspended",
    at,
    reason: "seen where it must not be",
    by: "user_1",
    ...fields,
  };
}

function stopPlaced() {
  return credentialEvent("stop.placed");
}
