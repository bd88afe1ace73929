import { parse, stringify } from "yaml";
import { openEmbeddedStore } from "../../../../infra/node/sqlite/embedded-store.ts";
import { canonicalJson } from "../../../../lib/kernel/canonical-json.ts";
import { systemClock } from "../../../../lib/kernel/clock.ts";
import type { Me } from "../../../../lib/management/schemas/profile.ts";
import type { PinnedTool, PinsRecord } from "../../../../lib/stores/pins.ts";
import { type ToolVersion, toolVersion } from "../../../../lib/upstream/catalog/tool-version.ts";
import type { RuntimeUnderTest } from "../../../support/runtime.ts";
import { request } from "./requests.ts";
import type { ConsoleServer } from "./server.ts";
import type { Visitor } from "./visitor.ts";

/** The runtime with `pins` of one app. */
export function pinning(runtime: RuntimeUnderTest, app: string): RuntimeUnderTest {
  return {
    ...runtime,
    start: (options) => {
      const document = parse(options.configuration) as { readonly apps: readonly { readonly name: string }[] };
      const apps = document.apps.map((one) => (one.name === app ? { ...one, pins: {} } : one));
      return runtime.start({ ...options, configuration: stringify({ ...document, apps }) });
    },
  };
}

export function noticeTool(description: string): ToolVersion {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return toolVersion("postNotice", { name: "postNotice", description, inputSchema });
}

/** Writes to the store what an app's list would: `approved`, and `held` that came later. */
export async function holdTool(
  server: ConsoleServer,
  owner: Visitor,
  app: string,
  approved: ToolVersion,
  held: ToolVersion,
): Promise<void> {
  const { organizationId } = await request<Me>(server, owner, "GET", "/me");
  const store = openEmbeddedStore(server.store, systemClock);
  try {
    const { pins } = store.stores;
    const key = { organizationId, app };
    const { revision } = await pins.readPins(key);
    const at = Date.now();
    const keep = ({ digest, bytes }: ToolVersion) => ({ digest, bytes, at });
    const tool: PinnedTool = { tool: held.tool, approved: [keep(approved)], held: [keep(held)], changes: 1 };
    const record: PinsRecord = { revision: revision + 1, firstAt: at, tools: [tool] };
    const texts = [approved, held].map(({ digest, definition }) => ({ digest, text: canonicalJson(definition) }));
    await pins.keepDefinitions(key, texts);
    await pins.replacePins(key, record, []);
  } finally {
    await store.close();
  }
}
