import { describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import type { TokenRecord, TokenReference } from "../../lib/stores/tokens.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import {
  clientToken,
  endingOf,
  exchanged,
  exchangeOf,
  type OpaqueExchange,
  personToken,
  recordedIn,
} from "./exchange-records.ts";
import { apiClient, auditEvent, newOrganizationId } from "./records.ts";
import { type Processes, whileEnding } from "./while-ending.ts";

const ROUNDS = 4;
/** Milliseconds: many Durable Objects are made, each a file of its own. */
const PATIENCE = 120_000;

/** What tokens are exchanged for, and what then ends it. */
const ENDS = [
  { what: "the end of the chain", begin: ofPerson, end: endChain },
  { what: "the end of the subject token", begin: ofPerson, end: endSubject },
  { what: "the end of the token before that", begin: twiceExchanged, end: endFirst },
  { what: "the revocation of an opaque subject", begin: onceExchanged, end: revokeSubject },
  { what: "the end of the consent", begin: ofPerson, end: endConsent },
  { what: "the deletion of client and tokens", begin: ofClient, end: deleteClient },
];

/** What is exchanged, and what it takes to end it. */
interface Beginning {
  readonly subject: TokenRecord;
  /** Of the subject, where it is kept. */
  readonly reference?: TokenReference;
  /** The token at the head of the chain. */
  readonly first: TokenRecord;
  readonly client?: ApiClientRecord;
}

/** Tokens that come out of others, and the ends of what they descend from. */
export function tokenExchangeContract(engine: StoreEngine): void {
  describe(`exchanged tokens on ${engine.name}`, { timeout: PATIENCE }, () => {
    const opened = openedStores(engine);

    const active = ({ reference, token }: OpaqueExchange) => opened.stores.tokens.introspect(reference, token.issuedAt);
    const expectAlive = async (request: OpaqueExchange) => {
      expect(await active(request)).toEqual(request.token);
      expect(await opened.stores.tokens.isLive(request.token)).toBe(true);
    };
    const expectOver = async (request: OpaqueExchange) => {
      expect(await active(request)).toBeUndefined();
      expect(await opened.stores.tokens.isLive(request.token)).toBe(false);
      expect(await opened.stores.tokens.revoke(request.reference, request.token.issuedAt, auditEvent())).toBe(false);
    };

    describe(`tokens on ${engine.name}`, () => {
      test("an exchanged token reads back as it was given, with its event, and so does one exchanged for that", async () => {
        for (const begin of [ofPerson, ofClient]) {
          const { subject } = await begin(opened.stores);
          const first = await exchanged(opened.stores, subject);
          const second = await exchanged(opened.stores, first.token);
          for (const request of [first, second]) {
            await expectAlive(request);
            expect(await recordedIn(opened.stores, request.event, 1)).toEqual([request.event.id]);
            const { reference, token } = request;
            expect(await opened.stores.tokens.introspect(reference, token.expiresAt)).toBeUndefined();
          }
        }
      });

      test("a token that is not stored leaves its event, and is alive until something of it is ended", async () => {
        const { reference, ...request } = exchangeOf(await personToken(opened.stores));
        expect(await opened.stores.tokens.exchange(request)).toBe(true);
        expect(await recordedIn(opened.stores, request.event, 1)).toEqual([request.event.id]);
        expect(await opened.stores.tokens.introspect(reference, request.token.issuedAt)).toBeUndefined();
        expect(await opened.stores.tokens.isLive(request.token)).toBe(true);
        expect(await opened.stores.tokens.end(endingOf(request.token))).toBe(true);
        expect(await opened.stores.tokens.isLive(request.token)).toBe(false);
      });

      test.each(ENDS)(
        "18. after $what nothing is exchanged, and what was exchanged is over",
        async ({ begin, end }) => {
          const beginning = await begin(opened.stores);
          const child = await exchanged(opened.stores, beginning.subject);
          const grandchild = await exchanged(opened.stores, child.token);
          const foreign = await exchanged(opened.stores, (await begin(opened.stores)).subject);
          await end(opened.stores, beginning);
          for (const request of [child, grandchild]) await expectOver(request);
          const organizationId = newOrganizationId();
          for (const { token } of [{ token: beginning.subject }, child, grandchild]) {
            const late = exchangeOf(token);
            const request = { ...late, event: { ...late.event, organizationId } };
            expect(await opened.stores.tokens.exchange(request)).toBe(false);
            await expectOver(request);
            const { reference: _, ...unstored } = request;
            expect(await opened.stores.tokens.exchange(unstored)).toBe(false);
          }
          await expectAlive(foreign);
          const kept = auditEvent({ type: "token.exchanged", organizationId });
          await opened.stores.auditLog.append(kept);
          expect(await recordedIn(opened.stores, kept, 1)).toEqual([kept.id]);
        },
      );

      test.each(ENDS)(
        "18. exchange against $what: none succeeds that begins after it, and none survives it",
        async ({ begin, end }) => {
          const processes: Processes = [opened.stores, await opened.another()];
          let inTime = 0;
          for (let round = 0; round < ROUNDS; round++) {
            const beginning = await begin(processes[0]);
            const calls = await whileEnding(
              processes,
              async ({ tokens }) => {
                const request = exchangeOf(beginning.subject);
                return { request, isExchanged: await tokens.exchange(request) };
              },
              round * 3,
              () => end(processes[round % 2] as Stores, beginning),
            );
            for (const { isLate, answer } of calls) {
              if (isLate) expect(answer.isExchanged).toBe(false);
              if (answer.isExchanged) inTime++;
            }
            await Promise.all(calls.map(({ answer }) => expectOver(answer.request)));
          }
          expect(inTime).toBeGreaterThan(0);
        },
      );

      test("18. the end of a token ends what was exchanged for it, and neither the subject nor its other tokens", async () => {
        const { subject, reference } = await onceExchanged(opened.stores);
        const [ended, sibling] = [await exchanged(opened.stores, subject), await exchanged(opened.stores, subject)];
        const descendant = await exchanged(opened.stores, ended.token);
        expect(await opened.stores.tokens.end(endingOf(ended.token))).toBe(true);
        for (const request of [ended, descendant]) await expectOver(request);
        await expectAlive(sibling);
        expect(await opened.stores.tokens.introspect(reference, subject.issuedAt)).toEqual(subject);
      });

      test("8. a token that an API client exchanged is over once the client was deleted with its tokens", async () => {
        const client = apiClient();
        await opened.stores.apiClients.create(client, eventOf(client));
        const subject = await personToken(opened.stores);
        const [own, another] = [
          await exchanged(opened.stores, subject, { clientId: client.clientId }),
          await exchanged(opened.stores, subject),
        ];
        await deleteClient(opened.stores, { client });
        expect(await active(own)).toBeUndefined();
        await expectAlive(another);
      });

      test("ending twice records once, and of 50 parallel ends of a token or a chain one ends it", async () => {
        for (const what of ["token", "chain"] as const) {
          const { token } = await exchanged(opened.stores, await personToken(opened.stores));
          const { organizationId } = auditEvent({ organizationId: newOrganizationId() });
          const endings = Array.from({ length: 50 }, () => ({
            ...endingOf(token, what),
            event: auditEvent({ type: "token.revoked", ...(organizationId !== undefined && { organizationId }) }),
          }));
          const results = await Promise.all(endings.map((ending) => opened.stores.tokens.end(ending)));
          expect(results.filter(Boolean)).toHaveLength(1);
          expect(await opened.stores.tokens.end(endings[0] ?? endingOf(token, what))).toBe(false);
          const winner = endings[results.indexOf(true)]?.event;
          const ids = await recordedIn(opened.stores, { ...endingOf(token).event, ...winner }, 1);
          expect(ids).toEqual([winner?.id]);
        }
      });

      test("a chain is ended although a token of it is over, and a token of an ended chain is over already", async () => {
        const { token } = await exchanged(opened.stores, await personToken(opened.stores));
        expect(await opened.stores.tokens.end(endingOf(token))).toBe(true);
        expect(await opened.stores.tokens.end(endingOf(token, "chain"))).toBe(true);
        const { tokenId: _, ...other } = exchangeOf(token).token;
        expect(await opened.stores.tokens.end(endingOf({ ...other, tokenId: token.tokenId }))).toBe(false);
      });

      test("a token may descend from many", async () => {
        const subject = await personToken(opened.stores);
        const between = Array.from({ length: 90 }, () => exchangeOf(subject).token);
        const ancestors = [subject, ...between].map(({ tokenId }) => tokenId);
        const request = await exchanged(opened.stores, subject, { ancestors });
        await expectAlive(request);
        expect(await opened.stores.tokens.end(endingOf(between[70] ?? subject))).toBe(true);
        await expectOver(request);
      });

      test("exchanged tokens and ends survive a restart and what deletes the expired", async () => {
        const subject = await personToken(opened.stores);
        const [kept, ended] = [await exchanged(opened.stores, subject), await exchanged(opened.stores, subject)];
        expect(await opened.stores.tokens.end(endingOf(ended.token))).toBe(true);
        await opened.reopen();
        await opened.housekeep();
        await expectAlive(kept);
        await expectOver(ended);
      });
    });
  });
}

