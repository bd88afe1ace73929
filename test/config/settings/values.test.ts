import { expect, test } from "vitest";
import { documentJsonSchema, type JsonSchema } from "../../../lib/config/json-schema.ts";
import { GATEWAY_SETTINGS, settingValues } from "../../../lib/config/settings/settings.ts";
import { followed, YAML } from "./gateway.ts";
import { keptSettings } from "./kept-settings.ts";

const ALL = {
  enabled: true,
  serverName: "From the Console",
  streamPath: "/v2",
  sessionHeaderName: "X-Agent-Session",
  sessionTimeout: "1h30m",
  allowClientTermination: false,
  oauthEnabled: false,
};

test("every setting of the Console stands in the place of what the YAML says, placeholders included", async () => {
  const { gateway } = await followed({ settings: keptSettings(ALL) });
  expect(gateway()).toMatchObject({
    serverName: "From the Console",
    stream: {
      path: "/v2",
      resource: "https://gateway.example/v2",
      session: { headerName: "X-Agent-Session", timeout: 5_400_000, allowClientTermination: false },
    },
    oauth: { enabled: false },
  });
  const off = await followed({ settings: keptSettings({ enabled: false }) });
  expect(off.gateway()).toBeUndefined();
});

test("without settings the YAML holds, also for one of another release", async () => {
  const { gateway, live } = await followed({ settings: keptSettings({ later: "x", serverName: null }) });
  expect(gateway()).toMatchObject({
    serverName: "From the YAML",
    stream: { path: "/agents", session: { headerName: "Mcp-Session-Id", timeout: 7_200_000 } },
  });
  expect(live.snapshot().revision).toBe(1);
});

test("mappings that the YAML leaves out are made for a setting", async () => {
  const text = 'version: "1"\nmcpProvider: {enabled: true}\n';
  const { gateway } = await followed({ text, settings: keptSettings(ALL) });
  expect(gateway()).toMatchObject({ serverName: "From the Console", oauth: { enabled: false } });
});

test("what the YAML says of a setting is known, and what holds where it says nothing", async () => {
  const { gatewaySettings } = await followed({ settings: keptSettings(ALL) });
  expect(gatewaySettings.configured()).toEqual({
    enabled: { value: true, origin: "yaml" },
    serverName: { value: "From the YAML", origin: "yaml" },
    streamPath: { value: "/agents", origin: "yaml" },
    sessionHeaderName: { value: "Mcp-Session-Id", origin: "default" },
    sessionTimeout: { value: "2h", origin: "yaml" },
    allowClientTermination: { value: true, origin: "default" },
    oauthEnabled: { value: false, origin: "default" },
    limits: { value: [], origin: "default" },
  });
});

test("what holds where the YAML says nothing is the schema's default", () => {
  for (const { name, path, fallback } of GATEWAY_SETTINGS) {
    const schema = path.reduce<JsonSchema | undefined>(
      (around, key) => around?.properties?.[key],
      documentJsonSchema(),
    );
    expect(schema, name).toBeDefined();
    // `enabled` is required, and a path is where the stream is enabled.
    if (schema?.default !== undefined) expect([name, fallback]).toEqual([name, schema.default]);
  }
});

test("the public URL stays what it is when the OAuth that it was read from is off", async () => {
  const text = `${YAML.replace('http: {publicURL: "https://gateway.example"}\n', "")}      enabled: true
      servers:
        - wellKnownEndpoint: https://auth.example/.well-known/openid-configuration
          tokenValidation: {expectedAudiences: ["https://agents.example/agents", "https://agents.example/sse"]}
`;
  const { live } = await followed({ text });
  expect(live.snapshot().configuration.publicURL).toBe("https://agents.example");
  const without = await followed({ text, settings: keptSettings({ oauthEnabled: false, enabled: true }) });
  expect(without.live.snapshot().configuration.publicURL).toBe("https://agents.example");
});

test("only what is there and not null is a value", () => {
  expect(settingValues({ enabled: false, serverName: null, streamPath: undefined, other: 1 })).toEqual({
    enabled: false,
  });
});
