import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { published } from "../../../lib/audit/deployment-events.ts";
import {
  artifactOf,
  BUNDLE_BYTES,
  BundleError,
  type OpenedBundle,
  openBundle,
  type PublisherKeys,
  readPublisherKeys,
} from "../../../lib/deployment/bundle.ts";
import { bundleOf, keepPublication, latestRevision } from "../../../lib/deployment/records.ts";
import { type BundleSource, httpSource, NothingPublishedError } from "../../../lib/deployment/source.ts";
import { base64 } from "../../../lib/kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { fileSource, writeCache } from "../deployment.ts";
import { noAnswer, RefusedError, statusError, UnreachableError } from "../exit-codes.ts";
import type { CommandIo } from "../io.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { type StoreFlags, withEmbeddedStore } from "./embedded-store.ts";
import { operatorId } from "./operator.ts";

/** Where a bundle is put. */
export interface PublishingTarget {
  readonly name: string;
  /** The revision that is there now; 0: none. */
  latest(keys: PublisherKeys): Promise<number>;
  /** Whether an instance looks at what is put there, with what it has in use. Absent: the publisher has to. */
  readonly isJudging?: true;
  /**
   * An earlier publication.
   * @param isCompared nothing is published of it: one that the instances of the store have signed will do
   * @throws RefusedError when it is not kept there
   */
  former(revision: number, keys: PublisherKeys, isCompared?: true): Promise<OpenedBundle>;
  /** @throws RevisionTakenError when another publisher was faster, where the place can tell */
  put(bundle: OpenedBundle, options: PutOptions): Promise<void>;
}

export interface PutOptions {
  /** Also what running instances cannot take over: for the place that asks one of them. */
  readonly restart: boolean;
  /** Words of hazards that are meant: likewise. */
  readonly force: readonly string[];
}

/** `store:`, an http or https URL, or a file. */
export async function openTarget(to: string, flags: StoreFlags, io: CommandIo): Promise<PublishingTarget> {
  if (to === "store:") return storeTarget(flags, io);
  if (/^https?:\/\//.test(to) && URL.canParse(to)) {
    const url = new URL(to);
    return url.pathname === API ? apiTarget(url, io) : httpTarget(url, io);
  }
  const path = to.startsWith("file:") ? fileURLToPath(to) : isAbsolute(to) ? to : resolve(to);
  const source = fileSource(path);
  return { ...single(source), put: ({ bytes }) => writeCache(path, bytes) };
}

/** A place that has one bundle, the latest. */
function single(source: BundleSource): Omit<PublishingTarget, "put"> {
  const there = async (keys: PublisherKeys): Promise<OpenedBundle | undefined> => {
    try {
      const found = await source.read(undefined, undefined);
      return found && (await opened(found.bytes, keys));
    } catch (error) {
      if (error instanceof NothingPublishedError) return undefined;
      if (error instanceof BundleError)
        throw new RefusedError(`What is at ${source.name} ${error.message}. Name its key with -keys, or another -to.`);
      throw new UnreachableError(error instanceof Error ? `${error.message}.` : String(error));
    }
  };
  return {
    name: source.name,
    latest: async (keys) => (await there(keys))?.publication.revision ?? 0,
    former: async (revision, keys) => {
      const bundle = await there(keys);
      if (bundle?.publication.revision === revision) return bundle;
      throw new RefusedError(`Revision ${revision} is not kept at ${source.name}, which has the latest alone.`);
    },
  };
}

/** The bundle's own place: read with GET, written with PUT, and only over what was read (RFC 9110 §13.1.1). */
function httpTarget(url: URL, { environment }: CommandIo): PublishingTarget {
  const fetch = outboundFetch(environment);
  const token = environment.SVC_CONFIG_TOKEN || undefined;
  let tag: string | undefined;
  const source = httpSource(url, fetch, { token, limit: BUNDLE_BYTES });
  const watched: BundleSource = {
    name: source.name,
    read: async (...known) => {
      const found = await source.read(...known);
      tag = found?.tag;
      return found;
    },
  };
  return {
    ...single(watched),
    put: async ({ bytes }) => {
      const address = new URL(url);
      const authorization = token === undefined ? basic(address) : `Bearer ${token}`;
      [address.username, address.password] = ["", ""];
      const sent = fetch(address, {
        method: "PUT",
        body: bytes,
        redirect: "manual",
        headers: {
          "Content-Type": "application/gzip",
          ...(authorization !== undefined && { Authorization: authorization }),
          ...(tag === undefined ? { "If-None-Match": "*" } : { "If-Match": tag }),
        },
      });
      const response = await answerOf(sent, source.name);
      await response.body?.cancel();
      if (response.status === 412)
        throw new RefusedError(`Somebody else has published to ${source.name} meanwhile. Try again.`);
      if (!response.ok) throw statusError(response.status, `${source.name} answered with status ${response.status}.`);
    },
  };
}

