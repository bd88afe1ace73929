import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { liftStops, placeStop } from "../../../lib/stops/change-stops.ts";
import { AGENT } from "../../support/oauth-apps.ts";
import {
  authorizationURL,
  type Changes,
  DYNAMIC_CLIENTS,
  registerDynamicClient,
  type SignInStarted,
  signIn,
  startSignIn,
} from "./started.ts";

const WEB = "https://stranger.example/callback";

describe("52. what is stopped", () => {
  let started: SignInStarted;
  let organizationId: string;
  beforeAll(async () => {
    started = await startSignIn({
      apps: [
        { ...AGENT, consent: "once" },
        { ...AGENT, consent: "once", clientID: "elsewhere", organization: "org_elsewhere" },
      ],
      oidcProvider: { registration: DYNAMIC_CLIENTS },
    });
    organizationId = (await stores().directory.firstOrganization())?.organizationId ?? "";
  });
  afterEach(() => liftStops(started.product.dependencies, operator(), "It was mended.", () => true));
  afterAll(() => started.stop());

  const stores = () => started.product.dependencies.stores;
  const operator = () => ({ id: "operator", organizationId, requestId: "request", isOperator: true as const });
  const stop = (kind: string, id: string, state = "suspended") =>
    placeStop(started.product.dependencies, operator(), { kind, id, state, reason: "It does harm." });
  const open = (changes: Changes = {}) => started.newBrowser().open(authorizationURL(changes));
  const refusals = async (agent: string) => {
    const asked = { organizationId: organizationId || undefined, agent, type: "sign_in.refused" as const };
    return (await stores().auditLog.query(asked, { limit: 10 })).items;
  };

  test("is told to an app at once, without a page, and recorded", async () => {
    await stop("agent", AGENT.clientID);
    const { url } = await open();
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "access_denied",
      error_description: "the organization has stopped this agent",
      state: "the-state",
    });
    expect(await refusals(AGENT.clientID)).toEqual([
      expect.objectContaining({
        ...{ outcome: "refused", reason: "stopped", actor: AGENT.clientID, agent: AGENT.clientID },
        names: { [AGENT.clientID]: AGENT.name },
      }),
    ]);
  });

  test("is told to the person before they are asked, where nobody knows the agent", async () => {
    const client_id = await registerDynamicClient(started, WEB, "Helper");
    const asked = { client_id, redirect_uri: WEB };
    expect((await open(asked)).html).toContain("Allow");
    await stop("agent", client_id);
    const page = await open(asked);
    expect(page.html).toContain("“<bdi>Helper</bdi>” cannot act for you: the organization has stopped this agent.");
    expect(page.html).not.toContain("Allow");
    expect(await refusals(client_id)).toHaveLength(1);
  });

  test("is refused also where the page was open already", async () => {
    const browser = started.newBrowser();
    const page = await signIn(browser, await browser.open(authorizationURL()), "erin");
    await stop("agent", AGENT.clientID);
    const { url } = await browser.press(page, "Allow");
    expect(url.searchParams.get("error_description")).toBe("the organization has stopped this agent");
  });

  test("is said by its kind: an organization", async () => {
    await stop("organization", organizationId);
    expect((await open()).url.searchParams.get("error_description")).toBe(
      "the organization is stopped, with all its agents",
    );
  });

  test("is said by its kind: a person, for agents of the organization that stopped them, and no others", async () => {
    const browser = started.newBrowser();
    const elsewhere = { client_id: "elsewhere" };
    await browser.press(await signIn(browser, await browser.open(authorizationURL(elsewhere)), "frank"), "Allow");
    const { items } = await stores().auditLog.query({ organizationId: "org_elsewhere" }, { limit: 1 });
    const person = { kind: "person", id: items[0]?.user, state: "suspended", reason: "He does harm." };
    const owner = { id: "user_owner", organizationId: "org_elsewhere", requestId: "request" };
    await placeStop(started.product.dependencies, owner, person);
    const { url } = await browser.open(authorizationURL(elsewhere));
    expect(url.searchParams.get("error_description")).toBe(
      "the organization has stopped what agents do for this person",
    );
    expect((await browser.open(authorizationURL())).html).toContain("Allow");
  });

  test("may begin anew where only its tokens were ended", async () => {
    await stop("agent", AGENT.clientID, "ended");
    expect((await open()).html).toContain("Sign in at Corp");
  });
});
