import { describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import {
  DEPLOYMENT_BYTES,
  type DeploymentRecord,
  type DraftRecord,
  type InstanceRecord,
  MOST_INSTANCES,
  NO_DEPLOYMENT,
  PIECE_LENGTH,
  type ProposalRecord,
  type PublishedRevision,
  type ServiceKeyRecord,
} from "../../lib/stores/deployments.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { newOrganizationId } from "./records.ts";

/** What every implementation of `Deployments` does. */
export function deploymentsContract(engine: StoreEngine): void {
  describe(`deployments on ${engine.name}`, () => {
    const opened = openedStores(engine);
    const deployments = () => opened.stores.deployments;
    /** The engine may keep what other tests wrote. */
    const next = async (fields: Partial<DeploymentRecord> = {}): Promise<DeploymentRecord> => {
      const former = await deployments().readDeployment();
      return { ...former, ...fields, version: former.version + 1 };
    };

    test("81. what was published reads back as each change left it, with its events", async () => {
      const organizationId = newOrganizationId();
      for (const fields of [
        { highest: 3 },
        { published: [published(1), published(2)] },
        { published: [], highest: 4 },
      ]) {
        const record = await next(fields);
        const events = [event(organizationId), event(organizationId)];
        expect(await deployments().replaceDeployment(record, events)).toBe(true);
        expect(await deployments().readDeployment()).toEqual(record);
        const recorded = await recordedIn(opened.stores, { type: "config.published", organizationId }, 2);
        expect(recorded).toEqual(expect.arrayContaining(events.map(({ id }) => id)));
      }
    });

    test("81. the key of the instances, a draft and a proposal read back, and go", async () => {
      const record = await next({ serviceKey: SERVICE_KEY, draft: DRAFT, proposal: PROPOSAL });
      expect(await deployments().replaceDeployment(record, [])).toBe(true);
      expect(await deployments().readDeployment()).toEqual(record);
      const { draft: _, proposal: ___, ...rest } = record;
      const without = { ...rest, version: record.version + 1 };
      expect(await deployments().replaceDeployment(without, [])).toBe(true);
      expect(await deployments().readDeployment()).toEqual(without);
      const { serviceKey: __, ...last } = without;
      expect(await deployments().replaceDeployment({ ...last, version: without.version + 1 }, [])).toBe(true);
    });

    test("81. a record of another version than the next changes nothing and records nothing", async () => {
      const organizationId = newOrganizationId();
      const { version } = await next();
      const replace = (number: number) =>
        deployments().replaceDeployment({ ...NO_DEPLOYMENT, version: number }, [event(organizationId)]);
      for (const number of [version - 1, version + 1]) expect(await replace(number)).toBe(false);
      const counted = event(organizationId);
      expect(await deployments().replaceDeployment({ ...NO_DEPLOYMENT, version }, [counted])).toBe(true);
      for (const number of [version - 1, version, version + 2]) expect(await replace(number)).toBe(false);
      expect(await deployments().readDeployment()).toEqual({ ...NO_DEPLOYMENT, version });
      expect(await recordedIn(opened.stores, { type: "config.published", organizationId }, 1)).toEqual([counted.id]);
    });

    test("81. of 50 parallel writers of one version, of two processes, one counts, with its events", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const organizationId = newOrganizationId();
      const { version } = await next();
      const changes = Array.from({ length: 50 }, (_, number) => ({
        record: { version, highest: 1, published: [published(number + 1)] },
        events: [event(organizationId)],
      }));
      const results = await Promise.all(
        changes.map(({ record, events }, i) =>
          (processes[i % 2] as Stores).deployments.replaceDeployment(record, events),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = changes[results.indexOf(true)];
      for (const process of processes) expect(await process.deployments.readDeployment()).toEqual(winner?.record);
      const recorded = await recordedIn(opened.stores, { type: "config.published", organizationId }, 1);
      expect(recorded).toEqual(winner?.events.map(({ id }) => id));
    });

    test("81. the longest record and the longest piece have room; pieces are kept once, and dropped", async () => {
      const long = await next({
        serviceKey: SERVICE_KEY,
        ...{ draft: DRAFT, proposal: { ...PROPOSAL, reason: "ü".repeat(500) } },
        published: [{ ...published(1), reason: "ü".repeat((DEPLOYMENT_BYTES - 1_000) / 2) }],
      });
      expect(await deployments().replaceDeployment(long, [])).toBe(true);
      expect(await deployments().readDeployment()).toEqual(long);
      const bundle = sha256base64url(crypto.randomUUID());
      const pieces = [0, 1, 2].map((number) => ({ bundle, number, text: String(number).repeat(PIECE_LENGTH) }));
      for (const piece of [...pieces, ...pieces]) await deployments().keepPiece(piece);
      for (const piece of pieces) expect(await deployments().piece(bundle, piece.number)).toEqual(piece);
      expect(await deployments().piece(bundle, 3)).toBe(undefined);
      expect(await deployments().piece("another", 0)).toBe(undefined);
      await deployments().dropPieces(bundle, 2);
      await deployments().dropPieces(bundle, 2);
      const left = await Promise.all([0, 1, 2].map((number) => deployments().piece(bundle, number)));
      expect(left).toEqual([undefined, undefined, pieces[2]]);
      await deployments().dropPieces(bundle, 3);
    });

    test("81. instances say what they use, in the place of what they have said, until they are forgotten", async () => {
      const now = Date.now();
      const of = (id: string, fields: Partial<InstanceRecord> = {}): InstanceRecord => ({
        ...{ id: `${id}-${now}`, runtime: "node", revision: 3, since: now - 5, seenAt: now, expiresAt: now + 60_000 },
        ...fields,
      });
      const { revision: _, ...idle } = of("idle", { seenAt: now - 2, problem: "The bundle is no JWS ü." });
      const told = [
        of("one", { revision: 2 }),
        of("gone", { expiresAt: now + 10 }),
        idle,
        of("one", { seenAt: now + 1 }),
      ];
      for (const instance of [...told, ...told]) await deployments().tellInstance(instance);
      const shown = async (at: number) =>
        (await deployments().instances(at)).filter(({ id }) => id.endsWith(`-${now}`));
      expect(await shown(now)).toEqual([told[3], told[1], idle]);
      expect(await shown(now + 10)).toEqual([told[3], idle]);
      expect(await shown(now + 60_000)).toEqual([]);
      const many = Array.from({ length: MOST_INSTANCES + 5 }, (_, n) => of(`many ${n}`, { seenAt: now + 10 + n }));
      await Promise.all(many.map((instance) => deployments().tellInstance(instance)));
      const latest = await deployments().instances(now + 20);
      expect(latest.map(({ seenAt }) => seenAt)).toEqual(
        many
          .map(({ seenAt }) => seenAt)
          .slice(5)
          .reverse(),
      );
      await opened.reopen();
      expect(await deployments().instances(now + 20)).toEqual(latest);
    });

    test("81. what was published and its bundles survive a restart and what deletes the expired", async () => {
      const record = await next({ highest: 7, published: [published(7)] });
      const piece = { bundle: sha256base64url(crypto.randomUUID()), number: 0, text: "text" };
      await deployments().keepPiece(piece);
      expect(await deployments().replaceDeployment(record, [])).toBe(true);
      await opened.reopen();
      await opened.housekeep();
      expect(await deployments().readDeployment()).toEqual(record);
      expect(await deployments().piece(piece.bundle, 0)).toEqual(piece);
      expect(await deployments().replaceDeployment(record, [])).toBe(false);
    });
  });
}

const SERVICE_KEY: ServiceKeyRecord = {
  ...{ keyId: "k", sealedPrivateKey: "sealed" },
  publicKey: { kty: "EC", crv: "P-256", x: "x", y: "y" },
};
const DRAFT: DraftRecord = { version: 7, name: "draft-1", bytes: 1_000_000, basedOn: 3, savedAt: 5, savedBy: "ü" };
const PROPOSAL: ProposalRecord = {
  ...{ version: 8, name: "proposal-1", bytes: 3_000_000, revision: 4, digest: "d", reason: "because ü", rollbackOf: 2 },
  ...{ restart: true, proposedAt: 5, expiresAt: 9, proposedBy: "ü", by: "user_1" },
};

function published(revision: number): PublishedRevision {
  return {
    ...{ revision, digest: "d", bundle: "b", bytes: 10, publishedAt: 5, publishedBy: "ci ü", by: "user_1" },
    ...{ reason: "because", rollbackOf: 1, expiresAt: 9, approvedBy: "ü" },
  };
}

function event(organizationId: string) {
  return { ...credentialEvent("config.published"), organizationId };
}
