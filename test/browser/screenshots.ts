import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContextOptions } from "playwright-core";
import { parse, stringify } from "yaml";
import { ensureConsole } from "../../infra/build/console/ensure.ts";
import { artifactFrom } from "../deployment/bundles.ts";
import { node } from "../runtimes/node.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { consolePages, openPage } from "./console/support/pages.ts";
import { request } from "./console/support/requests.ts";
import { fillWithSamples } from "./console/support/sample.ts";
import { openStage, type Stage, signedInAnew } from "./console/support/stage.ts";
import type { Visitor } from "./console/support/visitor.ts";

/**
 * `npm run screenshots [-- -all FOLDER]`: pages of the Console as they are, into `docs/screenshots`; with `-all`, every page
 * in every look into a folder.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).map((text) => text.replace(/^-all$/, "--all")),
  options: { all: { type: "string" } },
});

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light", viewport: { width: 1200, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 800 } },
  narrow: { colorScheme: "light", viewport: { width: 360, height: 740 } },
};

/** What `docs/console.md` and `docs/deployments.md` show. */
const SHOWN = [
  ...["overview-light", "api-client-light", "audit-dark", "api-clients-narrow"],
  ...["configuration-light", "edit-configuration-light"],
];

const folder = values.all ?? join(import.meta.dirname, "../../docs/screenshots");
await mkdir(folder, { recursive: true });
await ensureConsole(console.log);
/** A secret that stands in the document: it cannot be published. */
const IN_PLAIN = "unused within one process";
let configuration = "";
const stage = await openStage(publishing());
try {
  const owner = await signedInAnew(stage);
  const [client] = await fillWithSamples(stage.server, owner);
  await publishSamples(stage, owner);
  await owner.leave();
  for (const [look, options] of Object.entries(LOOKS)) {
    const visitor = await stage.owner(options);
    for (const page of consolePages(client?.clientId ?? "")) {
      const name = `${page.name}-${look}`;
      if (values.all === undefined && !SHOWN.includes(name)) continue;
      await openPage(visitor.page, stage.server.url, page);
      if (page.name === "edit-configuration") await visitor.page.getByText("Valid", { exact: true }).waitFor();
      const image = await visitor.page.screenshot({ fullPage: values.all !== undefined });
      await writeFile(join(folder, `${name}.png`), image);
      console.log(`${name}.png  ${Math.ceil(image.length / 1024)} KiB`);
    }
    await visitor.leave();
  }
} finally {
  await stage.stop();
}

/** Instances that sign what owners publish. */
function publishing(): RuntimeUnderTest {
  return {
    ...node,
    start: (options) => {
      configuration = options.configuration;
      const variables = {
        SVC_CONFIG_SOURCE: "store:",
        SVC_CONFIG_DEPLOYMENT: "production",
        SVC_CONFIG_SIGNING: "service",
      };
      return node.start({ ...options, variables: { ...options.variables, ...variables } });
    },
  };
}

/** The configuration that the instance came with, and two changes of it. */
async function publishSamples({ server }: Stage, owner: Visitor): Promise<void> {
  const { mcpProvider, ...document } = parse(configuration.replace(IN_PLAIN, "<countersign.id-secret>"));
  const revisions = [
    ["As it was in the file", { mcpProvider }],
    ["A name that people know", { mcpProvider: { ...mcpProvider, serverName: "Lending Library" } }],
    ["Limits for all agents", { mcpProvider, limits: [{ name: "everybody", per: "organization", rate: "100/m" }] }],
  ] as const;
  for (const [index, [reason, change]] of revisions.entries()) {
    const artifact = JSON.stringify(await artifactFrom(stringify({ ...document, ...change })));
    await request(server, owner, "POST", "/deployment/revisions", { artifact, revision: index + 1, reason });
  }
}
