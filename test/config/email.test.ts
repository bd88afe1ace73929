import { describe, expect, test } from "vitest";
import { checkAhead } from "../../lib/config/resolve.ts";
import { compiled, configurationOf, mistakes } from "./support.ts";

const document = (email: string) => `version: 1\nhttp: {publicURL: "https://gw.example"}\nemail: ${email}`;
const HTTP = "http: {provider: resend, apiKey: a-key}";

describe("87. email", () => {
  test("87. with what is left to default, and a secret by reference", async () => {
    const smtp = document("{from: Mail@Example.com, smtp: {host: smtp.example, user: us, password: <mail.password>}}");
    const { email } = await configurationOf(smtp, { secrets: { S_MAIL_PASSWORD: "secret" } });
    const expected = { host: "smtp.example", port: 587, security: "starttls", user: "us", password: "secret" };
    expect(email).toEqual({ from: "mail@example.com", smtp: expected });
    const http = await configurationOf(document(`{from: a@b.example, ${HTTP}}`));
    expect(http.email).toEqual({ from: "a@b.example", http: { provider: "resend", apiKey: "a-key" } });
  });

  test("87. before there are secrets, they are taken for granted", async () => {
    const given = "{from: a@b.example, http: {provider: postmark, apiKey: <mail.key>}}";
    expect(await checkAhead(await compiled(document(given)), "workers")).not.toContainEqual(
      expect.stringContaining("email"),
    );
  });

  const BROKEN: readonly (readonly [rule: string, email: string, path: string, message: string])[] = [
    ["no way", "{from: a@b.example}", "email", "exactly one"],
    ["two ways", `{from: a@b.example, smtp: {host: h}, ${HTTP}}`, "email", "exactly one of smtp or http"],
    ["no sender", `{${HTTP}}`, "email.from", "an e-mail address"],
    ["a sender with a name", `{from: "A <a@b.example>", ${HTTP}}`, "email.from", "an e-mail address"],
    ["a user alone", "{from: a@b.example, smtp: {host: h, user: u}}", "email.smtp.password", "both or none"],
    ["a password alone", "{from: a@b.example, smtp: {host: h, password: s3cret}}", "email.smtp.user", "both or none"],
    ["no TLS", "{from: a@b.example, smtp: {host: h, security: none}}", "email.smtp.security", "starttls or tls"],
    ["a URL as host", '{from: a@b.example, smtp: {host: "smtp://h"}}', "email.smtp.host", "a host name"],
    ["an unknown tls", "{from: a@b.example, smtp: {host: h, tls: corp}}", "email.smtp.tls", "an entry of tls"],
    ["an unknown provider", "{from: a@b.example, http: {provider: x, apiKey: k}}", "email.http.provider", "resend"],
    [
      "a key of two lines",
      '{from: a@b.example, http: {provider: resend, apiKey: "s3cret k"}}',
      "email.http.apiKey",
      "without spaces",
    ],
    [
      "plain HTTP",
      '{from: a@b.example, http: {provider: resend, apiKey: k, url: "http://m.example"}}',
      "email.http.url",
      "an https URL",
    ],
  ];

  test.each(BROKEN)("87. %s is a mistake, which shows no secret", async (_, email, path, message) => {
    const found = await mistakes(document(email));
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`${path.replaceAll(".", "\\.")}.*${message}`)));
    expect(found.join("\n")).not.toContain("s3cret");
  });

  test.each(["workers", "lambda"] as const)("87. SMTP is refused on %s", async (runtime) => {
    const given = await compiled(document("{from: a@b.example, smtp: {host: h}}"));
    await expect(checkAhead(given, runtime)).rejects.toThrow("accepted: email.http");
  });
});
