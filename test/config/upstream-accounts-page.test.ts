import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationOf, mistakes, warningsOf } from "./support.ts";

const page = readFileSync(new URL("../../docs/upstream-accounts.md", import.meta.url), "utf8");

/** A whole instance, and connectors with their apps. */
const [instance = "", ...pieces] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
const [, head = "", signIn = "", rest = ""] =
  /^([\s\S]*?connectors:\n)([\s\S]*?)(?: {2}- name: github\n[\s\S]*?)(?=vault:)([\s\S]*?)apps:\n/.exec(instance) ?? [];
const secrets = {
  S_VAULT_KEY_1: "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA",
  ...Object.fromEntries(
    ["CORP", "GITHUB", "SLACK", "GOOGLE", "MICROSOFT", "KEYCLOAK"].map((name) => [`S_${name}_CLIENT_SECRET`, name]),
  ),
};

/** The instance of the page with another provider and app. */
function withPiece(piece: string): string {
  const [, connectors, apps] = /^connectors:\n([\s\S]*?)^apps:\n([\s\S]*)$/m.exec(piece) ?? [];
  return `${head}${signIn}${connectors}${rest}apps:\n${apps}`;
}

test("the first configuration of the page on accounts at providers is served without a warning", async () => {
  expect(await mistakes(instance)).toEqual([]);
  expect(await warningsOf(instance, { secrets })).toEqual([]);
});

test("the page has an example of each provider", () => {
  const names = pieces.map((piece) => /- name: (\S+)/.exec(piece)?.[1]);
  expect(names).toEqual(["slack", "google", "microsoft", "keycloak", "linear", "github"]);
});

test.each(pieces)(
  "another provider of the page is accepted, and its app is served without a warning: %#",
  async (piece) => {
    const text = withPiece(piece);
    expect(await mistakes(text)).toEqual([]);
    expect(await warningsOf(text, { secrets })).toEqual([]);
    const { oauthConnectors, apps } = await configurationOf(text, { secrets });
    expect(oauthConnectors).toHaveLength(1);
    expect(apps).toHaveLength(1);
  },
);