async function ofPerson(stores: Stores): Promise<Beginning> {
  const subject = await personToken(stores);
  return { subject, first: subject };
}

async function ofClient(stores: Stores): Promise<Beginning> {
  const { client, token, reference } = await clientToken(stores);
  return { subject: token, reference, first: token, client };
}

async function onceExchanged(stores: Stores): Promise<Beginning & { readonly reference: TokenReference }> {
  const first = await personToken(stores);
  const { token, reference } = await exchanged(stores, first);
  return { subject: token, reference, first };
}

async function twiceExchanged(stores: Stores): Promise<Beginning> {
  const { subject, first } = await onceExchanged(stores);
  const { token, reference } = await exchanged(stores, subject);
  return { subject: token, reference, first };
}

async function endChain({ tokens }: Stores, { first }: Beginning): Promise<void> {
  expect(await tokens.end(endingOf(first, "chain"))).toBe(true);
}

async function endSubject({ tokens }: Stores, { subject }: Beginning): Promise<void> {
  expect(await tokens.end(endingOf(subject))).toBe(true);
}

async function endFirst({ tokens }: Stores, { first }: Beginning): Promise<void> {
  expect(await tokens.end(endingOf(first))).toBe(true);
}

async function revokeSubject({ tokens }: Stores, { subject, reference }: Beginning): Promise<void> {
  if (reference === undefined) throw new Error("the subject is not stored");
  expect(await tokens.revoke(reference, subject.issuedAt, endingOf(subject).event)).toBe(true);
}

async function endConsent({ grants }: Stores, { first }: Beginning): Promise<void> {
  const event = auditEvent({ type: "consent.revoked", organizationId: newOrganizationId() });
  expect(await grants.revokeConsent(first.subject, first.clientId, event)).toBe(true);
}

async function deleteClient({ apiClients }: Stores, { client }: Pick<Beginning, "client">): Promise<void> {
  if (client === undefined) throw new Error("no API client began the chain");
  const { outcome } = await apiClients.delete(client, { revokeTokens: true }, eventOf(client));
  expect(outcome).toBe("done");
}

function eventOf({ organizationId }: ApiClientRecord) {
  return auditEvent({ organizationId });
}
