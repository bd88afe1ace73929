import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MailService, startMailService } from "../support/mail-service.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { expectJson, manage, NO_UPSTREAM, type Owner, setUpOwner } from "./fixture.ts";

const EMAIL = `
branding: {name: Example Bank}
email:
  from: Invitations@Example.com
  http:
    provider: resend
    apiKey: "{{ env.MAIL_KEY }}"
    url: "{{ env.MAIL_URL }}"
apps:
`;
const KEY = "re_a-key-of-the-mail-service";

interface Created {
  readonly link: string;
  readonly sent?: boolean;
}

/** Where `email` is configured, the link of an invitation goes to the one who is invited, and to the owner as before (D273). */
export function mailedInvitations(runtime: RuntimeUnderTest): void {
  describe("invitations by e-mail", { timeout: 60_000 }, () => {
    let service: MailService;
    let regions: RunningRegions;
    let owner: Owner;
    beforeAll(async () => {
      service = await startMailService();
      const variables = { UPSTREAM_URL: NO_UPSTREAM, MAIL_URL: service.url, MAIL_KEY: KEY };
      const configuration = behaviourConfiguration.replace("\napps:\n", EMAIL);
      regions = await runtime.start({ configuration, variables, alone: true });
      owner = await setUpOwner(regions.us);
    });
    afterAll(async () => {
      await regions.stop();
      await service.stop();
    });

    const invited = async (email: string): Promise<Created> =>
      expectJson<Created>(await manage(owner, "POST", "/invitations", { email, role: "member" }), 201);

    test("87. the link is sent once, and the answer says so", async () => {
      const { link, sent } = await invited("bob@example.com");
      expect([sent, service.posted.length]).toEqual([true, 1]);
      const [{ headers, body } = expect.fail()] = service.posted;
      expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, "content-type": "application/json" });
      expect(body).toEqual({
        from: '"Example Bank" <invitations@example.com>',
        to: ["bob@example.com"],
        subject: "Your invitation to Example Bank",
        text: expect.stringContaining(`\n\n${link}\n\n`),
        html: expect.stringContaining(`<a href="${link}">`),
      });
      expect(body.text).toContain('join the organization "Example" at Example Bank as a member.');
      const token = new URL(link).hash.replace("#token=", "");
      const accepted = await fetch(`${regions.us.url}/api/v1/invitations/accept`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token }),
      });
      expect(accepted.status).toBe(200);
      await accepted.body?.cancel();
    });

    test.each([
      ["refuses it", 422],
      ["leads elsewhere", 302],
      ["breaks off", 0],
    ])("87. a service that %s fails no invitation", async (what, status) => {
      service.answer(status);
      const before = service.posted.length;
      const { link, sent } = await invited(`${what.replaceAll(" ", ".")}@example.com`);
      expect([sent, service.posted.length - before]).toEqual([false, 1]);
      expect(link).toMatch(/#token=/);
    });

    test("87. one address gets three in a row at most, and the owner the links of all", async () => {
      const before = service.posted.length;
      const sent: (boolean | undefined)[] = [];
      for (let count = 0; count < 5; count++) sent.push((await invited("carol@example.com")).sent);
      expect(sent).toEqual([true, true, true, false, false]);
      expect(service.posted.length - before).toBe(3);
    });
  });
}
