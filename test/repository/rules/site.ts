import { mistakesInOrder } from "../../../infra/build/site/order.ts";
import type { Finding, RepositoryFile } from "../files.ts";

const ORDER = "infra/build/site/order.ts";

/** The menu of the documentation site has every page of `docs/`, and no page that does not exist. */
export function checkSite(files: readonly RepositoryFile[]): readonly Finding[] {
  const pages = files.map(({ path }) => path).filter((path) => path.endsWith(".md"));
  return mistakesInOrder(pages).map((message) => ({ path: ORDER, message: `${message}.` }));
}
