import { afterAll, beforeAll, expect, test } from "vitest";
import type { BrowserContext } from "../../lib/authorization-server/authorize/sign-in-context.ts";
import { signOutAtConnectors } from "../../lib/authorization-server/connector-sign-out.ts";
import { parseForm } from "../../lib/authorization-server/form.ts";
import { signedOut } from "../../lib/authorization-server/sign-out.ts";
import { signInEndpoints } from "../../lib/config/endpoints.ts";
import type { Connector } from "../../lib/connectors/connectors.ts";
import { en } from "../../lib/pages/messages/en.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";

const BACK = `${ISSUER}/signed-out`;
const HOME = "https://www.example/bye?from=us";

let product: InProcess;
beforeAll(async () => {
  product = await startInProcess();
});
afterAll(() => product.close());

/** People come back from those called `back…`; `nowhere` has no endpoint. */
function connectorOf(name: string): Connector {
  const endSessionEndpoint = name === "nowhere" ? undefined : `https://${name}.example/end?tenant=a`;
  const logoutRedirectURL = name.startsWith("back") ? BACK : undefined;
  const settings = {
    ...CORP,
    name,
    clientID: `at-${name}`,
    ...(logoutRedirectURL !== undefined && { logoutRedirectURL }),
  };
  return { settings, metadata: { get: async () => ({ endSessionEndpoint }) } } as unknown as Connector;
}

const NAMES = ["back1", "back2", "gone1", "gone2", "nowhere"];

function contextOf(binding?: string): BrowserContext {
  const { dependencies } = product;
  return {
    dependencies,
    connectors: NAMES.map(connectorOf),
    endpoints: signInEndpoints(dependencies.configuration().configuration),
    request: { requestId: "request", waitUntil: () => undefined } as unknown as BrowserContext["request"],
    browser: { session: undefined, binding, language: { asked: () => undefined, ask: () => undefined } },
  };
}

/** The addresses that a person visits who comes back wherever that is possible, and what they see at the end. */
async function visited(names: readonly string[], returnTo?: string) {
  const way: string[] = [];
  let answer = await signOutAtConnectors(names, returnTo, contextOf());
  let binding = answer?.binding;
  while (answer !== undefined && "redirect" in answer) {
    const url = new URL(answer.redirect);
    way.push(url.origin + url.pathname);
    const state = url.searchParams.get("state");
    if (state === null) break;
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe(BACK);
    expect(url.searchParams.get("client_id")).toBe(`at-${url.hostname.split(".")[0]}`);
    expect(url.searchParams.get("tenant")).toBe("a");
    answer = await signedOut(parseForm(`state=${state}`), contextOf(binding));
    binding = answer.binding ?? binding;
  }
  return { way, page: answer !== undefined && "page" in answer ? answer.page(en, "en").body.html : undefined };
}

const end = (name: string) => `https://${name}.example/end`;
const HOME_PAGE = "https://www.example/bye";

test.each<[names: readonly string[], way: readonly string[]]>([
  [["back1"], [end("back1"), HOME_PAGE]],
  [
    ["back1", "back2", "back1"],
    [end("back1"), end("back2"), HOME_PAGE],
  ],
  [
    ["gone1", "back1"],
    [end("back1"), end("gone1")],
  ],
  [
    ["nowhere", "unknown", "back2"],
    [end("back2"), HOME_PAGE],
  ],
])("a session of %j is signed out at each connector, those from which nobody comes back last", async (names, way) => {
  expect((await visited(names, HOME)).way).toEqual(way);
});

test("without an address for afterwards a page of ours ends it", async () => {
  expect(await visited(["back1", "back2"])).toEqual({
    way: [end("back1"), end("back2")],
    page: expect.stringContaining("You are signed out"),
  });
});

test("where several never send people back a page has their links, and the way on", async () => {
  const { way, page } = await visited(["gone1", "gone2", "back1"], HOME);
  expect(way).toEqual([end("back1")]);
  for (const name of ["gone1", "gone2"])
    expect(page).toContain(`href="${end(name)}?tenant=a&#38;client_id=at-${name}"`);
  expect(page).toContain(`href="${HOME}"`);
});

test("connectors without an endpoint are none to visit", async () => {
  expect(await signOutAtConnectors(["nowhere", "unknown"], HOME, contextOf())).toBeUndefined();
});

test("64. nobody goes on with the sign-out of another browser, nor twice", async () => {
  const begun = await signOutAtConnectors(["back1", "back2"], HOME, contextOf());
  if (begun === undefined || !("redirect" in begun)) throw new Error("nothing to visit");
  const state = new URL(begun.redirect).searchParams.get("state") ?? "";
  const form = parseForm(`state=${state}`);
  await expect(signedOut(form, contextOf("A".repeat(43)))).rejects.toThrow("Only the browser");
  await signedOut(form, contextOf(begun.binding));
  // Its state is no more than any other text then: a page, and no redirect.
  expect(await signedOut(form, contextOf(begun.binding))).not.toHaveProperty("redirect");
});
