import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContextOptions } from "playwright-core";
import { ensureConsole } from "../../infra/build/console/ensure.ts";
import { consolePages, openPage } from "./console/support/pages.ts";
import { fillWithSamples } from "./console/support/sample.ts";
import { openStage } from "./console/support/stage.ts";

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

/** What `docs/console.md` shows. */
const SHOWN = ["overview-light", "api-client-light", "audit-dark", "api-clients-narrow"];

const folder = values.all ?? join(import.meta.dirname, "../../docs/screenshots");
await mkdir(folder, { recursive: true });
await ensureConsole(console.log);
const stage = await openStage();
try {
  const owner = await stage.owner();
  const [client] = await fillWithSamples(stage.server, owner);
  await owner.leave();
  for (const [look, options] of Object.entries(LOOKS)) {
    const visitor = await stage.owner(options);
    for (const page of consolePages(client?.clientId ?? "")) {
      const name = `${page.name}-${look}`;
      if (values.all === undefined && !SHOWN.includes(name)) continue;
      await openPage(visitor.page, stage.server.url, page);
      const image = await visitor.page.screenshot({ fullPage: values.all !== undefined });
      await writeFile(join(folder, `${name}.png`), image);
      console.log(`${name}.png  ${Math.ceil(image.length / 1024)} KiB`);
    }
    await visitor.leave();
  }
} finally {
  await stage.stop();
}
