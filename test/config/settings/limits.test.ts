import { expect, test } from "vitest";
import { followed, YAML } from "./gateway.ts";
import { keptSettings } from "./kept-settings.ts";

const GONE = { name: "gone", for: { app: "board" }, rate: "1/s" };
const LEDGER = { name: "writes", for: { app: ["board", "health"], tool: "getHealth" }, rate: "2/s" };
const APP = `${YAML}apps: [{name: health, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}}]\n`;

test("51. a stored limit about an app that the file no longer has is told in the log, and the gateway is served", async () => {
  const settings = keptSettings({ limits: [GONE, LEDGER, { name: "all", rate: "3/s" }] });
  const { live, gateway, gatewaySettings, log } = await followed({ text: APP, settings });
  expect(gateway()).toBeDefined();
  expect(gatewaySettings.appliedRevision()).toBe(1);
  expect(live.snapshot().configuration.limits.map(({ name, for: about }) => [name, about.app])).toEqual([
    ["writes", ["health"]],
    ["all", undefined],
  ]);
  const told = "warn a limit of the Console is about apps that the configuration does not have";
  expect(log).toEqual(["gone", "writes"].map((limit) => `${told} {"limit":"${limit}","apps":"board"}`));
});

test("51. such a limit stands in the way of no other change, but none can be made anew", async () => {
  const { gatewaySettings } = await followed({ text: APP });
  const { check } = gatewaySettings;
  const all = { name: "all", rate: "3/s" };
  expect(await check({ limits: [all, GONE], serverName: "Other" }, { limits: [GONE] })).toEqual([]);
  const problems = await check({ limits: [all, GONE] }, { limits: [all] });
  expect(problems).toMatchObject([{ name: "limits", below: "/1/for/app" }]);
});
