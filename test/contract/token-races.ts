import { describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import type { TokenIssue, TokenIssueResult, TokenReference } from "../../lib/stores/tokens.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { apiClient, auditEvent, keyPair, newOrganizationId, tokenIssue } from "./records.ts";
import { type Processes, whileEnding } from "./while-ending.ts";

const ROUNDS = 5;
/** Milliseconds: many Durable Objects are made, each a file of its own. */
const PATIENCE = 120_000;

const REVOKED = { outcome: "refused", reason: "key_revoked" };
const DELETED = { outcome: "refused", reason: "client_deleted" };

/** What ends the issuing, how `issue` answers from then on, and whether the issued tokens end too. */
const ENDS = [
  { what: "the revocation of the key", answer: REVOKED, endsTokens: false, end: revokeFirstKey },
  { what: "a change of the grants", answer: { outcome: "grant_changed" }, endsTokens: false, end: takeScopes },
  { what: "a deletion", answer: DELETED, endsTokens: false, end: removal(false) },
  { what: "a deletion with the tokens", answer: DELETED, endsTokens: true, end: removal(true) },
];

/** Issuing and introspecting while something ends the token, the key or the client, from two processes. */
export function tokenRacesContract(engine: StoreEngine): void {
  describe(`races on ${engine.name}`, { timeout: PATIENCE }, () => {
    const opened = openedStores(engine);
    const twoProcesses = async (): Promise<Processes> => [opened.stores, await opened.another()];

    describe(`tokens on ${engine.name}`, () => {
      test.each(ENDS)(
        "8. issue against $what: none succeeds that begins after it, and every acknowledged one is kept",
        async ({ answer: refusal, endsTokens, end }) => {
          const processes = await twoProcesses();
          let issuedInTime = 0;
          for (let round = 0; round < ROUNDS; round++) {
            const client = await createdClient(processes[0]);
            const calls = await whileEnding(
              processes,
              (stores) => issued(stores, client),
              round * 3,
              () => end(processes[round % 2] as Stores, client),
            );
            for (const { isLate, answer } of calls) {
              if (isLate || answer.result.outcome !== "issued") {
                expect(answer.result).toEqual(refusal);
              } else issuedInTime++;
            }
            await Promise.all(
              calls.map(async ({ answer: { request, result } }, i) => {
                const { reference, token } = request;
                const { tokens } = processes[i % 2] as Stores;
                const isKept = result.outcome === "issued" && !endsTokens;
                expect(await tokens.introspect(reference, token.issuedAt)).toEqual(isKept ? token : undefined);
              }),
            );
          }
          expect(issuedInTime).toBeGreaterThan(0);
        },
      );

      test.each([
        { what: "its revocation", end: revokeToken },
        { what: "the deletion of client and tokens", end: removeOwner },
      ])("introspect against $what: who saw it gone is never followed by one who sees it", async ({ end }) => {
        const processes = await twoProcesses();
        for (let round = 0; round < ROUNDS; round++) {
          const client = await createdClient(processes[0]);
          const { request, result } = await issued(processes[1], client);
          expect(result).toEqual({ outcome: "issued" });
          const { reference, token } = request;
          const reads = await whileEnding(
            processes,
            (stores) => stores.tokens.introspect(reference, token.issuedAt),
            round * 3,
            () => end(processes[round % 2] as Stores, client, reference),
          );
          const firstGone = Math.min(...reads.filter(({ answer }) => answer === undefined).map(({ ended }) => ended));
          for (const { began, isLate, answer } of reads) {
            if (answer === undefined) continue;
            expect(answer).toEqual(token);
            expect({ isLate, isAfterGone: began > firstGone }).toEqual({ isLate: false, isAfterGone: false });
          }
        }
      });

      test("5. of 50 parallel uses of one assertion id, by two processes, for tokens and without, one counts", async () => {
        const processes = await twoProcesses();
        for (let round = 0; round < ROUNDS; round++) {
          const client = await createdClient(processes[0]);
          const outcomes = await Promise.all(
            Array.from({ length: 50 }, async (_, i) => {
              const { tokens } = processes[i % 2] as Stores;
              const { reference, token, ...request } = tokenIssue(client, { assertionId: "one" });
              const { shard } = reference;
              const use = { ...token, shard, now: token.issuedAt, assertionId: request.assertionId };
              const result = await (i % 4 < 2
                ? tokens.issue({ reference, token, ...request })
                : tokens.acceptAssertion(use));
              return result.outcome;
            }),
          );
          expect(outcomes.filter((outcome) => outcome !== "refused")).toHaveLength(1);
        }
      });
    });
  });
}

const organizationId = newOrganizationId();

async function createdClient({ apiClients }: Stores): Promise<ApiClientRecord> {
  const client = apiClient({ organizationId, keyPairs: [keyPair(), keyPair()] });
  await apiClients.create(client, eventOf(client));
  return client;
}

async function issued(
  { tokens }: Stores,
  client: ApiClientRecord,
): Promise<{ readonly request: TokenIssue; readonly result: TokenIssueResult }> {
  const request = tokenIssue(client, { assertionId: crypto.randomUUID() });
  return { request, result: await tokens.issue(request) };
}

function revokeFirstKey({ apiClients }: Stores, client: ApiClientRecord): Promise<unknown> {
  return apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), eventOf(client));
}

function takeScopes({ apiClients }: Stores, client: ApiClientRecord): Promise<unknown> {
  return apiClients.update(client, { scopes: [] }, Date.now(), eventOf(client));
}

function removal(revokeTokens: boolean): (stores: Stores, client: ApiClientRecord) => Promise<unknown> {
  return ({ apiClients }, client) => apiClients.delete(client, { revokeTokens }, eventOf(client));
}

function revokeToken({ tokens }: Stores, client: ApiClientRecord, reference: TokenReference): Promise<unknown> {
  return tokens.revoke(reference, Date.now(), eventOf(client));
}

function removeOwner(stores: Stores, client: ApiClientRecord): Promise<unknown> {
  return removal(true)(stores, client);
}

function eventOf({ organizationId }: ApiClientRecord) {
  return auditEvent({ organizationId });
}
