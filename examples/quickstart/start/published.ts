import { operatorId } from "../../../infra/node/commands/operator.ts";
import { type NodeDeployment, nodeDeployment } from "../../../infra/node/deployment.ts";
import { openEmbeddedStore } from "../../../infra/node/sqlite/embedded-store.ts";
import { signingKeySecret } from "../../../infra/node/store-folder/secret-files.ts";
import { published } from "../../../lib/audit/deployment-events.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { publicationOf, signBundle } from "../../../lib/deployment/bundle.ts";
import { keepPublication, latestRevision, storeSource } from "../../../lib/deployment/records.ts";
import { withServiceKey } from "../../../lib/deployment/service-key.ts";
import type { DeploymentSettings } from "../../../lib/deployment/settings.ts";
import { DeploymentError } from "../../../lib/deployment/source.ts";
import { startPublished } from "../../../lib/deployment/starting.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { utf8 } from "../../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { VERSION } from "../../../lib/kernel/version.ts";
import type { DeploymentRecord, Deployments } from "../../../lib/stores/deployments.ts";
import { atThisStart } from "./published-ports.ts";

/** The configuration that a start serves. */
export interface Served {
  readonly artifact: ConfigurationArtifact;
  readonly configuration: Configuration;
  /** Absent: nothing was published, and the example is served as it is. */
  readonly revision?: number;
  /** What whoever starts it should know, in one line. */
  readonly note?: string;
}

/** A configuration, resolved. @throws ConfigurationError */
export type Resolve = (artifact: ConfigurationArtifact) => Promise<Configuration>;

/** Owners edit and publish the configuration in the Console, and the instance signs it. */
export async function quickstartDeployment(): Promise<NodeDeployment> {
  const deployment = await nodeDeployment({
    SVC_CONFIG_SOURCE: "store:",
    SVC_CONFIG_SIGNING: "service",
    SVC_CONFIG_DEPLOYMENT: "quickstart",
  });
  if (deployment === undefined) throw new Error("Nothing says where the configuration is published.");
  return deployment;
}

/**
 * What was published in the Console, for the ports of this start (D269). What was published for others is published for these under
 * the next number, as no instance goes back behind what was in use. So is the example, where nothing of what was published can be used.
 *
 * @param own the example, for this start
 */
export async function servedConfiguration(
  own: Served,
  { settings }: NodeDeployment,
  resolve: Resolve,
): Promise<Served> {
  const { stores, close } = openEmbeddedStore(own.configuration.store.path, systemClock);
  try {
    const { deployments } = stores;
    const record = await deployments.readDeployment();
    if (latestRevision(record) === 0) return own;
    const secret = signingKeySecret(own.configuration, webCryptoRandom)();
    const withKey = await withServiceKey(settings, secret, { deployments, random: webCryptoRandom });
    const found = await latestUsable(own, { settings: withKey, deployments, record, resolve });
    const { revision, reason, note, ...served } = found;
    if (reason === undefined) return { ...served, revision };
    await publish(served, { settings: withKey, deployments, revision, reason });
    return { ...served, revision, ...(note !== undefined && { note }) };
  } finally {
    await close();
  }
}

interface Found extends Served {
  /** Under which number it is published. */
  readonly revision: number;
  /** Why it is to be published; absent: it is published already. */
  readonly reason?: string;
}

interface Place {
  readonly settings: DeploymentSettings;
  readonly deployments: Deployments;
  readonly record: DeploymentRecord;
  readonly resolve: Resolve;
}

async function latestUsable(own: Served, { settings, deployments, record, resolve }: Place): Promise<Found> {
  const next = latestRevision(record) + 1;
  const terms = { version: VERSION, now: systemClock.now(), record };
  const source = storeSource(deployments);
  try {
    const { used, bundle } = await startPublished({ ...settings, fallback: false }, { source }, terms, async (one) => {
      const artifact = one === undefined ? own.artifact : atThisStart(one.artifact, own.artifact);
      return { artifact, configuration: await resolve(artifact), isSame: artifact === one?.artifact };
    });
    const { isSame, ...served } = used;
    const revision = bundle?.publication.revision ?? 0;
    if (isSame) return { ...served, revision };
    const reason = `Revision ${revision} for the ports of this start`;
    const note = `The configuration that was published in the Console (revision ${revision}) is for other ports: it is published for these as revision ${next}.`;
    return { ...served, revision: next, reason, note };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    const note = `The configuration that was published in the Console cannot be used: the quickstart's own is published as revision ${next}. ${error.message}`;
    return { ...own, revision: next, reason: "The quickstart's own: what was published could not be used", note };
  }
}

interface ToPublish {
  readonly settings: DeploymentSettings;
  readonly deployments: Deployments;
  readonly revision: number;
  readonly reason: string;
}

async function publish(
  { artifact, configuration }: Served,
  { settings: { deployment, signer }, deployments, revision, reason }: ToPublish,
): Promise<void> {
  if (signer === undefined) throw new Error("The instance has no key to sign with.");
  const publication = await publicationOf(artifact, {
    ...{ deployment, revision, reason, region: configuration.oidcProvider?.region, publishedBy: "npm start" },
    publishedAt: new Date(systemClock.now()).toISOString(),
  });
  const bytes = utf8(await signBundle(publication, signer.key, signer.kid));
  const by = operatorId();
  const ports = { clock: systemClock, random: webCryptoRandom, configuration: () => ({ configuration, revision: 1 }) };
  const event = published(ports, publication, { actor: by });
  await keepPublication(deployments, { publication, bytes }, { by, events: [event] });
}
