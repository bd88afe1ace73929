import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { smtpSender } from "../../infra/node/net/smtp.ts";
import type { SmtpConfiguration } from "../../lib/config/email-configuration.ts";
import type { Mail } from "../../lib/email/email.ts";
import { invitationMail } from "../../lib/email/invitation-mail.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { createAuthority } from "../support/certificates.ts";
import { newStoreFolder } from "../support/store-folder.ts";

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  /** Names of the headers, in lower case, and their values, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly message: string;
}

const FROM = { name: 'Bank "A", Ltd', address: "mail@example.com" };
const MAIL: Mail = invitationMail({
  ...{ to: "bob@example.com", role: "member", expiresAt: 0, link: "https://gw.example/console/invitation#token=abc" },
  ...{ sender: "Bänk", organization: "Payments" },
});
const authority = createAuthority();
const caFile = join(newStoreFolder(), "ca.pem");
writeFileSync(caFile, authority.cert);
const ignore = () => undefined;
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => logger };
const send = smtpSender({ tls: { mail: { caFile } as never }, logger });

describe("87. mail by SMTP", () => {
  let server: SMTPServer;
  let received: Received[];
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  const started = async (options: SMTPServerOptions = {}, more: Partial<SmtpConfiguration> = {}) => {
    received = [];
    server = new SMTPServer({
      ...authority.issue(),
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        password === "the password" ? done(null, { user: username }) : done(new Error("Wrong password")),
      onData: async (stream, { envelope, user, secure }, done) => {
        const message = await text(stream);
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        const given = { from, to, user: user as string | undefined, isSecure: secure };
        received.push({ ...given, headers: headersOf(message), message });
        done();
      },
      ...options,
    });
    server.on("error", ignore);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.server.address() as AddressInfo;
    return { host: "localhost", port, security: "starttls", tls: "mail", ...more } as SmtpConfiguration;
  };

  test.each(["starttls", "tls"] as const)("87. goes out by %s, signed in, with text and HTML", async (security) => {
    const auth = { user: "us", password: "the password" };
    const settings = await started({ secure: security === "tls", authOptional: false }, { security, ...auth });
    await send(settings, FROM, MAIL);
    const [{ headers, message, ...rest } = expect.fail(), ...others] = received;
    expect([rest, others]).toEqual([
      { from: "mail@example.com", to: ["bob@example.com"], user: "us", isSecure: true },
      [],
    ]);
    expect(headers.get("from")).toMatch(/^"Bank \\"A\\", Ltd" <mail@example\.com>$/);
    expect(headers.get("to")).toBe("bob@example.com");
    expect(headers.get("subject")).toMatch(/^=\?UTF-8\?Q\?Your_invitation_to_B=C3=A4nk\?=$/i);
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    expect(headers.get("content-type")).toMatch(/^multipart\/alternative;/);
    expect(message.replaceAll("=\r\n", "").replaceAll("=3D", "=")).toContain(
      "https://gw.example/console/invitation#token=abc",
    );
  });

  test("87. nothing is sent where the server has no TLS, or a certificate of somebody else's", async () => {
    const plain = await started({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
    await expect(send(plain, FROM, MAIL)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const other = await started(createAuthority().issue());
    await expect(send(other, FROM, MAIL)).rejects.toMatchObject({ code: expect.any(String) });
    expect(received).toEqual([]);
  });

  test("87. a server that refuses is told apart by its code", async () => {
    const wrong = await started({ authOptional: false }, { user: "us", password: "wrong" });
    await expect(send(wrong, FROM, MAIL)).rejects.toMatchObject({ code: "EAUTH" });
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const refusing = await started({ onRcptTo: (_address, _session, done) => done(new Error("No such user")) });
    await expect(send(refusing, FROM, MAIL)).rejects.toMatchObject({ code: "EENVELOPE" });
    expect(received).toEqual([]);
  });

  test("87. no address and no name adds a header or somebody who gets it", async () => {
    const settings = await started();
    // More than `parseEmail` and the message's own rules let through.
    const to = "bob@example.com\r\nBcc: eve@example.com";
    const hostile: Mail = { ...MAIL, to, subject: "Hello\r\nBcc: eve@example.com\r\n\r\nBody" };
    await send(settings, { ...FROM, name: "Bank\r\nBcc: eve@example.com" }, hostile).catch(ignore);
    await send(settings, FROM, { ...hostile, to: "bob@example.com" });
    for (const { to: recipients, headers } of received) {
      expect(recipients).not.toContain("eve@example.com");
      expect(headers.has("bcc")).toBe(false);
    }
    expect(received.length).toBeGreaterThan(0);
  });
});

function headersOf(message: string): ReadonlyMap<string, string> {
  const [head = ""] = message.split("\r\n\r\n");
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
}
