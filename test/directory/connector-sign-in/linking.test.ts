import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createInvitation } from "../../../lib/directory/invitations.ts";
import type { InteractionRecord } from "../../../lib/stores/grants.ts";
import type { Acceptance } from "../../../lib/stores/invitations.ts";
import { ISSUER } from "../../support/in-process.ts";
import { type Browser, type ConsoleStarted, goThroughCorp, signInAtCorp, startConsole } from "./started.ts";

const HOME = `${ISSUER}/console/`;
const problem = (code: string) => `${ISSUER}/console/sign-in?problem=${code}`;
/** Whoever links an account comes back to the page where that began. */
const linkProblem = (code: string) => `${ISSUER}/console/account?problem=${code}`;

let started: ConsoleStarted;
/** Sign-ins that were begun. */
const begun: InteractionRecord[] = [];
beforeAll(async () => {
  started = await startConsole((dependencies) => {
    const { stores } = dependencies;
    const begin: typeof stores.grants.begin = (record) => {
      begun.push(record);
      return stores.grants.begin(record);
    };
    return { ...dependencies, stores: { ...stores, grants: { ...stores.grants, begin } } };
  });
});
afterAll(() => started.stop());

/** Goes to the connector to link an account and comes back with what has happened in between. */
async function linkAfter(browser: Browser, login: string, meanwhile: () => Promise<void>): Promise<string> {
  const { body } = await browser.call("POST", "/sign-in/oidc/corp", { link: true, returnTo: "/console/account" });
  await meanwhile();
  return (await signInAtCorp(browser, body.location as string, login)).url.href;
}

test("linking needs somebody who is signed in", async () => {
  expect((await started.newBrowser().call("POST", "/sign-in/oidc/corp", { link: true })).status).toBe(401);
});

test("an account is linked with one person, and linking it again changes nothing", async () => {
  const owner = await started.signedIn();
  const returnTo = "/console/account";
  for (let count = 0; count < 2; count++) {
    expect((await goThroughCorp(owner, { link: true, returnTo }, "alice")).url.href).toBe(`${ISSUER}${returnTo}`);
  }
  expect((await owner.call("GET", "/identities")).body.items).toHaveLength(1);
  const token = await started.invite("bob@example.com");
  const bob = started.newBrowser();
  await bob.call("POST", "/invitations/accept", { token });
  expect((await goThroughCorp(bob, { link: true, returnTo }, "alice")).url.href).toBe(linkProblem("already_linked"));
  const linked = await goThroughCorp(bob, { link: true, returnTo: `${returnTo}?from=here` }, "alice");
  expect(linked.url.href).toBe(`${ISSUER}${returnTo}?from=here&problem=already_linked`);
  expect((await bob.call("GET", "/identities")).body.items).toEqual([]);
});

test("33. an account is linked only in the session that began it", async () => {
  const first = await started.signedIn();
  expect(await linkAfter(first, "carol", async () => void (await first.call("POST", "/sign-out")))).toBe(
    linkProblem("expired"),
  );
  const second = await started.signedIn();
  const other = await started.signedIn();
  const exchanged = async () => {
    const cookie = other.cookies.get("__Host-countersign-console") as string;
    second.cookies.set("__Host-countersign-console", cookie);
  };
  expect(await linkAfter(second, "carol", exchanged)).toBe(linkProblem("expired"));
  expect((await goThroughCorp(started.newBrowser(), {}, "carol")).url.href).toBe(problem("unknown_account"));
});

test("an invitation that is accepted through a connector makes a person with the invitation's address", async () => {
  const browser = started.newBrowser();
  const invitation = await started.invite("erin@example.com");
  expect((await goThroughCorp(browser, { invitation }, "erin")).url.href).toBe(HOME);
  expect((await browser.call("GET", "/me")).body).toMatchObject({ email: "erin@example.com", role: "member" });
  expect((await browser.call("GET", "/identities")).body.items).toMatchObject([{ label: "erin@corp.example" }]);
  const again = started.newBrowser();
  await goThroughCorp(again, {}, "erin");
  expect((await again.call("GET", "/me")).body).toMatchObject({ email: "erin@example.com" });
});

