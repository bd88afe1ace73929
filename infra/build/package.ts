import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { consoleFolder } from "../node/console/folder.ts";
import { copyConsole } from "./console/copy.ts";
import { ensureConsole } from "./console/ensure.ts";
import { bundleNode } from "./node-bundle.ts";
import { componentsOf } from "./package/components.ts";
import { billOfMaterials, licenseList } from "./package/inventory.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PACKAGE = "dist/package";
const BILL = "sbom.cdx.json";
const LICENSES = "THIRD-PARTY-LICENSES.txt";

/**
 * `npm run build:package`: makes `dist/package/`, the folder that `npm pack` and `npm publish` take. It is complete: the bundle
 * for Node, the Console, and of all code of others in them a bill of materials and the licenses. It depends on no package.
 */
async function buildPackage(): Promise<void> {
  await ensureConsole(console.log);
  const consoleBuild = consoleFolder(process.env);
  const target = join(ROOT, PACKAGE);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const metafile = await bundleNode(`${PACKAGE}/node`);
  await copyConsole(consoleBuild, join(target, "console"));
  await cp(join(ROOT, "LICENSE"), join(target, "LICENSE"));
  await cp(join(ROOT, "infra/build/package/README.md"), join(target, "README.md"));

  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const components = await componentsOf(ROOT, metafile, consoleBuild);
  await writeFile(join(target, BILL), json(billOfMaterials(manifest, components)));
  await writeFile(join(target, LICENSES), licenseList(components));
  await writeFile(join(target, "package.json"), json(packageManifest(manifest)));
  console.log(`${PACKAGE}  ${manifest.name} ${manifest.version}, with code of ${components.length} packages`);
}

/** The repository's, without what only building and testing needs. */
function packageManifest({ name, version, description, license, type, engines }: Readonly<Record<string, unknown>>) {
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { countersign: "node/countersign.js" },
    files: ["node", "console", BILL, LICENSES],
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

await buildPackage();
