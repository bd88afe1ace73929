import { expect, test } from "vitest";
import { mistakes, warningsOf } from "./support.ts";

test("no connector of the Console has the name of the path that people come back to", async () => {
  const connector = '{name: callback, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://a.example/"}';
  const text = `version: 1\nconnectors: [${connector}]\n`;
  expect(await mistakes(text)).toEqual([]);
  expect(await mistakes(`${text}console: {connectors: [callback]}`)).toEqual([
    "3:24: console.connectors[0]: found callback, which is a path of the sign-in itself; accepted: a connector of another name",
  ]);
});

test("33. a cookie that other hosts of the domain can plant is warned about", async () => {
  const text = (name: string) => `version: 1\nconsole: {enabled: true}\nsession: {cookie: {name: ${name}}}`;
  expect(await warningsOf(text("session"))).toEqual([
    "session.cookie.name: other hosts of the same domain can set this cookie: begin its name with __Host-",
  ]);
  expect(await warningsOf(text("__Host-session"))).toEqual([]);
});
