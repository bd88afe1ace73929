import type { Clock } from "../kernel/clock.ts";
import { base64url, utf8 } from "../kernel/encoding.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Random } from "../kernel/random.ts";
import type { DeploymentRecord, DraftRecord } from "../stores/deployments.ts";
import { type DeploymentPorts, followedOf } from "./administration.ts";
import { joinedPieces, pieceCount, piecesOf } from "./pieces.ts";
import { change } from "./records.ts";

export interface DraftPorts extends DeploymentPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** A configuration that somebody is about to publish. */
export interface Draft extends Omit<DraftRecord, "name" | "bytes"> {
  readonly text: string;
}

/** Bytes of a draft as UTF-8. */
export const DRAFT_BYTES = 1_000_000;
/** Others may replace a draft while it is read; each time one of them has succeeded. */
const ATTEMPTS = 10;

/** The draft of the deployment, of which there is one. @throws ProblemError `not_found` */
export async function readDraft(ports: DraftPorts): Promise<Draft> {
  followedOf(ports);
  const { deployments } = ports.stores;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { draft } = await deployments.readDeployment();
    if (draft === undefined) throw new ProblemError("not_found", "There is no draft.");
    const bytes = await joinedPieces(deployments, draft.name, draft.bytes);
    if (bytes !== undefined) return shown(draft, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  }
  throw new Error("the draft is not whole in the store");
}

/**
 * Keeps a draft in the place of the one that its author has read.
 *
 * @param input `{text, basedOn}`
 * @param expected version of the one that is there; undefined: there is none
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`; `conflict` when there is one, `stale` when it is another
 */
export async function saveDraft(
  ports: DraftPorts,
  savedBy: string,
  input: unknown,
  expected: number | undefined,
): Promise<Draft> {
  followedOf(ports);
  const { deployments } = ports.stores;
  const { text, bytes, basedOn } = readInput(input);
  mustBe(await deployments.readDeployment(), expected);
  // No two drafts share a piece, so that dropping one takes nothing of another.
  const name = `draft-${base64url(ports.random.bytes(16))}`;
  await Promise.all(piecesOf(name, bytes).map(deployments.keepPiece));
  const about = {
    name,
    bytes: bytes.length,
    savedAt: ports.clock.now(),
    savedBy,
    ...(basedOn !== undefined && { basedOn }),
  };
  const saved = await change(deployments, [], (record) => {
    mustBe(record, expected);
    return { ...record, draft: { ...about, version: record.version + 1 } };
  }).catch(async (error: unknown) => {
    // Of any other failure nobody knows whether it was kept.
    if (error instanceof ProblemError) await drop(ports, about);
    throw error;
  });
  if (saved?.former.draft !== undefined) await drop(ports, saved.former.draft);
  return shown({ ...about, version: saved?.record.version ?? 0 }, text);
}

/**
 * @param expected version of the one that is there; undefined: whichever it is
 * @throws ProblemError `not_found`, `stale`
 */
export async function dropDraft(ports: DraftPorts, expected: number | undefined): Promise<void> {
  followedOf(ports);
  const dropped = await change(ports.stores.deployments, [], ({ draft, ...record }) => {
    if (draft === undefined) throw new ProblemError("not_found", "There is no draft.");
    if (expected !== undefined && expected !== draft.version) throw stale();
    return record;
  });
  if (dropped?.former.draft !== undefined) await drop(ports, dropped.former.draft);
}

function mustBe({ draft }: DeploymentRecord, expected: number | undefined): void {
  if (draft?.version === expected) return;
  if (expected !== undefined) throw stale();
  throw new ProblemError("conflict", `There is a draft of ${draft?.savedBy}: read it first.`);
}

function stale(): ProblemError {
  return new ProblemError("stale", "Somebody else has saved or dropped the draft meanwhile: read it again.");
}

async function drop({ stores }: DraftPorts, { name, bytes }: Pick<DraftRecord, "name" | "bytes">): Promise<void> {
  await stores.deployments.dropPieces(name, pieceCount(bytes));
}

function shown({ name: _, bytes: __, ...draft }: DraftRecord, text: string): Draft {
  return { text, ...draft };
}

function readInput(input: unknown): { readonly text: string; readonly bytes: Uint8Array; readonly basedOn?: number } {
  const fields = readFields(input ?? {}, ["text", "basedOn"]);
  const { text = "", basedOn } = fields.object;
  const isText = typeof text === "string" && text !== "" && text.isWellFormed();
  const bytes = utf8(isText ? text : "");
  if (!isText || bytes.length > DRAFT_BYTES) fields.refuse("/text", `must be a text of at most ${DRAFT_BYTES} bytes`);
  const isRevision = basedOn === undefined || (Number.isSafeInteger(basedOn) && Number(basedOn) >= 1);
  if (!isRevision) fields.refuse("/basedOn", "must be a revision: a whole number from 1 on");
  fields.finish();
  return { text: String(text), bytes, ...(basedOn !== undefined && { basedOn: Number(basedOn) }) };
}