/** @throws UnreachableError where there is none */
function answerOf(sent: Promise<Response>, from: string): Promise<Response> {
  return sent.catch((error: unknown) => {
    throw noAnswer(from, error);
  });
}

function basic({ username, password }: URL): string | undefined {
  return username === ""
    ? undefined
    : `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
}

/** Of the management API. */
const API = "/api/v1/deployment";

/** The management API of an instance whose source is its store. */
function apiTarget(url: URL, { environment }: CommandIo): PublishingTarget {
  const fetch = outboundFetch(environment);
  const token = environment.SVC_CONFIG_TOKEN ?? "";
  if (token === "")
    throw new UsageError(
      "SVC_CONFIG_TOKEN is not set: the management API wants an access token with deployments:publish.",
    );
  const ask = async (path: string, body?: object): Promise<JsonObject> => {
    const sent = fetch(new URL(API + path, url), {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await answerOf(sent, url.origin);
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok && isJsonObject(answer)) return answer;
    const detail = isJsonObject(answer) && typeof answer.detail === "string" ? ` ${answer.detail}` : "";
    throw statusError(response.status, `${url.origin} answered with status ${response.status}.${detail}`);
  };
  return {
    name: url.origin + API,
    isJudging: true,
    latest: async () => {
      const [{ highest }, { items }] = [await ask(""), await ask("/revisions")];
      const revisions = (Array.isArray(items) ? items : []).map((one) => Number(one.revision));
      return Math.max(Number(highest), ...revisions);
    },
    former: (revision) => {
      throw new RefusedError(
        `Revision ${revision} cannot be fetched there: publish the file that it was made of again.`,
      );
    },
    put: async ({ bytes }, { restart, force }) => {
      await ask("/revisions", {
        bundle: base64(bytes),
        ...(restart && { restart }),
        ...(force.length > 0 && { force }),
      });
    },
  };
}

/** The embedded store of this machine, also while a server runs on it. */
function storeTarget(flags: StoreFlags, io: CommandIo): PublishingTarget {
  const inStore = <T>(work: (dependencies: Dependencies) => Promise<T>): Promise<T> =>
    withEmbeddedStore(flags, io, work);
  return {
    name: "store:",
    latest: () => inStore(async ({ stores }) => latestRevision(await stores.deployments.readDeployment())),
    former: (revision, keys, isCompared) =>
      inStore(async ({ stores: { deployments } }) => {
        const { published: all, serviceKey } = await deployments.readDeployment();
        const record = all.find((one) => one.revision === revision);
        const ofInstances =
          isCompared && serviceKey !== undefined ? await readPublisherKeys(JSON.stringify(serviceKey.publicKey)) : [];
        if (record === undefined) throw new RefusedError(`Revision ${revision} is not in the store.`);
        return opened(await bundleOf(deployments, record), new Map([...keys, ...ofInstances])).catch(
          (error: unknown) => {
            if (!(error instanceof BundleError)) throw error;
            throw new RefusedError(`Revision ${revision} in the store ${error.message}. Name its key with -keys.`);
          },
        );
      }),
    put: (bundle) =>
      inStore((dependencies) =>
        keepPublication(dependencies.stores.deployments, bundle, {
          by: operatorId(),
          events: [published(dependencies, bundle.publication, { actor: operatorId() })],
        }).catch((error: unknown) => {
          if (error instanceof BundleError) throw new RefusedError(`The bundle ${error.message}.`);
          throw error;
        }),
      ),
  };
}

async function opened(bytes: Uint8Array<ArrayBuffer>, keys: PublisherKeys): Promise<OpenedBundle> {
  const publication = await openBundle(bytes, keys);
  return { publication, artifact: artifactOf(publication), bytes };
}
