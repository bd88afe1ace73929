import type { ReadRecords } from "../audit/instance-access.ts";
import { utf8 } from "../kernel/encoding.ts";
import { ProblemError } from "../kernel/problem.ts";
import { pollUntil } from "../kernel/timers.ts";
import { representAuditEvent } from "./representations/audit-events.ts";
import type { AuditEvent as ShownAuditEvent } from "./schemas/audit-events.ts";

export type ExportStream = ReadableStream<Uint8Array<ArrayBuffer>>;
export type ExportFormat = "application/jsonl" | "text/csv";

const PAGE = 200;
/** How long an export waits for the one before it, milliseconds. */
const PATIENCE = 5_000;

/**
 * Every matching record, newest first, as a stream that reads a page when its consumer wants more. The first page is
 * read before this resolves, so that a store which cannot be read is an error and no broken download.
 */
export async function exportAuditEvents(
  records: ReadRecords,
  format: ExportFormat,
  cursor?: string,
): Promise<ExportStream> {
  const line = format === "text/csv" ? csvLine : (event: ShownAuditEvent) => `${JSON.stringify(event)}\n`;
  const read = (from: string | undefined) => records({ limit: PAGE, ...(from !== undefined && { cursor: from }) });
  /** A page may be empty and not the last; a pull that enqueues nothing would be the last one. */
  const nextPage = async (from: string | undefined) => {
    let found = await read(from);
    while (found.items.length === 0 && found.nextCursor !== undefined) found = await read(found.nextCursor);
    return found;
  };
  let page = await nextPage(cursor);
  let heading = format === "text/csv" ? CSV_HEADER : "";
  return new ReadableStream(
    {
      pull: async (controller) => {
        const text = heading + page.items.map((event) => line(representAuditEvent(event))).join("");
        heading = "";
        if (text !== "") controller.enqueue(utf8(text));
        if (page.nextCursor === undefined) return controller.close();
        page = await nextPage(page.nextCursor);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The exports that are in work in an instance: one of each principal (checklist 43). */
export interface Exports {
  /**
   * Begins an export when the principal's last one is over, for which it waits a while. An export is over when its last byte
   * is read, or nobody reads on.
   *
   * @throws ProblemError `too_many_requests`
   */
  one(principal: string, begin: () => Promise<ExportStream>, signal: AbortSignal): Promise<ExportStream>;
}

export function createExports(): Exports {
  const inWork = new Set<string>();
  return {
    one: async (principal, begin, signal) => {
      let isMine = false;
      const take = (): boolean => {
        if (!isMine && !inWork.has(principal)) {
          inWork.add(principal);
          isMine = true;
        }
        return isMine;
      };
      await pollUntil(() => signal.aborted || take(), PATIENCE);
      if (!isMine) {
        throw new ProblemError("too_many_requests", "Another export of yours is in work. Wait until it is over.");
      }
      const end = () => inWork.delete(principal);
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      try {
        return withEnd(await begin(), end);
      } catch (cause) {
        end();
        throw cause;
      }
    },
  };
}

function withEnd(stream: ExportStream, end: () => void): ExportStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (cause) {
          end();
          throw cause;
        }
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Columns of the CSV export (RFC 4180), in order. */
const COLUMNS = [
  "id",
  "time",
  "type",
  "outcome",
  "organizationId",
  "actor",
  "agent",
  "user",
  "actChain",
  "app",
  "tool",
  "reason",
  "durationMs",
  "requestId",
  "region",
  "configRevision",
  "argumentsDigest",
  "details",
  "count",
  "since",
  "names",
] as const satisfies readonly (keyof ShownAuditEvent)[];

/** Columns whose every value this product makes. */
const OURS: ReadonlySet<keyof ShownAuditEvent> = new Set([
  "id",
  "time",
  "type",
  "outcome",
  "organizationId",
  "durationMs",
  "requestId",
  "configRevision",
  "argumentsDigest",
  "count",
  "since",
] as const);

const CSV_HEADER = `${COLUMNS.join(",")}\r\n`;

/** One line of the export. Lists and objects are JSON texts. */
export function csvLine(event: ShownAuditEvent): string {
  return `${COLUMNS.map((column) => (OURS.has(column) ? verbatim : csvField)(event[column])).join(",")}\r\n`;
}

/**
 * A text that others may have chosen, always quoted: one that a spreadsheet would take for a formula gets an apostrophe
 * in front.
 */
export function csvField(value: unknown): string {
  if (value === undefined) return "";
  const text = textOf(value);
  const safe = /^[\s\p{Cc}]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/u.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return quoted(safe);
}

/** Ids, digests and words of ours, which are no formulas in effect and have to stay comparable. */
function verbatim(value: unknown): string {
  return value === undefined ? "" : quoted(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
