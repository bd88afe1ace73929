import type { Page } from "playwright-core";
import { parse } from "yaml";
import { ensureConsole } from "../infra/build/console/ensure.ts";
import { stubDeployment } from "../test/browser/console/support/deployment-stub.ts";
import { loaded } from "../test/browser/console/support/pages.ts";
import { heading, openStage, type Stage } from "../test/browser/console/support/stage.ts";
import type { Finding } from "./support/finding.ts";
import { gitHubDocumentFile, readGitHubDocument } from "./support/openapi-document.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";

const RUNS = 3;
/** Milliseconds. */
const LIMIT = 6_000;

const CONFIGURATION = `version: v1
http:
  address: 127.0.0.1:8080
  publicURL: https://us.example.com
console:
  enabled: true
mcpProvider:
  enabled: true
apps:
  - name: github
    type: mcpBridge
    openapi:
      spec:
        uri: file://github.json
`;

/** GitHub's OpenAPI document (13 MB) in the Console's editor: from the choice of the file until the configuration is known to be valid. */
export async function benchEditor(_: BenchOptions): Promise<readonly Finding[]> {
  const text = readGitHubDocument();
  if (text === undefined) {
    console.log(
      `\neditor: skipped, there is no ${gitHubDocumentFile()}; COUNTERSIGN_OPENAPI_DOCUMENTS names its folder`,
    );
    return [];
  }
  await ensureConsole(console.log);
  const stage = await openStage();
  try {
    const took: number[] = [];
    for (let run = 0; run < RUNS; run++) took.push(await checked(stage, Buffer.from(text)));
    return [
      {
        what: "GitHub's document in the Console's editor, from the choice of the file until it is checked",
        ...{ measured: milliseconds(median(took), 0), against: `${milliseconds(Math.max(...took), 0)} at most` },
        ...{ target: `≤ ${LIMIT} ms`, met: Math.max(...took) <= LIMIT },
      },
    ];
  } finally {
    await stage.stop();
  }
}

async function checked(stage: Stage, buffer: Buffer): Promise<number> {
  const owner = await stage.owner({ viewport: { width: 1200, height: 900 } });
  const { page } = owner;
  const stub = await stubDeployment(page, parse(CONFIGURATION));
  stub.draft = { text: CONFIGURATION, version: 1 };
  await page.goto(`${stage.server.url}/console/gateway/configuration/edit`);
  await heading(page, "Edit configuration").waitFor();
  await loaded(page);
  await page.getByRole("list", { name: "Documents" }).getByText("Missing").waitFor();
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "github.json", mimeType: "application/json", buffer });
  const chosenAt = performance.now();
  await isValid(page);
  const took = performance.now() - chosenAt;
  await owner.leave();
  return took;
}

async function isValid(page: Page): Promise<void> {
  await page.getByText("Valid", { exact: true }).waitFor({ timeout: 60_000 });
}
