import { describe, expect, test } from "vitest";
import type { EmailConfiguration } from "../../lib/config/email-configuration.ts";
import { type EmailPorts, sendMail } from "../../lib/email/email.ts";
import { type InvitationMailParts, invitationMail } from "../../lib/email/invitation-mail.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { inProcessConfiguration } from "../support/in-process.ts";
import { startMailService } from "../support/mail-service.ts";

const PARTS: InvitationMailParts = {
  ...{ to: "bob@example.com", role: "owner", expiresAt: Date.UTC(2026, 11, 6, 9), link: "https://gw.example/#token=a" },
  ...{ sender: "Example Bank", organization: "Payments" },
};

describe("87. the message of an invitation", () => {
  test("87. says who invites to what, and how long", () => {
    const { subject, text, html } = invitationMail(PARTS);
    expect(subject).toBe("Your invitation to Example Bank");
    expect(text).toMatch(/^You are invited to join the organization "Payments" at Example Bank as an owner\.\n\n/);
    expect(text).toContain("until 2026-12-06 09:00 UTC:\n\nhttps://gw.example/#token=a\n\n");
    expect(html).toContain('<a href="https://gw.example/#token=a">');
  });

  test.each([
    ["a link", "Your bank: https://evil.example"],
    ["a name of a host", "evil.example"],
    ["an address", "mail me@evil"],
    ["nothing that is seen", "\u200b\u202e"],
  ])("87. an organization that is called like %s is not named", (_, organization) => {
    const { text, html } = invitationMail({ ...PARTS, organization });
    expect(text).toMatch(/^You are invited to join an organization at Example Bank/);
    expect(html).not.toContain("evil");
  });

  test.each([
    ["lines", "A\r\nBcc: eve@x", undefined],
    ["lines without an address", "A\r\nBcc eve\u2028B", '"A Bcc eve B"'],
    ["HTML", '<img src=x onerror="a()">', "\"<img src=x onerror='a()'>\""],
    ["a long name", "x".repeat(200), `"${"x".repeat(60)}…"`],
    ["an ordinary name", "Example Inc. & Co", '"Example Inc. & Co"'],
  ])("87. %s of an organization stay one line of text", (_, organization, shown) => {
    const { subject, text, html } = invitationMail({ ...PARTS, organization });
    expect(subject).toBe("Your invitation to Example Bank");
    expect(text.split("\n\n")[0]).toBe(
      `You are invited to join ${shown === undefined ? "an organization" : `the organization ${shown}`} at Example Bank as an owner.`,
    );
    expect(html).not.toContain("<img");
  });
});

describe("87. what is sent over HTTP", () => {
  test("87. each service gets its own request, and the log neither address, link nor key", async () => {
    const service = await startMailService();
    const logged: object[] = [];
    const ignore = () => undefined;
    const warn = (message: string, fields?: object) => void logged.push({ message, ...fields });
    const logger: Logger = { debug: ignore, info: ignore, warn, error: ignore, with: () => logger };
    const configuration = (email: EmailConfiguration) => () => ({
      revision: 1,
      configuration: { ...inProcessConfiguration, email, branding: { name: 'A "Bank", Ltd\u200b' } },
    });
    const portsOf = (email: EmailConfiguration): EmailPorts => ({
      ...{ configuration: configuration(email), outbound: () => fetch, logger },
      limiter: { take: () => ({ outcome: "granted", states: [], giveBack: ignore }) },
    });
    const http = { provider: "postmark", apiKey: "the-key", url: service.url } as const;
    const mail = invitationMail(PARTS);
    expect(await sendMail(mail, "org_1", portsOf({ from: "mail@example.com", http }))).toBe(true);
    const [{ headers, body } = expect.fail()] = service.posted;
    expect(headers["x-postmark-server-token"]).toBe("the-key");
    expect(body).toEqual({
      ...{ From: '"A Bank, Ltd" <mail@example.com>', To: PARTS.to, Subject: mail.subject, MessageStream: "outbound" },
      ...{ TextBody: mail.text, HtmlBody: mail.html },
    });
    expect(logged).toEqual([]);
    service.answer(401);
    expect(await sendMail(mail, "org_1", portsOf({ from: "mail@example.com", http }))).toBe(false);
    await service.stop();
    expect(await sendMail(mail, "org_1", portsOf({ from: "mail@example.com", http }))).toBe(false);
    expect(logged).toEqual([
      { message: "a mail could not be sent", organizationId: "org_1", cause: "the service answered 401" },
      {
        message: "a mail could not be sent",
        organizationId: "org_1",
        cause: expect.stringMatching(/^(?:ECONNREFUSED|UND_ERR_SOCKET)$/),
      },
    ]);
    const smtp = { host: "localhost", port: 25, security: "none" } as const;
    expect(await sendMail(mail, "org_1", portsOf({ from: "mail@example.com", smtp }))).toBe(false);
    expect(logged.at(-1)).toMatchObject({ cause: "this runtime has no SMTP" });
    for (const secret of ["the-key", "token=a", PARTS.to, service.url])
      expect(JSON.stringify(logged)).not.toContain(secret);
  });
});
