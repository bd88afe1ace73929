import { createPublicKey } from "node:crypto";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { formatMessage } from "../../../lib/config/messages.ts";
import { pathText, valueAt } from "../../../lib/config/path.ts";
import { checkAhead } from "../../../lib/config/resolve.ts";
import {
  artifactOf,
  BundleError,
  type Publication,
  type PublisherKeys,
  publicationOf,
  readPublisherKeys,
  signBundle,
} from "../../../lib/deployment/bundle.ts";
import { GuardedError, hazardsOf, mustBeMeant } from "../../../lib/deployment/guards.ts";
import { RevisionTakenError } from "../../../lib/deployment/records.ts";
import { configurationFile } from "../configuration-file.ts";
import { RefusedError } from "../exit-codes.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { UsageError } from "../usage-error.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";
import { openTarget, type PublishingTarget } from "./publishing-target.ts";
import { readKey } from "./read-key.ts";
import { readSigningKey } from "./token.ts";

const FLAGS = {
  ...STORE_FLAGS,
  ...({ deployment: "string", key: "string", keys: "string", to: "string", reason: "string", by: "string" } as const),
  ...({ revision: "string", rollbackTo: "string", region: "string", expires: "string" } as const),
  ...({ minimumVersion: "string", force: "string", dryRun: "boolean", restart: "boolean" } as const),
};

/** `countersign publish`: compiles and signs a configuration and puts the bundle where instances look for it. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  const { deployment = "", key = "", to = "" } = flags;
  if (deployment === "" || key === "" || to === "") throw new UsageError("-deployment, -key and -to are required.");
  const signer = await readSigningKey(await readKey(key));
  const keys = await knownKeys(signer, flags.keys);
  const target = await openTarget(to, flags, io);
  const latest = await target.latest(keys);
  const revision = flags.revision === undefined ? latest + 1 : wholeNumber("revision", flags.revision);
  if (revision <= latest) throw new RefusedError(new RevisionTakenError(latest).message);
  const about = {
    ...{ deployment, revision, publishedAt: new Date().toISOString(), publishedBy: flags.by ?? operatorId() },
    reason: flags.reason,
    minimumVersion: flags.minimumVersion,
    ...(flags.expires !== undefined && { expiresAt: flags.expires }),
  };
  const publication =
    flags.rollbackTo === undefined
      ? await compiled(flags, io, about)
      : await rolledBack(target, keys, wholeNumber("rollbackTo", flags.rollbackTo), about);
  const force = (flags.force ?? "").split(",").filter((word) => word !== "");
  if (target.isJudging !== true && latest > 0)
    guarded(artifactOf(publication), (await target.former(latest, keys, true)).artifact, force);
  const bundle = await signed(publication, signer);
  const bytes = new Uint8Array(gzipSync(bundle));
  if (flags.dryRun !== true)
    await put(
      target,
      { publication, artifact: artifactOf(publication), bytes },
      { restart: flags.restart === true, force },
    );
  const { digest, region, rollbackOf } = publication;
  io.stdout(
    `${JSON.stringify({ deployment, region, revision, rollbackOf, digest, bytes: bytes.length, to: target.name, ...(flags.dryRun === true && { dryRun: true }) })}\n`,
  );
  return 0;
}

type Flags = ReturnType<typeof parseFlags<typeof FLAGS>>;
type About = Omit<Publication, "artifact" | "digest" | "region">;
type Signer = Awaited<ReturnType<typeof readSigningKey>>;

async function compiled(flags: Flags, io: CommandIo, about: About): Promise<Publication> {
  const file = configurationFile(flags.config, io.environment);
  const artifact = await loadConfiguration(file);
  for (const warning of await checkAhead(artifact, "node")) io.stderr(`${formatMessage(warning)} (warning)\n`);
  const region = flags.region ?? regionOf(artifact);
  return publicationOf({ ...artifact, source: basename(file) }, { ...about, region });
}

/** @throws RefusedError when it takes something away that its publisher did not name */
function guarded(next: ConfigurationArtifact, former: ConfigurationArtifact, force: readonly string[]): void {
  try {
    mustBeMeant(hazardsOf(former.document, next.document), force);
  } catch (error) {
    if (error instanceof GuardedError) throw new RefusedError(`The bundle ${error.message}.`);
    throw error;
  }
}

/** An earlier publication again, under a number of its own. */
async function rolledBack(
  target: PublishingTarget,
  keys: PublisherKeys,
  revision: number,
  about: About,
): Promise<Publication> {
  const { publication } = await target.former(revision, keys);
  const { region, artifact, digest } = publication;
  return { ...about, region, artifact, digest, rollbackOf: revision };
}

async function signed(publication: Publication, { key, fingerprint }: Signer): Promise<string> {
  try {
    return await signBundle(publication, key, fingerprint);
  } catch (error) {
    if (error instanceof BundleError) throw new UsageError(`The bundle ${error.message}.`);
    throw error;
  }
}

async function put(target: PublishingTarget, ...given: Parameters<PublishingTarget["put"]>): Promise<void> {
  try {
    await target.put(...given);
  } catch (error) {
    if (error instanceof RevisionTakenError) throw new RefusedError(`Somebody else has published: ${error.message}`);
    throw error;
  }
}

/** Of the region: it decides where the bundle counts, so that it has to be known now. */
function regionOf({ document, placeholders }: ConfigurationArtifact): string | undefined {
  const path = ["oidcProvider", "region"];
  if (placeholders.some((placeholder) => pathText(placeholder.path) === pathText(path)))
    throw new UsageError("oidcProvider.region is filled in when an instance starts: name it with -region.");
  const region = valueAt(document, path);
  return typeof region === "string" ? region : undefined;
}

/** Of the bundles that are there already: the own key, and those of others. */
async function knownKeys({ key }: Signer, file: string | undefined): Promise<PublisherKeys> {
  const own = createPublicKey(key).export({ type: "spki", format: "pem" });
  const others = file === undefined ? new Map() : await keysIn(file);
  return new Map([...(await readPublisherKeys(String(own))), ...others]);
}

/** @throws UsageError when the file holds none */
export async function keysIn(file: string): Promise<PublisherKeys> {
  try {
    return await readPublisherKeys(await readKey(file));
  } catch (error) {
    if (error instanceof BundleError) throw new UsageError(`${file} ${error.message}.`);
    throw error;
  }
}

function wholeNumber(flag: string, value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new UsageError(`-${flag}: found ${JSON.stringify(value.slice(0, 50))}; accepted: a whole number from 1 on.`);
}
