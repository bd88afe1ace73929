import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const TLS = `version: 1
tls:
  gateway: {certFile: gateway.crt, keyFile: gateway.key}
  api: {certFile: api.crt, keyFile: api.key}
`;
const http = (keys: string) => `${TLS}http: {${keys}}`;
const hosts = (...entries: string[]) => http(`hosts: [${entries.map((entry) => `{${entry}}`).join(", ")}]`);

const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  [
    "http.tls names an entry of tls",
    http("tls: gatewya"),
    "http.tls",
    'not the name of an entry of tls; did you mean "gateway"?',
  ],
  [
    "http.tls names an entry where there is none",
    "version: 1\nhttp: {tls: gateway}",
    "http.tls",
    "there is none in this document",
  ],
  [
    "http.hosts[].tls names an entry of tls",
    hosts("default: true, tls: internal"),
    "http.hosts[0].tls",
    "accepted: gateway, api",
  ],
  ...["0", "65", "1.5", "many"].map((workers) => {
    const accepted = "accepted: a whole number from 1 to 64, or auto";
    return [`http.workers is no ${workers}`, http(`workers: ${workers}`), "http.workers", accepted] as const;
  }),
  ["http.hosts[].tls is required", hosts("default: true"), "http.hosts[0].tls", "required and missing"],
  [
    "a host that is not the default has a name",
    hosts("tls: api"),
    "http.hosts[0].name",
    "required unless default is true",
  ],
  [
    "one host is the default at most",
    hosts("default: true, tls: api", "default: true, name: a.example, tls: gateway"),
    "http.hosts[1].default",
    "found a second default",
  ],
  [
    "http.tls is the default already",
    http("tls: api, hosts: [{default: true, tls: gateway}]"),
    "http.hosts[0].default",
    "accepted: one of http.tls and all hosts",
  ],
  [
    "a host name stands once, whatever its case",
    hosts("name: a.example, tls: api", "name: A.Example., tls: gateway"),
    "http.hosts[1].name",
    "stands above already",
  ],
  ["a host name is one", hosts("name: 'https://a.example', tls: api"), "http.hosts[0].name", "accepted: a host name"],
  [
    "a star stands for a whole label",
    hosts("name: 'a*.example', tls: api"),
    "http.hosts[0].name",
    "accepted: a host name",
  ],
  [
    "the public URL of a TLS listener is https",
    http('tls: gateway, publicURL: "http://a.example"'),
    "http.publicURL",
    "accepted: an https URL",
  ],
  [
    "a trusted proxy is an address or a network",
    http("trustedProxies: [proxy.example]"),
    "http.trustedProxies[0]",
    "an IP address",
  ],
  ["a network fits its addresses", http("trustedProxies: [10.0.0.0/33]"), "http.trustedProxies[0]", "an IP address"],
  ["trusted proxies are a list", http("trustedProxies: 10.0.0.1"), "http.trustedProxies", "accepted: a list"],
  [
    "the access log's level is one of four",
    http("accessLog: {level: all}"),
    "http.accessLog.level",
    "debug, info, warn, error",
  ],
];

describe("http", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(` ${path}: `)]);
    expect(found[0]).toContain(message);
  });

  test("hosts are taken from the document", async () => {
    const text = hosts("default: true, tls: gateway", "name: '*.a.example', tls: api");
    expect((await configurationOf(text)).http.hosts).toEqual([
      { isDefault: true, tls: "gateway" },
      { isDefault: false, name: "*.a.example", tls: "api" },
    ]);
  });

  test("http.tls stands beside hosts that are not the default", async () => {
    expect((await configurationOf(http("tls: gateway, hosts: [{name: a.example, tls: api}]"))).http).toMatchObject({
      tls: "gateway",
      hosts: [{ name: "a.example", tls: "api" }],
    });
  });

  test.each([http("tls: gateway"), hosts("default: true, tls: gateway")])(
    "the public URL that is derived for a TLS listener is https",
    async (text) => {
      expect((await configurationOf(text)).publicURL).toBe("https://127.0.0.1:8080");
    },
  );

  test("trusted proxies are addresses and networks of both families", async () => {
    const trustedProxies = ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "::1"];
    const text = http(`trustedProxies: [${trustedProxies.map((one) => `"${one}"`).join(", ")}]`);
    expect((await configurationOf(text)).http.trustedProxies).toEqual(trustedProxies);
  });

  test("a name that a placeholder brings is checked when it is known, and not shown", async () => {
    const text = http('tls: "{{ env.ENTRY }}"');
    expect(await startMistakes(text, { environment: { ENTRY: "hunter2" } })).toEqual([
      "5:13: http.tls: found the value of {{ env.ENTRY }}, which is not the name of an entry of tls; accepted: gateway, api",
    ]);
    expect((await configurationOf(text, { environment: { ENTRY: "api" } })).http.tls).toBe("api");
  });

  test.each([
    ["1", 1],
    ["auto", "auto"],
    ["'{{ env.COUNT }}'", 3],
  ])("http.workers: %s", async (written, workers) => {
    expect((await configurationOf(http(`workers: ${written}`), { environment: { COUNT: "3" } })).http.workers).toBe(
      workers,
    );
  });

  test.each(["workers", "lambda"] as const)(
    "on %s there is one process, as many instances as it takes",
    async (runtime) => {
      const text = (workers: string) => http(`publicURL: "https://a.example", workers: ${workers}`);
      expect(await startMistakes(text("2"), { runtime })).toEqual([
        expect.stringContaining(
          "http.workers: found 2; accepted: 1 or auto on Workers and Lambda, which start instances",
        ),
      ]);
      for (const workers of ["1", "auto"]) expect(await startMistakes(text(workers), { runtime })).toEqual([]);
    },
  );

  test.each(["workers", "lambda"] as const)(
    "the listener's keys are without effect on %s, with a word for each",
    async (runtime) => {
      const keys = 'address: ":80", tls: gateway, hosts: [{name: a.example, tls: api}], trustedProxies: ["::1"]';
      const found = await warningsOf(http(`${keys}, publicURL: "https://a.example"`), { runtime });
      expect(found.filter((line) => line.startsWith("http."))).toEqual([
        expect.stringContaining("http.address: without effect: "),
        "http.tls: without effect: the platform ends TLS",
        "http.hosts: without effect: the platform ends TLS",
        "http.trustedProxies: without effect: the platform tells callers' addresses",
      ]);
    },
  );
});
