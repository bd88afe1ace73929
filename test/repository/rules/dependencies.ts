import type { Finding, RepositoryFile } from "../files.ts";

const PAGE = "docs/dependencies.md";

/** Each direct dependency has a row in the page about dependencies, and each row a dependency. */
export function checkDependencies(files: readonly RepositoryFile[]): readonly Finding[] {
  const page = files.find((file) => file.path === PAGE);
  if (page === undefined) return [{ path: PAGE, message: "is missing." }];
  const described = new Set([...page.text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] as string));
  const used = new Set(files.filter((file) => file.path.endsWith("package.json")).flatMap(directDependencies));
  const missing = [...used].filter((name) => !described.has(name));
  const stale = [...described].filter((name) => !used.has(name));
  return [
    ...missing.map((name) => ({ path: PAGE, message: `has no row for ${name}.` })),
    ...stale.map((name) => ({ path: PAGE, message: `has a row for ${name}, which nothing depends on.` })),
  ];
}

function directDependencies({ text }: RepositoryFile): string[] {
  const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
  return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  );
}
