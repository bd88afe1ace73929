import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes } from "./support.ts";

const CONNECTORS = `[
  {name: corp, type: oidc, oauthClientID: c, oidcWellKnownURL: "https://id.example/.well-known/openid-configuration"},
  {name: hub, type: oauth, oauthClientID: c, authorizationURL: "https://hub.example/a", tokenURL: "https://hub.example/t"}
]`;
const document = (signals: string) =>
  `version: 1\nhttp: {publicURL: "https://gw.example"}\nconnectors: ${CONNECTORS}\nsignals: [${signals}]`;

const POLL = 'delivery: poll, pollURL: "https://ssf.example/poll"';

describe("signals", () => {
  test("with what is left to default", async () => {
    const { signals } = await configurationOf(document("{connector: corp}"));
    expect(signals).toEqual([{ connector: "corp", audience: ["c", "https://gw.example/signals/corp"] }]);
  });

  test("with all that a transmitter may need", async () => {
    const keys = `{connector: corp, ${POLL}, token: <corp.token>, issuer: "https://ssf.example", jwksURL: "https://ssf.example/jwks", pollInterval: 1m}`;
    const { signals } = await configurationOf(document(keys), { secrets: { S_CORP_TOKEN: "hunter2" } });
    expect(signals).toEqual([
      {
        ...{ connector: "corp", audience: ["c"], issuer: "https://ssf.example", jwksURL: "https://ssf.example/jwks" },
        ...{ token: "hunter2", poll: { url: "https://ssf.example/poll", interval: 60_000 } },
      },
    ]);
  });

  const BROKEN: readonly (readonly [rule: string, signals: string, path: string, message: string])[] = [
    ["a connector is required", "{delivery: push}", "signals[0].connector", "required"],
    ["an unknown connector", "{connector: crop}", "signals[0].connector", 'did you mean "corp"?'],
    ["a connector of type oauth", "{connector: hub}", "signals[0].connector", "nobody signs in there"],
    ["a connector twice", "{connector: corp}, {connector: corp}", "signals[1].connector", "each once"],
    ["another delivery", "{connector: corp, delivery: pull}", "signals[0].delivery", "push or poll"],
    ["poll without a URL", "{connector: corp, delivery: poll, token: t}", "signals[0].pollURL", "required with"],
    ["poll without a token", `{connector: corp, ${POLL}}`, "signals[0].token", "required with"],
    ["push with a URL", '{connector: corp, pollURL: "https://a.example"}', "signals[0].pollURL", "needs delivery"],
    ["push with an interval", "{connector: corp, pollInterval: 1m}", "signals[0].pollInterval", "needs delivery"],
    ["keys without TLS", '{connector: corp, jwksURL: "http://a.example"}', "signals[0].jwksURL", "an https URL"],
    ["a token with a space", '{connector: corp, token: "a b"}', "signals[0].token", "a token without spaces"],
    ["no audience", "{connector: corp, audience: []}", "signals[0].audience", "at least one audience"],
  ];

  test.each(BROKEN)("%s is a mistake", async (_, signals, path, message) => {
    expect(await mistakes(document(signals))).toEqual([
      expect.stringMatching(new RegExp(`${path.replaceAll(/[[\]]/g, "\\$&")}.*${message.replaceAll("?", "\\?")}`)),
    ]);
  });

  test("no endpoint and no web app is where events are posted", async () => {
    const [mistake] = await startMistakes(`${document("{connector: corp}")}\nhealth: {location: /signals/corp}`);
    expect(mistake).toContain("belongs to security events");
  });
});
