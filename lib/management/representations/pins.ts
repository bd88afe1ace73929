import { jsonWithUnseenEscaped } from "../../kernel/plain-name.ts";
import { type AppPins as AppPinsRecord, type HeldTool as Held, latestFirst } from "../../pins/decide-pins.ts";
import type { HeldVersion, PinnedTool } from "../../stores/pins.ts";
import type { AppPins, HeldTool } from "../schemas/pins.ts";

/** The pins of an app as the management API and the command line show them. */
export function representAppPins({ app, record }: AppPinsRecord): AppPins {
  return {
    app: app.name,
    first: app.pins?.first ?? "trust",
    ...(record.firstAt !== undefined && { firstAt: iso(record.firstAt) }),
    tools: record.tools.filter(({ approved }) => approved.length > 0).length,
    held: record.tools.flatMap((pinned) => pinned.held.map((version) => representVersion(pinned, version))),
  };
}

export function representHeldTool({ app, pinned, version, texts }: Held): HeldTool {
  return {
    app,
    ...representVersion(pinned, version),
    ...definitionOf(texts.get(version.digest)),
    approved: latestFirst(pinned).map(({ digest, at, by }) => ({
      digest,
      at: iso(at),
      ...(by !== undefined && { by }),
      ...definitionOf(texts.get(digest)),
    })),
  };
}

function representVersion({ tool, approved }: PinnedTool, { digest, at, refused }: HeldVersion) {
  return {
    tool,
    digest,
    at: iso(at),
    why: approved.length === 0 ? ("new" as const) : ("changed" as const),
    ...(refused !== undefined && { refused: { at: iso(refused.at), by: refused.by } }),
  };
}

function definitionOf(text: string | undefined): { readonly definition?: string } {
  if (text === undefined) return {};
  return { definition: jsonWithUnseenEscaped(JSON.stringify(JSON.parse(text), null, 2)) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
