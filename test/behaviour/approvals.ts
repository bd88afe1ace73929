import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { type Answer, answerOf, createSigner, manage } from "./fixture.ts";
import {
  auditRecords,
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  type Headers,
  mcpURL,
  post,
  type RpcAnswer,
  rpc,
  startGateway,
  textOf,
} from "./gateway-fixture.ts";
import { sendModern } from "./mcp/stateless-fixture.ts";

/** The app is the last entry of the document, so that this continues it. */
const APPROVALS = `    tools:
      rules:
        - tools: [createNote]
          arguments:
            tags: {fix: [of the house]}
          approval:
            by: owners
            when: '!request.mcp.tool.params.arguments.title.startsWith("Free")'
            expires: 10m
        - tools: [deleteNote]
          approval: {by: owners, separate: true}
`;

const WEBHOOKS = `
webhooks:
  - name: desk
    url: "{{ env.DESK_URL }}"
    secrets: ["{{ env.DESK_SECRET }}"]
    types: [approval.requested]
apps:
`;

interface Approval {
  readonly approvalId: string;
  readonly digest: string;
  readonly state: string;
  readonly [member: string]: unknown;
}

/** Calls that people approve, with exactly their arguments (D230). */
export function approvals(runtime: RuntimeUnderTest): void {
  describe("approvals", { timeout: 60_000 }, () => {
    let it: GatewayUnderTest;
    let desk: WebhookReceiver;
    beforeAll(async () => {
      desk = await startWebhookReceiver();
      const change = (configuration: string) => configuration.replace("\napps:\n", WEBHOOKS);
      const variables = { DESK_URL: desk.url, DESK_SECRET: desk.secret };
      it = await startGateway(runtime, { alone: true, more: APPROVALS, change, variables });
    });
    afterAll(async () => {
      await it.stop();
      await desk.stop();
    });

    let agents = 0;
    const newAgent = async () => {
      const scopes = ["notes:read", "notes:write"];
      const signer = await createSigner(it.owner, { name: `agent ${agents++}`, scopes, resources: [mcpURL(it.us)] });
      return { ...signer, authorization: bearer(await gatewayToken(it.us, signer)) };
    };
    const called = async (authorization: Headers, given: unknown, tool = "createNote"): Promise<RpcAnswer> =>
      rpc(await post(it.us, call(tool, given), authorization));
    const written = (title: string) => it.upstream.requests.filter(({ body }) => body.includes(`"${title}"`));
    const list = async (state: string): Promise<readonly Approval[]> => {
      const { body } = await answerOf(manage(it.owner, "GET", `/approvals?state=${state}&limit=200`));
      return (body as { items: readonly Approval[] }).items;
    };
    /** The approval that an answer names. */
    const waiting = async (answer: RpcAnswer): Promise<Approval> => {
      expect(answer.result?.isError).toBe(true);
      const [, url = "", id = ""] = /at (\S+\/approvals\/(approval_\w+));/.exec(textOf(answer)) ?? [];
      expect(textOf(answer)).toMatch(/^Waits for approval by an owner of the organization/);
      expect(url).toBe(`${it.us.url}/console/approvals/${id}`);
      const { status, body } = await answerOf(manage(it.owner, "GET", `/approvals/${id}`));
      expect(status).toBe(200);
      return body as unknown as Approval;
    };
    const decide = ({ approvalId, digest }: Approval, decision: string): Promise<Answer> =>
      answerOf(manage(it.owner, "POST", `/approvals/${approvalId}/decision`, { decision, digest }));
    const approved = async (answer: RpcAnswer): Promise<Approval> => {
      const { status, body } = await decide(await waiting(answer), "approve");
      expect([status, body]).toEqual([200, expect.objectContaining({ state: "approved" })]);
      return body as unknown as Approval;
    };
    const events = async (type: string, approvalId: string) => {
      const { body } = await answerOf(manage(it.owner, "GET", `/audit-events?type=${type}&limit=200`));
      const { items } = body as {
        items: readonly { readonly id: string; readonly details?: { readonly approvalId?: string } }[];
      };
      return items.filter(({ details }) => details?.approvalId === approvalId);
    };

    test("76. a call waits, is approved with the arguments that go out, and is made once by the agent's next request", async () => {
      const agent = await newAgent();
      const given = { title: "To be approved", text: "ü" };
      const approval = await waiting(await called(agent.authorization, given));
      expect(approval).toMatchObject({
        ...{ state: "pending", app: "upstream", tool: "createNote", by: "owners", mayDecide: true },
        ...{ agent: agent.clientId, upstream: expect.stringContaining("http") },
        arguments: '{"tags":["of the house"],"text":"ü","title":"To be approved"}',
      });
      expect((await waiting(await called(agent.authorization, given))).approvalId).toBe(approval.approvalId);
      expect(await list("pending")).toContainEqual(expect.objectContaining({ approvalId: approval.approvalId }));
      expect((await decide(approval, "approve")).status).toBe(200);
      expect(written("To be approved")).toHaveLength(0);
      const made = await called(agent.authorization, given);
      expect(made.result?.isError ?? false).toBe(false);
      expect(written("To be approved")).toHaveLength(1);
      const { body } = await answerOf(manage(it.owner, "GET", `/approvals/${approval.approvalId}`));
      const after = body as unknown as Approval;
      expect(after).toMatchObject({ state: "consumed", mayDecide: false });
      expect(after).not.toHaveProperty("arguments");
      for (const type of ["approval.requested", "approval.approved", "approval.consumed"])
        await expect.poll(() => events(type, approval.approvalId)).toHaveLength(1);
      // The same call again is another one.
      expect((await waiting(await called(agent.authorization, given))).approvalId).not.toBe(approval.approvalId);
      expect(written("To be approved")).toHaveLength(1);
      const record = (await auditRecords(it.owner, "createNote")).find(({ id }) => id === after.callId);
      expect(record).toMatchObject({ outcome: "success", details: { approvalId: approval.approvalId } });
    });

    test("82. whoever is named in webhooks is told of a call that waits, once, without its arguments", async () => {
      const agent = await newAgent();
      const approval = await waiting(await called(agent.authorization, { title: "To be told" }));
      await waiting(await called(agent.authorization, { title: "To be told" }));
      const of = () => desk.messages.filter(({ data }) => data.approvalId === approval.approvalId);
      await expect.poll(of).toHaveLength(1);
      const [{ id, type, data } = expect.fail()] = of();
      expect(type).toBe("approval.requested");
      const recorded = async () => (await events("approval.requested", approval.approvalId)).map((record) => record.id);
      await expect.poll(recorded).toEqual([id]);
      expect(data).toEqual({
        ...{ organizationId: expect.stringMatching(/^org_/), approvalId: approval.approvalId, digest: approval.digest },
        ...{ app: "upstream", tool: "createNote", by: "owners", agent: agent.clientId, expiresAt: approval.expiresAt },
        url: `${it.us.url}/console/approvals/${approval.approvalId}`,
      });
    });

    test("76. a call that somebody refused is told so, and is not made", async () => {
      const { authorization } = await newAgent();
      const approval = await waiting(await called(authorization, { title: "Refused" }));
      expect((await decide(approval, "refuse")).body).toMatchObject({ state: "refused" });
      for (let i = 0; i < 2; i++)
        expect(textOf(await called(authorization, { title: "Refused" }))).toContain("refused it");
      expect((await decide(approval, "approve")).status).toBe(409);
      expect(written("Refused")).toHaveLength(0);
    });

    test("76. other arguments, and another agent, are not approved with it", async () => {
      const [one, other] = [await newAgent(), await newAgent()];
      const approval = await approved(await called(one.authorization, { title: "Mine" }));
      const changed = await waiting(await called(one.authorization, { title: "Mine", text: "more" }));
      const others = await waiting(await called(other.authorization, { title: "Mine" }));
      expect(new Set([approval, changed, others].map(({ digest }) => digest)).size).toBe(3);
      expect(written("Mine")).toHaveLength(0);
      expect((await called(one.authorization, { title: "Mine" })).result?.isError ?? false).toBe(false);
      expect(written("Mine")).toHaveLength(1);
    });

    test("76. of 20 parallel retries of one approved call one is made, with one record", async () => {
      const { authorization } = await newAgent();
      const approval = await approved(await called(authorization, { title: "Once" }));
      const answers = await Promise.all(Array.from({ length: 20 }, () => called(authorization, { title: "Once" })));
      expect(answers.filter(({ result }) => result?.isError !== true)).toHaveLength(1);
      expect(written("Once")).toHaveLength(1);
      await expect.poll(() => events("approval.consumed", approval.approvalId)).toHaveLength(1);
      const records = await auditRecords(it.owner, "createNote");
      const made = records.filter(({ outcome, details }) => {
        const { approvalId } = details as { readonly approvalId?: string };
        return approvalId === approval.approvalId && outcome !== "denied";
      });
      expect(made.map(({ outcome }) => outcome)).toEqual(["success"]);
    });

    const BY_TASK = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const asked = async (
      authorization: Headers,
      method: string,
      params: object,
      capabilities: object = BY_TASK,
    ): Promise<RpcAnswer> => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      return rpc(await sendModern(it.us, authorization, method, { ...params, _meta }));
    };
    /** A task that waits for the approval of a note with this title. */
    const taskOf = async (authorization: Headers, title: string) => {
      const params = { name: "upstream_createNote", arguments: { title } };
      const { result } = await asked(authorization, "tools/call", params);
      expect(result).toMatchObject({
        ...{ resultType: "task", status: "working", ttlMs: 1_200_000, pollIntervalMs: 5_000 },
        statusMessage: expect.stringContaining("/console/approvals/approval_"),
      });
      const { taskId = "" } = result as { readonly taskId?: string };
      const { body } = await answerOf(manage(it.owner, "GET", `/approvals/${taskId}`));
      return { taskId, approval: body as unknown as Approval };
    };

    test("76. an agent that takes tasks waits by one, and of its parallel questions after the approval one makes the call", async () => {
      const [{ authorization }, other] = [await newAgent(), await newAgent()];
      const { result: discovered } = await asked(authorization, "server/discover", {});
      expect(discovered?.capabilities).toMatchObject(BY_TASK);
      const { taskId, approval } = await taskOf(authorization, "By task");
      expect(approval).toMatchObject({ approvalId: taskId, state: "pending" });
      for (const kept of ["call", "outcome", "begunAt"]) expect(approval).not.toHaveProperty(kept);
      const get = () => asked(authorization, "tasks/get", { taskId });
      expect((await get()).result).toMatchObject({ resultType: "complete", taskId, status: "working" });
      for (const [headers, capabilities, code] of [
        [other.authorization, BY_TASK, -32_602],
        [authorization, {}, -32_021],
      ] as const)
        for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
          expect((await asked(headers, method, { taskId }, capabilities)).error?.code).toBe(code);
      expect((await decide(approval, "approve")).status).toBe(200);
      expect(written("By task")).toHaveLength(0);
      const answers = await Promise.all(Array.from({ length: 20 }, get));
      expect(written("By task")).toHaveLength(1);
      const completed = answers.filter(({ result }) => result?.status === "completed");
      expect(
        answers.map(({ result }) => String(result?.status)).filter((one) => !/working|completed/.test(one)),
      ).toEqual([]);
      expect(completed).not.toEqual([]);
      const last = (await get()).result;
      expect(last).toMatchObject({ status: "completed", result: { resultType: "complete" } });
      expect(JSON.stringify(last)).not.toContain('"isError":true');
      for (const { result } of completed) expect(result?.result).toEqual(last?.result);
      expect(JSON.stringify(last)).toContain("By task");
      await expect.poll(() => events("approval.consumed", taskId)).toHaveLength(1);
      expect(written("By task")).toHaveLength(1);
    });

    test("76. a task is cancelled by its agent, and completed by a refusal", async () => {
      const { authorization } = await newAgent();
      const task = (method: string, taskId: string, more = {}) => asked(authorization, method, { taskId, ...more });
      const cancelled = await taskOf(authorization, "Cancelled");
      expect((await task("tasks/update", cancelled.taskId, { inputResponses: { x: {} } })).result).toEqual(
        expect.objectContaining({ resultType: "complete" }),
      );
      for (let i = 0; i < 2; i++) expect((await task("tasks/cancel", cancelled.taskId)).error).toBeUndefined();
      expect((await task("tasks/get", cancelled.taskId)).result).toMatchObject({ status: "cancelled" });
      expect((await decide(cancelled.approval, "approve")).status).toBe(409);
      const { body } = await answerOf(manage(it.owner, "GET", `/approvals/${cancelled.taskId}`));
      expect(body).toMatchObject({ state: "expired", withdrawn: true });
      await expect.poll(() => events("approval.withdrawn", cancelled.taskId)).toHaveLength(1);
      const refused = await taskOf(authorization, "Refused task");
      expect((await decide(refused.approval, "refuse")).status).toBe(200);
      expect((await task("tasks/get", refused.taskId)).result).toMatchObject({
        status: "completed",
        result: { isError: true, content: [{ text: expect.stringContaining("refused it") }] },
      });
      const unknown = `${refused.taskId.slice(0, 10)}${"0".repeat(25)}${refused.taskId.slice(-2)}`;
      expect((await task("tasks/get", unknown)).error?.code).toBe(-32_602);
      expect([...written("Cancelled"), ...written("Refused task")]).toEqual([]);
    });

    test("76. a decision names the digest that was shown, and only what waits is decided", async () => {
      const { authorization } = await newAgent();
      const approval = await waiting(await called(authorization, { title: "Shown" }));
      expect((await decide({ ...approval, digest: "another" }, "approve")).status).toBe(409);
      expect((await decide(approval, "accept")).status).toBe(422);
      expect(
        (await decide({ ...approval, approvalId: `${approval.approvalId.slice(0, -2)}zz` }, "approve")).status,
      ).toBe(404);
      expect((await answerOf(manage(it.owner, "GET", "/approvals?state=open"))).status).toBe(422);
      expect((await decide(approval, "approve")).status).toBe(200);
      expect((await decide(approval, "refuse")).status).toBe(409);
    });

    test("76. a link carries no right: nobody decides without a session, and no API client", async () => {
      const agent = await newAgent();
      const { approvalId, digest } = await waiting(await called(agent.authorization, { title: "Linked" }));
      const path = `${it.us.url}/api/v1/approvals/${approvalId}`;
      for (const headers of [{}, agent.authorization]) {
        expect((await fetch(path, { headers })).status).toBe(401);
        const body = JSON.stringify({ decision: "approve", digest });
        const sent = { ...headers, "content-type": "application/json" };
        expect((await fetch(`${path}/decision`, { method: "POST", headers: sent, body })).status).toBe(401);
      }
      expect(await list("pending")).toContainEqual(expect.objectContaining({ approvalId }));
    });

    test("76. what needs no approval asks for none, and neither does what would not be made", async () => {
      const { authorization } = await newAgent();
      const before = (await list("pending")).length;
      expect((await called(authorization, { title: "Free of charge" })).result?.isError ?? false).toBe(false);
      expect(textOf(await called(authorization, { title: "" }))).toContain("title");
      expect(textOf(await called(authorization, { title: "Tagged", tags: [] }))).not.toContain("Waits");
      expect(textOf(await called(authorization, { title: "Long", text: "x".repeat(70_000) }))).toContain("65536 bytes");
      expect(await list("pending")).toHaveLength(before);
    });

    test("76. lists show a tool whose calls wait", async () => {
      const { authorization } = await newAgent();
      const listed = await rpc(await post(it.us, { jsonrpc: "2.0", id: 1, method: "tools/list" }, authorization));
      expect(JSON.stringify(listed.result?.tools)).toContain('"upstream_createNote"');
    });

    test("76. one agent has 20 calls that wait, and no more", async () => {
      const [{ authorization }, other] = [await newAgent(), await newAgent()];
      for (let i = 0; i < 20; i++)
        expect(textOf(await called(authorization, { noteId: `of ${i}` }, "deleteNote"))).toContain("Waits");
      expect(textOf(await called(authorization, { noteId: "of 20" }, "deleteNote"))).toContain(
        "as many calls of yours",
      );
      expect(textOf(await called(other.authorization, { noteId: "of 20" }, "deleteNote"))).toContain("Waits");
    });
  });
}