test("an account that is linked accepts as its person, whatever address was invited", async () => {
  const invitation = await started.invite("frank@example.com");
  await goThroughCorp(started.newBrowser(), { invitation }, "frank");
  const owner = await started.signedIn();
  const { clock } = started.product;
  clock.set(clock.now() + 1);
  const { body: second } = await owner.call("POST", "/organizations", { name: "Second" });
  const { directory } = started.product.dependencies.stores;
  const actor = {
    id: (await directory.findPersonByEmail("owner@example.com"))?.userId as string,
    organizationId: second.organizationId as string,
  };
  const { link } = await createInvitation(started.product.dependencies, actor, {
    email: "somebody@example.com",
    role: "member",
  });
  const browser = started.newBrowser();
  await goThroughCorp(browser, { invitation: link.split("#token=")[1] }, "frank");
  const { body } = await browser.call("GET", "/me");
  expect(body).toMatchObject({ email: "frank@example.com", organizations: [{}, { name: "Second" }] });
});

test("a member who accepts again is signed in, and the invitation stays for whom it is meant", async () => {
  await goThroughCorp(started.newBrowser(), { invitation: await started.invite("grace@example.com") }, "grace");
  const invitation = await started.invite("heidi@example.com");
  expect((await goThroughCorp(started.newBrowser(), { invitation }, "grace")).url.href).toBe(HOME);
  expect((await goThroughCorp(started.newBrowser(), { invitation }, "heidi")).url.href).toBe(HOME);
});

test("49. invitations that are gone make nobody, and those for the address of a person somebody", async () => {
  const invitation = await started.invite("ivan@example.com");
  const [first, second] = [started.newBrowser(), started.newBrowser()];
  const { body } = await second.call("POST", "/sign-in/oidc/corp", { invitation });
  await goThroughCorp(first, { invitation }, "ivan");
  expect((await signInAtCorp(second, body.location as string, "judy")).url.href).toBe(problem("invitation_gone"));
  expect((await first.call("POST", "/sign-in/oidc/corp", { invitation })).status).toBe(404);

  const [one, two] = [await started.invite("kim@example.com"), await started.invite("kim@example.com")];
  await goThroughCorp(started.newBrowser(), { invitation: one }, "kim");
  // The address is a name: it keeps nobody out, and tells nobody who is there (D167).
  expect((await goThroughCorp(started.newBrowser(), { invitation: two }, "mallory")).url.href).toBe(HOME);
});

test("49. an account whose invitation a registry of another release refuses is linked with nobody", async () => {
  const linkIdentity = vi.fn(async () => true);
  const other = await startConsole(({ stores, ...rest }) => {
    const acceptInvitation = () => Promise.resolve("email_taken" as Acceptance);
    const invitations = { ...stores.invitations, acceptInvitation };
    return { ...rest, stores: { ...stores, invitations, identities: { ...stores.identities, linkIdentity } } };
  });
  const browser = other.newBrowser();
  const asked = { invitation: await other.invite("lee@example.com") };
  expect((await goThroughCorp(browser, asked, "lee")).url.href).not.toBe(HOME);
  expect((await browser.call("GET", "/me")).status).toBe(401);
  expect(linkIdentity).not.toHaveBeenCalled();
  await other.stop();
});

test("10. an invitation's secret is in no store and no address, and leaves the browser with the answer", async () => {
  const before = begun.length;
  const browser = started.newBrowser();
  const invitation = await started.invite("nina@example.com");
  const { way } = await goThroughCorp(browser, { invitation }, "nina");
  const kept = begun.slice(before);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify([kept, way, [...browser.cookies], started.product.logs])).not.toContain(invitation);
});
