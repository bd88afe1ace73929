import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const tls = (keys: string) => `version: 1\ntls: {main: {${keys}}}`;
const served = (keys: string) =>
  `version: 1\nhttp: {tls: main, publicURL: "https://a.example"}\ntls: {main: {${keys}}}`;
const PAIR = "certFile: a.crt, keyFile: a.key";

const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  ["certFile needs keyFile", tls("certFile: a.crt"), "tls.main.keyFile", "required with certFile"],
  ["keyFile needs certFile", tls("keyFile: a.key"), "tls.main.certFile", "required with keyFile"],
  [
    "the listener needs a certificate",
    served("minVersion: '1.3'"),
    "http.tls",
    "the listener needs certFile and keyFile",
  ],
  ["minVersion is 1.2 or 1.3", tls("minVersion: '1.1'"), "tls.main.minVersion", 'found "1.1"; accepted: 1.2, 1.3'],
  [
    "clientAuth is one of five",
    tls("clientAuth: RequireAnyClientCerts"),
    "tls.main.clientAuth",
    'did you mean "RequireAnyClientCert"?',
  ],
  ...["VerifyClientCertIfGiven", "RequireAndVerifyClientCert"].flatMap((value): (typeof BROKEN)[number][] => [
    [
      `${value} needs authorities`,
      tls(`clientAuth: ${value}`),
      "tls.main.clientCAFiles",
      `required when clientAuth is ${value}`,
    ],
    [
      `${value} needs one authority at least`,
      tls(`clientAuth: ${value}, clientCAFiles: []`),
      "tls.main.clientCAFiles",
      "required",
    ],
  ]),
  ["authorities need clientAuth", tls("clientCAFiles: [ca.crt]"), "tls.main.clientAuth", "required with clientCAFiles"],
  [
    "clientCAFiles is a list",
    tls("clientCAFiles: ca.crt"),
    "tls.main.clientCAFiles",
    'found "ca.crt"; accepted: a list',
  ],
  ["an entry is a mapping", "version: 1\ntls: {main: a.crt}", "tls.main", 'found "a.crt"; accepted: a mapping of keys'],
  ["tls is a mapping", "version: 1\ntls: [main]", "tls", "found a list; accepted: a mapping of names to TLS settings"],
  ["an unknown key is told its nearest", tls("certfile: a.crt"), "tls.main.certfile", 'did you mean "certFile"?'],
];

describe("tls", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(` ${path}: `)]);
    expect(found[0]).toContain(message);
  });

  test("every key is taken from the document", async () => {
    const keys = `${PAIR}, minVersion: "1.3", caFile: ca.crt, clientAuth: RequireAndVerifyClientCert, clientCAFiles: [b.crt]`;
    expect((await configurationOf(tls(keys))).tls).toEqual({
      main: {
        certFile: "a.crt",
        keyFile: "a.key",
        minVersion: "1.3",
        caFile: "ca.crt",
        clientAuth: "RequireAndVerifyClientCert",
        clientCAFiles: ["b.crt"],
      },
    });
  });

  test("an entry may say nothing but whom connections trust", async () => {
    expect((await configurationOf(tls("caFile: ca.crt"))).tls).toEqual({
      main: { minVersion: "1.2", caFile: "ca.crt", clientAuth: "NoClientCert", clientCAFiles: [] },
    });
  });

  test.each(['"1.3"', "1.3"])("minVersion is text or a number: %s", async (minVersion) => {
    expect((await configurationOf(tls(`minVersion: ${minVersion}`))).tls.main?.minVersion).toBe("1.3");
  });

  test("a minVersion that a placeholder brings is accepted", async () => {
    const text = tls('minVersion: "{{ env.MINIMUM }}"');
    expect((await configurationOf(text, { environment: { MINIMUM: "1.3" } })).tls.main?.minVersion).toBe("1.3");
  });

  test("an entry may be called like something of JavaScript's own", async () => {
    const { tls: entries } = await configurationOf("version: 1\ntls: {constructor: {}, toString: {}}");
    expect(Object.keys(entries)).toEqual(["constructor", "toString"]);
    expect(await mistakes("version: 1\nhttp: {tls: constructor}")).toHaveLength(1);
  });

  describe.each(["workers", "lambda"] as const)("on %s", (runtime) => {
    test("a client certificate that the platform would not ask for is refused", async () => {
      const text = served(`${PAIR}, clientAuth: RequireAndVerifyClientCert, clientCAFiles: [ca.crt]`);
      expect(await startMistakes(text, { runtime })).toEqual([
        expect.stringContaining("tls.main.clientAuth: cannot be had on Workers and Lambda, whose platform ends TLS"),
      ]);
    });

    test("a version that the platform would not insist on is refused", async () => {
      expect(await startMistakes(served(`${PAIR}, minVersion: "1.3"`), { runtime })).toEqual([
        expect.stringContaining("tls.main.minVersion: cannot be had on Workers and Lambda"),
      ]);
    });

    test("a certificate for the listener is without effect", async () => {
      expect(await startMistakes(served(PAIR), { runtime })).toEqual([]);
      expect(await warningsOf(served(PAIR), { runtime })).toContain("http.tls: without effect: the platform ends TLS");
    });

    test("what no listener uses is no listener's matter", async () => {
      const text = `${tls('minVersion: "1.3"')}\nhttp: {publicURL: "https://a.example"}`;
      expect(await startMistakes(text, { runtime })).toEqual([]);
    });
  });

  test("Workers refuse upstreams with TLS settings of their own, Lambda has them", async () => {
    const app = "{name: a, type: mcpBridge, openapi: {spec: {uri: file://a.json}}, upstream: {tls: main}}";
    const text = `${tls("caFile: ca.crt")}\nhttp: {publicURL: "https://a.example"}\napps: [${app}]`;
    expect(await startMistakes(text, { runtime: "workers" })).toEqual([
      expect.stringContaining("apps[0].upstream.tls: connections on Workers have no TLS settings of their own"),
    ]);
    expect(await startMistakes(text, { runtime: "lambda" })).toEqual([]);
  });
});
