import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONSOLE_PATH } from "../../../lib/config/endpoints.ts";
import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import type { Organization } from "../../../lib/management/schemas/organizations.ts";
import type { ApprovalRecord } from "../../../lib/stores/approvals.ts";
import { ageSession } from "./support/aged-session.ts";
import { refusedElsewhere, waitingApproval } from "./support/approvals.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const ELEVEN_MINUTES = 660_000;
/** With a right-to-left override, a joiner of zero width, a soft hyphen, and a number that no double holds. */
const ARGUMENTS =
  '{"amount":12345678901234567890,"lines":[1,{"of":"\u202edaB\u200d\u00ade\u0301\u0302\u0303"}],"none":{},"to":"Bö\\"b"}';

describe("approving calls", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await signedInAnew(stage);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const linkOf = ({ approvalId }: ApprovalRecord) => `${stage.server.url}${CONSOLE_PATH}approvals/${approvalId}`;
  const waits = (fields: Partial<ApprovalRecord> = {}) => waitingApproval(stage.server, owner, fields);
  const stored = ({ approvalId }: ApprovalRecord, { context }: Visitor = owner) =>
    request<Approval>(stage.server, { ...owner, context }, "GET", `/approvals/${approvalId}`);
  const open = async ({ page }: Visitor, record: ApprovalRecord) => {
    await page.goto(linkOf(record));
    await heading(page, "Approve a call?").waitFor();
    await loaded(page);
  };
  const again = ({ page }: Visitor) => page.getByRole("dialog", { name: "Sign in again" });

  test("76. an owner who is signed out comes to the call by the agent's link, sees all of it, and approves", async () => {
    const record = await waits({ arguments: ARGUMENTS, agent: "https://agent.example/\u202eclient.json" });
    const { page, context } = owner;
    await context.clearCookies();
    await page.goto(linkOf(record));
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await heading(page, "Approve a call?").waitFor();
    expect(page.url()).toBe(linkOf(record));
    await loaded(page);
    const shown = page.getByRole("region", { name: "Arguments as JSON" }).locator("pre");
    await expect
      .poll(() => shown.textContent())
      .toBe(
        [
          "{",
          '  "amount": 12345678901234567890,',
          '  "lines": [',
          "    1,",
          "    {",
          '      "of": "U+202EdaBU+200DU+00ADe\u0301\u0302U+0303"',
          "    }",
          "  ],",
          '  "none": {},',
          '  "to": "Bö\\"b"',
          "}",
        ].join("\n"),
      );
    for (const text of [record.digest, record.tool, record.upstream, "https://agent.example/U+202Eclient.json"]) {
      await page.getByText(text, { exact: true }).first().waitFor();
    }
    await expectAccessibleInBothSchemes(page, "a call that waits");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "a call that waits, narrow");
    await page.setViewportSize({ width: 1200, height: 800 });

    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("The agent makes the call with its next request, once.").waitFor();
    expect(await page.getByRole("button", { name: "Refuse" }).count()).toBe(0);
    await expectAccessible(page, "an approved call");
    expect(await stored(record)).toMatchObject({ state: "approved", digest: record.digest });
  });

  test("76. an owner whose sign-in is older than ten minutes signs in with their passkey before a call is approved", async () => {
    const record = await waits();
    await open(owner, record);
    await ageSession(stage, owner, ELEVEN_MINUTES);
    await owner.page.getByRole("button", { name: "Approve", exact: true }).click();
    await again(owner).getByText("This needs a recent sign-in.").waitFor();
    expect(await stored(record)).toMatchObject({ state: "pending" });
    await again(owner).getByRole("button", { name: "Sign in with a passkey" }).click();
    await owner.page.getByText("The agent makes the call with its next request, once.").waitFor();
    expect(await stored(record)).toMatchObject({ state: "approved" });
  });

  test("a call is found in the list and refused, and found again among those that are", async () => {
    const record = await waits({ tool: "deleteLedger" });
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/approvals`);
    await page.getByRole("link", { name: "ledger deleteLedger" }).click();
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.getByText("The agent is told so with its next request.").waitFor();
    expect(await stored(record)).toMatchObject({ state: "refused" });
    await page.getByRole("main").getByRole("link", { name: "Approvals" }).click();
    await heading(page, "Approvals").waitFor();
    await page.getByText("No call waits").waitFor();
    await page.getByLabel("State").selectOption("Refused");
    await page.getByRole("link", { name: "ledger deleteLedger" }).waitFor();
  });

  test("a call of another organization of theirs is found there", async () => {
    const name = "Second Shelf";
    const { page } = owner;
    const created = await request<Organization>(stage.server, owner, "POST", "/organizations", { name });
    const record = await waits({ organizationId: created.organizationId, person: "user_grace", tool: "elsewhere" });
    await page.goto(linkOf(record));
    await page.getByText("There is no such approval for you").waitFor();
    await loaded(page);
    await expectAccessible(page, "no such approval");
    await page.getByRole("button", { name: `Look in ${name}` }).click();
    await page.getByText("elsewhere", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.getByText("The agent is told so with its next request.").waitFor();
    await page.evaluate(() => localStorage.clear());
  });

  test("76. what somebody else decided meanwhile is said, and nothing is decided", async () => {
    const record = await waits();
    await open(owner, record);
    // Reading it again has to wait, so that the page does not know yet.
    const { page } = owner;
    await page.route(`**/api/v1/approvals/${record.approvalId}`, (route) => route.abort());
    await refusedElsewhere(stage.server, record);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("alert").getByText("It does not wait for a decision any more: it is refused.").waitFor();
    await page.unroute(`**/api/v1/approvals/${record.approvalId}`);
    await page.getByText("It was “Waits” when you decided, and is “Refused” now.").waitFor();
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
  });

  test("76. a member finds their own call, and decides on it without another sign-in; others are not theirs", async () => {
    const invited = { email: "carol@library.example", role: "member" };
    const { link } = await request<{ readonly link: string }>(stage.server, owner, "POST", "/invitations", invited);
    const carol = await stage.stranger();
    const { page } = carol;
    await page.goto(link);
    await page.getByRole("button", { name: "Accept with corp" }).click();
    await page.getByLabel("Name").fill("carol");
    await page.getByRole("button", { name: "Sign in" }).click();
    await heading(page, "Overview").waitFor();
    const others = await waits({ tool: "others" });
    const own = await waitingApproval(stage.server, carol, { tool: "own", by: "self" });
    await ageSession(stage, carol, ELEVEN_MINUTES);
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByRole("link", { name: "ledger own" }).waitFor();
    expect(await page.getByRole("link", { name: "ledger others" }).count()).toBe(0);
    await page.getByRole("link", { name: "ledger own" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("The agent makes the call with its next request, once.").waitFor();
    expect(await stored(own, carol)).toMatchObject({ state: "approved" });
    await page.goto(linkOf(others));
    await page.getByText("There is no such approval for you").waitFor();
    await carol.leave();
  });
});
