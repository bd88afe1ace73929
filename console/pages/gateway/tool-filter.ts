import type { LeftOutOperation, Tool } from "../../../lib/management/schemas/tools.ts";
import type { GatewayFilters } from "./use-gateway-address.ts";

type Conditions = Pick<GatewayFilters, "text" | "app">;

export function isFiltered({ text, app }: Conditions): boolean {
  return text.trim() !== "" || app !== "";
}

/** Tools of the app in which every word of the text occurs somewhere. */
export function filterTools(tools: readonly Tool[], conditions: Conditions): readonly Tool[] {
  return filtered(tools, conditions, ({ name, app, title, description, method, path, scopes }) =>
    [name, app, title, description, `${method} ${path}`, ...scopes].join("\n"),
  );
}

export function filterLeftOut(
  operations: readonly LeftOutOperation[],
  conditions: Conditions,
): readonly LeftOutOperation[] {
  return filtered(operations, conditions, ({ app, operation, reason, detail }) =>
    [app, operation, reason, detail].join("\n"),
  );
}

function filtered<Row extends { readonly app: string }>(
  rows: readonly Row[],
  { text, app }: Conditions,
  textOf: (row: Row) => string,
): readonly Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && app === "") return rows;
  return rows.filter((row) => {
    if (app !== "" && row.app !== app) return false;
    const whole = textOf(row).toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
