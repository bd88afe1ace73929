import { expect, test } from "vitest";
import { cutOffs } from "../../console/pages/gateway-settings/cut-offs.ts";
import { bodyOf, differences, rebased, withChange } from "../../console/pages/gateway-settings/draft.ts";
import type { SettingName, Settings, SettingValue } from "../../console/pages/gateway-settings/settings.ts";

const FILE = {
  enabled: true,
  serverName: "Library",
  streamPath: "/mcp",
  sessionHeaderName: "Mcp-Session-Id",
  sessionTimeout: "1h",
  allowClientTermination: true,
  oauthEnabled: true,
};

/** The settings of a file with what is set in the Console. */
function settings(set: Partial<Record<SettingName, SettingValue>> = {}, limits = of([], "default")): Settings {
  const entries = Object.entries(FILE).map(([name, configured]) => {
    const value = set[name as SettingName];
    return [name, value === undefined ? of(configured, "yaml") : { ...of(value, "console"), configured }];
  });
  return { ...Object.fromEntries(entries), limits } as Settings;
}

function of(value: SettingValue | readonly object[], origin: string) {
  return { value, origin, configured: value };
}

test("all that is set in the Console is sent, with what is typed and without what goes back to the file", () => {
  const stored = settings({ serverName: "Ours", sessionTimeout: "30m" });
  expect(bodyOf(stored, { streamPath: " /agents ", sessionTimeout: null })).toEqual({
    serverName: "Ours",
    streamPath: "/agents",
  });
  const limits = [{ name: "writes", rate: "1/s" }];
  expect(bodyOf(settings({}, of(limits, "console")), {})).toEqual({ limits });
  expect(bodyOf(settings({}, of(limits, "yaml")), {})).toEqual({});
});

test("what is typed back to what is stored is no change, nor is going back where nothing is set", () => {
  const stored = settings({ sessionTimeout: "30m" });
  const changes = withChange(stored, { serverName: "Ours" }, "sessionTimeout", "2h");
  expect(withChange(stored, changes, "sessionTimeout", "30m")).toEqual({ serverName: "Ours" });
  expect(withChange(stored, changes, "serverName", null)).toEqual({ sessionTimeout: "2h" });
});

test("what somebody else has saved meanwhile is told, and what was typed stays on top of it", () => {
  const [before, after] = [settings(), settings({ sessionTimeout: "45m", serverName: "Library" })];
  expect(differences(before, after)).toEqual(["serverName", "sessionTimeout"]);
  const typed = { sessionTimeout: "45m", streamPath: "/agents" };
  expect(rebased(after, typed)).toEqual({ streamPath: "/agents" });
});

const titles = (stored: Settings, changes: Parameters<typeof cutOffs>[1]) =>
  cutOffs(stored, changes, undefined).map(({ title, isGrave }) => `${isGrave ? "grave: " : ""}${title}`);

test("opening the gateway is grave, whether OAuth goes off or an open gateway goes on", () => {
  const opens = "grave: The gateway asks nobody for a token";
  expect(titles(settings(), { oauthEnabled: false })).toEqual([opens]);
  expect(titles(settings({ enabled: false, oauthEnabled: false }), { enabled: true })).toEqual([opens]);
  expect(titles(settings({ oauthEnabled: false }), { serverName: "Ours" })).toEqual([]);
});

test("whom a change cuts off is told, also where it goes back to the file", () => {
  const stored = settings({ streamPath: "/agents", enabled: true });
  expect(titles(stored, { streamPath: null, enabled: false, sessionHeaderName: "X-Session" })).toEqual([
    "Every agent of every organization is cut off",
    "Every agent that has the present address is cut off",
    "Agents that are in a session are cut off",
  ]);
  expect(titles(settings(), { sessionTimeout: "5m", allowClientTermination: false })).toEqual([]);
});
