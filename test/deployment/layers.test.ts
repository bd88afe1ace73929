import { expect, test } from "vitest";
import { withOverridesOf } from "../../lib/config/overrides/overrides.ts";
import { keysNear, parseKeyPath, sourceOf } from "../../lib/deployment/layers.ts";
import { compiled } from "../config/support.ts";

const YAML = `
version: "1"
store: {path: "{{ env.STORE }}"}
console: {setupToken: written-in-the-document}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, endpointPath: /agents}}
limits: [{name: few, rate: 1/s}]
apps:
  - {name: ledger, type: mcpBridge, organization: org_a, openapi: {spec: {uri: "https://a.example/o"}}, authorization: {inbound: {cel: "true"}}}
`;
const OWN = { limits: [{ name: "few", rate: "9/s" }], policies: [{ app: "ledger", cel: "false" }] };
const VALUES = withOverridesOf({ revision: 1, values: { streamPath: "/set", sessionTimeout: "5m" } }, "org_a", {
  ...{ revision: 2, isFirst: false, values: OWN, fullAt: 0 },
});

const says = (layer: string, value: unknown, organizationId?: string) => ({
  layer,
  ...(organizationId !== undefined && { organizationId }),
  value,
});

test.each([
  [
    "limits",
    "file",
    [says("file", [{ name: "few", rate: "1/s" }]), says("organization", OWN.limits, "org_a"), { layer: "console" }],
  ],
  [
    "apps[ledger].authorization.inbound.cel",
    "file",
    [{ layer: "default" }, says("file", "true"), says("organization", OWN.policies, "org_a"), { layer: "console" }],
  ],
  [
    "mcpProvider.transports.stream.path",
    "console",
    [says("default", "/mcp"), { layer: "file" }, says("console", "/set")],
  ],
  ["mcpProvider.transports.stream.endpointPath", "console", [says("file", "/agents"), says("console", "/set")]],
  [
    "mcpProvider.transports.stream.session",
    "console",
    [says("console", { "mcpProvider.transports.stream.session.timeout": "5m" })],
  ],
  ["mcpProvider.serverName", "default", [says("default", "Countersign AI Identity Gateway"), { layer: "file" }]],
  ["store.path", "file", [says("default", "./data"), says("file", "{{ env.STORE }}")]],
  ["console.setupToken", "file", [says("file", "(a secret)")]],
  ["webhooks[0].url", "none", [{ layer: "default" }, { layer: "file" }, { layer: "console" }]],
])("of %s %s counts", async (key, counts, layers) => {
  const artifact = await compiled(YAML);
  const path = parseKeyPath(key, artifact.document);
  const source = sourceOf(path ?? [], artifact, { values: VALUES });
  expect(source.counts).toBe(counts);
  expect(source.layers).toEqual(expect.arrayContaining(layers));
  expect([...source.layers.map(({ layer }) => layer)]).toEqual(
    ["default", "file", "organization", "console"].filter((one) => source.layers.some(({ layer }) => layer === one)),
  );
});

test("of what is not stored nothing is told", async () => {
  const { layers, counts } = sourceOf(["limits"], await compiled(YAML), undefined);
  expect([layers.map(({ layer }) => layer), counts]).toEqual([["default", "file", "console"], "file"]);
});

test("keys that there are not are told from those around them", () => {
  expect(keysNear(["store", "path"])).toBeUndefined();
  expect(keysNear(["store", "paths"])).toEqual({ around: ["store"], keys: ["path", "region"] });
  expect(keysNear(["stores"])).toMatchObject({ around: [], keys: expect.arrayContaining(["store"]) });
  for (const text of ["", "a..b", "a[", "[0]"]) expect(parseKeyPath(text, {})).toBeUndefined();
});
