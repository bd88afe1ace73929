import { utf8 } from "../encoding.ts";
import type { AuditEvent as ShownAuditEvent } from "../management/schemas/audit-events.ts";
import type { AuditFilter, AuditLog } from "../stores/audit-log.ts";
import { CSV_HEADER, csvLine } from "./csv.ts";
import { representAuditEvent } from "./representation.ts";

export type ExportFormat = "application/jsonl" | "text/csv";

const PAGE = 200;

/**
 * Every matching record, newest first, as a stream that reads a page when its consumer wants more. The first page is
 * read before this resolves, so that a store which cannot be read is an error and no broken download.
 */
export async function exportAuditEvents(
  auditLog: AuditLog,
  filter: AuditFilter,
  format: ExportFormat,
  cursor?: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const line = format === "text/csv" ? csvLine : (event: ShownAuditEvent) => `${JSON.stringify(event)}\n`;
  const read = (from: string | undefined) =>
    auditLog.query(filter, { limit: PAGE, ...(from !== undefined && { cursor: from }) });
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
