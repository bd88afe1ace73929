import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { type Answer, answerOf, createSigner, issueToken, manage, requestToken, type Signer } from "./fixture.ts";
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
} from "./gateway-fixture.ts";

interface Change {
  readonly stop?: { readonly stopId: string; readonly state: string };
  readonly ownTokens: string;
  readonly acceptedUntil: string;
  readonly runningUntil: string;
}

const SCOPES = ["notes:read", "audit:read", "stops:write"];

/** The switch: what it ends, and that resuming revives nothing. */
export function stops(runtime: RuntimeUnderTest): void {
  describe("the switch", { timeout: 60_000 }, () => {
    let it: GatewayUnderTest;
    let organizationId: string;

    beforeAll(async () => {
      it = await startGateway(runtime, { alone: true });
      const me = await answerOf(manage(it.owner, "GET", "/me"));
      organizationId =
        (me.body as { organizations: readonly { organizationId: string }[] }).organizations[0]?.organizationId ?? "";
    });
    afterAll(() => it.stop());

    const place = (stop: object): Promise<Answer> =>
      answerOf(manage(it.owner, "POST", "/stops", { reason: "It does harm.", ...stop }));
    const placed = async (stop: object): Promise<Change> => {
      const { status, body } = await place(stop);
      expect([status, body]).toEqual([200, expect.objectContaining({ ownTokens: "now" })]);
      return body as unknown as Change;
    };
    const resume = async ({ stop }: Change): Promise<Change> => {
      const path = `/stops/${stop?.stopId}/resume`;
      const { status, body } = await answerOf(manage(it.owner, "POST", path, { reason: "It is mended." }));
      expect(status).toBe(200);
      return body as unknown as Change;
    };
    const newAgent = () =>
      createSigner(it.owner, { scopes: SCOPES, resources: [mcpURL(it.us), `${it.us.url}/api/v1`] });
    const token = (signer: Signer) => gatewayToken(it.us, signer);
    const called = async (presented: string, tool = "getNote", given: object = { noteId: "1" }) => {
      const response = await post(it.us, call(tool, given), bearer(presented));
      return { status: response.status, answer: response.status === 200 ? await rpc(response) : undefined };
    };
    const isAccepted = async (presented: string) => (await called(presented)).status === 200;
    const isIssued = async (signer: Signer) =>
      (await requestToken(it.us, signer, { parameters: { resource: mcpURL(it.us) } })).status === 200;

    const TARGETS = [
      ["API client", ({ clientId }: Signer) => ({ kind: "api_client", id: clientId })],
      ["key pair", ({ key }: Signer) => ({ kind: "key_pair", id: key.keyPairId })],
    ] as const;

    test.each(TARGETS)(
      "52. a suspended %s has no token, and those that it had are dead for good",
      async (_, targetOf) => {
        const [agent, other] = [await newAgent(), await newAgent()];
        const [former, others] = [await token(agent), await token(other)];
        expect(await isAccepted(former)).toBe(true);
        const change = await placed({ ...targetOf(agent), state: "suspended" });
        expect([await isAccepted(former), await isIssued(agent)]).toEqual([false, false]);
        expect([await isAccepted(others), await isIssued(other)]).toEqual([true, true]);
        const resumed = await resume(change);
        expect(resumed.stop?.state).toBe("ended");
        expect(await isAccepted(former)).toBe(false);
        expect(await isAccepted(await token(agent))).toBe(true);
      },
    );

    test("52. to end all tokens of an agent leaves it new ones", async () => {
      const agent = await newAgent();
      const former = await token(agent);
      expect(await isAccepted(former)).toBe(true);
      await placed({ kind: "agent", id: agent.clientId, state: "ended" });
      expect(await isAccepted(former)).toBe(false);
      expect(await isAccepted(await token(agent))).toBe(true);
    });

    const CALLED = [
      { kind: "tool", id: "upstream/getNote" },
      { kind: "app", id: "upstream" },
      { kind: "upstream", id: "" },
    ];

    test.each(CALLED)(
      "52. a suspended $kind is neither listed nor called until it is resumed",
      async ({ kind, id }) => {
        const agent = await newAgent();
        const presented = await token(agent);
        const listed = async () => {
          const { result } = await rpc(
            await post(it.us, { jsonrpc: "2.0", id: 1, method: "tools/list" }, bearer(presented)),
          );
          return JSON.stringify(result?.tools).includes('upstream_getNote"');
        };
        const change = await placed({ kind, id: id === "" ? it.upstream.url : id, state: "suspended" });
        const settled = Date.parse(change.acceptedUntil) + 1_000;
        const refused = await eventually(
          () => called(presented),
          ({ answer }) => isStopped(answer),
        );
        expect(isStopped(refused.answer)).toBe(true);
        expect(Date.now()).toBeLessThan(settled);
        expect(await listed()).toBe(false);
        const record = await auditOutcome(it.owner, "getNote", "denied");
        expect(record).toMatchObject({ reason: "stopped", details: { stopId: change.stop?.stopId } });
        const resumed = await resume(change);
        expect(resumed.stop).toBeUndefined();
        const again = await eventually(
          () => called(presented),
          ({ answer }) => answer?.result?.isError !== true && !isStopped(answer),
        );
        expect(again.answer?.result?.content[0]?.text).toContain("First");
        expect(await eventually(listed, (isListed) => isListed)).toBe(true);
      },
    );

    test.each([
      ["agent", ({ clientId }: Signer) => ({ kind: "agent", id: clientId })],
      ["key pair", ({ key }: Signer) => ({ kind: "key_pair", id: key.keyPairId })],
    ])(
      "52. a call that runs when its %s is stopped ends, and so does its request to the upstream",
      async (_, targetOf) => {
        const agent = await newAgent();
        const presented = await token(agent);
        const running = called(presented, "slow", {});
        await eventually(
          async () => it.upstream.waiting,
          (waiting) => waiting === 1,
        );
        const { runningUntil } = await placed({ ...targetOf(agent), state: "ended" });
        const { answer } = await running;
        expect(isStopped(answer)).toBe(true);
        expect(Date.now()).toBeLessThan(Date.parse(runningUntil));
        await eventually(
          async () => it.upstream.waiting,
          (waiting) => waiting === 0,
        );
        expect(await auditOutcome(it.owner, "slow", "cancelled")).toMatchObject({ reason: "stopped" });
      },
    );

    const MISTAKES = [
      [{ kind: "robot", id: "x", state: "suspended" }, "/kind", /organization, api_client/],
      [{ kind: "app", id: "nobody", state: "suspended" }, "/id", /is no app; there are upstream/],
      [{ kind: "tool", id: "upstream/nothing", state: "suspended" }, "/id", /names no tool of the app upstream/],
      [{ kind: "upstream", id: "https://elsewhere.example", state: "suspended" }, "/id", /origin of no app's server/],
      [{ kind: "app", id: "upstream", state: "ended" }, "/state", /must be suspended for app/],
      [{ kind: "app", id: "upstream", state: ["suspended"] }, "/state", /must be suspended or ended/],
      [{ kind: "api_client", id: "client_unknown", state: "suspended" }, "/id", /is no API client/],
      [{ kind: "person", id: "x", issuer: "nobody", state: "suspended" }, "/issuer", /URL/],
      [{ kind: "person", id: "x", state: "suspended", reason: "" }, "/reason", /1 to 200/],
    ] as const;

    test.each(MISTAKES)("refuses %j at %s", async (stop, pointer, detail) => {
      const { status, body } = await place(stop);
      expect([status, body]).toEqual([
        422,
        expect.objectContaining({ errors: [{ pointer, detail: expect.stringMatching(detail) }] }),
      ]);
    });

    test("52. an owner suspends neither their organization nor themselves; an API client with the scope stops others", async () => {
      for (const id of [organizationId]) {
        const { status } = await place({ kind: "organization", id, state: "suspended" });
        expect(status).toBe(403);
      }
      const client = await newAgent();
      const caller = await issueToken(it.us, client, { resource: `${it.us.url}/api/v1` });
      const send = (body: object) =>
        fetch(`${it.us.url}/api/v1/stops`, {
          method: "POST",
          headers: { "content-type": "application/json", ...bearer(caller) },
          body: JSON.stringify({ reason: "It does harm.", ...body }),
        });
      expect((await send({ kind: "agent", id: "https://agent.example", state: "ended" })).status).toBe(200);
      expect((await send({ kind: "api_client", id: client.clientId, state: "suspended" })).status).toBe(403);
    });
  });
}

function isStopped(answer: Awaited<ReturnType<typeof rpc>> | undefined): boolean {
  return JSON.stringify(answer ?? "").includes("An administrator has stopped this.");
}
