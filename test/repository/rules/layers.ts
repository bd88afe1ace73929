import type { Finding, RepositoryFile } from "../files.ts";
import { circlesOf, importsOf } from "../imports.ts";

/** The folders of `lib/` by layer, lowest first. A folder imports lower layers, and its own as long as no circle comes of it. */
export const LAYERS: readonly (readonly string[])[] = [
  ["kernel", "logging", "net"],
  ["protocol"],
  ["openapi", "pages", "policy", "reverse-proxy", "search", "tool-rules"],
  ["config", "deployment", "health", "secrets", "stores", "telemetry"],
  ["limits", "upstream"],
  [
    "api-clients",
    "approvals",
    "audit",
    "authorization-server",
    "connections",
    "connectors",
    "directory",
    "email",
    "gateway",
    "pins",
    "signals",
    "stops",
    "webhooks",
  ],
  ["connecting", "web-apps"],
  ["console", "management", "mcp"],
  ["application"],
];

const PRODUCT = /^(?:lib|functions|infra|console|examples)\/.*\.tsx?$/;

/**
 * Imports of `lib/` point downward, every folder of it has a layer, and no files of the product form a circle. An import
 * of a type counts as one of a value does: it says as much about who knows whom.
 */
export function checkLayers(files: readonly RepositoryFile[]): readonly Finding[] {
  const sources = files.filter(({ path }) => PRODUCT.test(path));
  const imports = importsOf(sources);
  const between = imports.filter(({ from, to }) => isLib(from) && isLib(to) && folderOf(from) !== folderOf(to));
  const homeless = sources.filter(({ path }) => isLib(path) && layerOf(path) === -1);
  const upward = between.filter(({ from, to }) => layerOf(from) !== -1 && layerOf(to) > layerOf(from));
  const folders = between.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }));
  return [
    ...homeless.map(({ path }) => ({
      path,
      message: `lies in lib/${folderOf(path)}, which has no layer: name it in test/repository/rules/layers.ts.`,
    })),
    ...upward.map(({ from, to, line }) => ({
      ...{ path: from, line },
      message: `imports ${to}, which lies in a higher layer. Imports point downward, types included.`,
    })),
    ...circlesOf(imports).map(circleFinding),
    ...circlesOf(folders).map((circle) => circleFinding(circle.map((folder) => `lib/${folder}`))),
  ];
}

function circleFinding(circle: readonly string[]): Finding {
  return { path: circle[0] ?? "", message: `is in a circle of imports: ${circle.join(", ")}.` };
}

function isLib(path: string): boolean {
  return path.startsWith("lib/");
}

/** The folder right below `lib/`; of a file that lies in none, its name. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function layerOf(path: string): number {
  return LAYERS.findIndex((folders) => folders.includes(folderOf(path)));
}
