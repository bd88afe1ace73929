import type { Finding, RepositoryFile } from "../files.ts";

/** Lockfiles name versions and hashes, never the host a package came from; manifests name exact versions (checklist 36). */
export function checkLockfiles(files: readonly RepositoryFile[]): readonly Finding[] {
  return files.flatMap((file) => {
    if (file.path.endsWith("package-lock.json")) return checkLockfile(file);
    return file.path.endsWith("package.json") ? checkManifest(file) : [];
  });
}

/** Checklist 36 is about what is installed here; a hash can be missing only where Linux with glibc never installs. */
function isForOtherSystems({ optional, os, libc }: LockedPackage): boolean {
  return optional === true && (os?.includes("linux") === false || libc?.includes("glibc") === false);
}

/**
 * Packages that would run a script when they are installed, and why nothing is missing when it does not run (checklist 36).
 * A further one has to be looked at before it is listed here.
 */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  esbuild: "puts the program of its platform package where its own wrapper would call it; we use its JavaScript",
  workerd: "likewise, and wrangler starts the program of the platform package",
  "es5-ext": "prints a message",
  protobufjs: "warns of versions that do not fit",
  tldjs: "fetches newer rules where a variable asks for it; what its server opens tunnels for is not used",
  "@modelcontextprotocol/inspector": "installs the parts of its own source tree; ends at once where it is a dependency",
  "aws-lambda-ric": "compiles the native runtime client: needed, and therefore in a folder that nothing else installs",
};

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
}

function checkLockfile({ path, text }: RepositoryFile): Finding[] {
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, LockedPackage> };
  const absent = Object.values(packages)
    .flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}))
    .filter((name) => !Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`)))
    .map((name) => ({ path, message: `${name} is optional but not locked: npm ci refuses such a lockfile.` }));
  const faulty = Object.entries(packages).flatMap(([name, locked]) => {
    if (name === "" || locked.link === true) return [];
    const faults: string[] = [];
    if (locked.resolved !== undefined) faults.push("carries the address it was downloaded from");
    if (locked.integrity === undefined && locked.inBundle !== true && !isForOtherSystems(locked)) {
      faults.push("has no integrity hash");
    }
    if (locked.hasInstallScript === true && INSTALL_SCRIPTS[packageName(name)] === undefined) {
      faults.push("runs a script when it is installed, which nobody has looked at");
    }
    return faults.map((fault) => ({ path, message: `${name} ${fault}.` }));
  });
  return [...absent, ...faulty];
}

/** Of a key such as `node_modules/a/node_modules/@scope/b`. */
function packageName(key: string): string {
  return key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
}

function checkManifest({ path, text }: RepositoryFile): Finding[] {
  const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  const versions = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
  return versions
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => ({ path, message: `${name} is asked for as "${version}", not as one exact version.` }));
}
