import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownersOf, unwrapURI, wrapURI } from "../../../lib/upstream/names/resource-uri.ts";
import { expand, templates, values } from "./template.ts";

const app = (name: string, namespace = `${name}_`) => ({ name, namespace });

const appNames = fc.oneof(
  fc.constantFrom("ledger", "Ledger", "ui", "my_app", "my-app", "my.app", "1st", "x..1st", "a b", "é", "😀"),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const uris = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.webUrl().map((url) => url.replace(/^https?/, "ui")),
  fc.constantFrom("ui://", "ui:///x", "UI://a/b", "Demo://x", "mailto:a@b", "urn:x:y", "data:,x", "ledger+demo://x"),
  fc.string(),
);

/** RFC 3986 §3, with a scheme. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

describe("URIs of resources", () => {
  test("name the app before the scheme, and in `ui:` before the host, where hosts look for the scheme", () => {
    expect(wrapURI(app("ledger"), "file:///a/b?c#d")).toBe("ledger+file:///a/b?c#d");
    expect(wrapURI(app("ledger"), "ui://charts/x.html")).toBe("ui://ledger+charts/x.html");
    expect(wrapURI(app("ledger"), "note://{owner}/{+path}{?page}")).toBe("ledger+note://{owner}/{+path}{?page}");
    expect(wrapURI(app("My_app 2"), "file:///a")).toBe("x...4dy.5fapp.202+file:///a");
  });

  test("37. unwrapped they are what they were, and those of another app are none of this one", () => {
    fc.assert(
      fc.property(appNames, appNames, uris, (name, other, uri) => {
        const wrapped = wrapURI(app(name), uri);
        expect(unwrapURI(app(name), wrapped)).toBe(uri);
        if (other !== name) expect(unwrapURI(app(other), wrapped)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test("37. two of them are never wrapped the same", () => {
    fc.assert(
      fc.property(appNames, appNames, uris, uris, (name, other, one, two) => {
        if (name === other && one === two) return;
        expect(wrapURI(app(name), one)).not.toBe(wrapURI(app(other), two));
      }),
      { numRuns: 500 },
    );
  });

  test("37. what was a URI is one, and parsing it changes no more than before", () => {
    fc.assert(
      fc.property(appNames, uris, (name, uri) => {
        const wrapped = wrapURI(app(name), uri);
        if (URI.test(uri)) expect(wrapped).toMatch(URI);
        if (URL.parse(uri)?.href === uri) expect(URL.parse(wrapped)?.href).toBe(wrapped);
      }),
      { numRuns: 500 },
    );
  });

  test("37. a template expands to what leads to the expanded original", () => {
    fc.assert(
      fc.property(appNames, templates, values, (name, template, given) => {
        const wrapped = wrapURI(app(name), template);
        expect(unwrapURI(app(name), wrapped)).toBe(template);
        expect(unwrapURI(app(name), expand(wrapped, given))).toBe(expand(template, given));
      }),
      { numRuns: 1_000 },
    );
  });

  test("clients may have changed the case of a scheme", () => {
    expect(unwrapURI(app("ledger"), "LEDGER+Demo://X")).toBe("Demo://X");
  });

  test("without a namespace they pass untouched", () => {
    expect(wrapURI(app("ledger", ""), "ui://x")).toBe("ui://x");
    expect(unwrapURI(app("ledger", ""), "anything")).toBe("anything");
  });

  test("one that names an app is that app's alone; any other may be that of each app without a namespace", () => {
    const [one, open, two] = [app("one"), app("open", ""), app("two")];
    const apps = [open, one, two];
    expect(ownersOf(apps, "two+demo://x")).toEqual([{ app: two, uri: "demo://x" }]);
    expect(ownersOf(apps, "demo://x")).toEqual([{ app: open, uri: "demo://x" }]);
    expect(ownersOf([one, two], "demo://x")).toEqual([]);
  });
});
