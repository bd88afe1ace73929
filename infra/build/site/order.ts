/** A heading of the menu with the pages below it, as paths in the repository. */
export interface Section {
  readonly title: string;
  readonly pages: readonly string[];
}

/** Where decisions lie; their index is in the menu, and it lists them all. */
export const DECISIONS = "docs/decisions/";

/** Pages that are made of the OpenAPI document, below the folder of the other pages. */
export const API_REFERENCE = "docs/api-reference/";

/**
 * The order in which a newcomer reads: what it is, how to put something behind it, how to run it, and then what one looks up.
 * Each page of `docs/` stands here once; `npm run check` says which one does not.
 */
export const SECTIONS: readonly Section[] = [
  {
    title: "Start",
    pages: ["README.md", "docs/tutorials/github.md", "docs/tutorials/mcp-server.md", "docs/concepts.md"],
  },
  {
    title: "First steps",
    pages: ["docs/rest-apis.md", "docs/proxy.md", "docs/web-apps.md", "docs/agents.md"],
  },
  {
    title: "Use",
    pages: ["docs/policies.md", "docs/upstream-accounts.md", "docs/console.md", "docs/from-maverics.md"],
  },
  {
    title: "Deploy",
    pages: [
      "docs/operations/server.md",
      "docs/operations/container.md",
      "docs/deploy-cloudflare.md",
      "docs/deploy-aws.md",
      "docs/deployments.md",
      "docs/costs.md",
    ],
  },
  {
    title: "Operate",
    pages: [
      "docs/operations/README.md",
      "docs/operations/health.md",
      "docs/operations/logs.md",
      "docs/operations/telemetry.md",
      "docs/operations/keys.md",
      "docs/operations/secrets.md",
      "docs/operations/owners.md",
      "docs/operations/backup.md",
      "docs/operations/upgrade.md",
      "docs/operations/emergencies.md",
      "docs/operations/guarantees.md",
    ],
  },
  {
    title: "Reference",
    pages: ["docs/configuration.md", "docs/api.md", `${API_REFERENCE}README.md`, "docs/benchmarks.md"],
  },
  { title: "Trust", pages: ["SECURITY.md", "docs/security-checklist.md"] },
  {
    title: "Internals",
    pages: ["CONTRIBUTING.md", "docs/architecture.md", `${DECISIONS}README.md`, "docs/dependencies.md", "CHANGELOG.md"],
  },
];

/** What is wrong with the order, given all pages of the repository: pages that it lacks or has twice, and names of none. */
export function mistakesInOrder(paths: readonly string[], sections: readonly Section[] = SECTIONS): readonly string[] {
  const listed = sections.flatMap(({ pages }) => pages);
  const isExpected = (path: string) => path.startsWith("docs/") && !isReachedOtherwise(path);
  return [
    ...paths.filter((path) => isExpected(path) && !listed.includes(path)).map((path) => `${path} is not in the menu`),
    ...listed.filter((path, index) => listed.indexOf(path) !== index).map((path) => `${path} is in the menu twice`),
    ...listed
      .filter((path) => !path.startsWith(API_REFERENCE) && !paths.includes(path))
      .map((path) => `the menu names ${path}, which does not exist`),
  ];
}

/** The index of decisions and the overview of the API lead to these. */
export function isReachedOtherwise(path: string): boolean {
  return [DECISIONS, API_REFERENCE].some((folder) => path.startsWith(folder) && path !== `${folder}README.md`);
}
