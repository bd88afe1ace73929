import type { ApiClientRecord, ApiClients } from "../stores/api-clients.ts";
import type { Page, PageRequest } from "../stores/paging.ts";

/** How many pages of the list one search reads. The next search continues with `nextCursor`. */
const PAGES = 10;
const PAGE_SIZE = 200;

/**
 * The API clients of an organization that have a text in their name, description or id, in whatever case, oldest first.
 * No store finds texts: this reads the list. A page may have fewer than `limit`, even none, and still a next one.
 */
export async function searchApiClients(
  apiClients: Pick<ApiClients, "list">,
  organizationId: string,
  text: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ApiClientRecord>> {
  const matches = matcherOf(text);
  const read = (size: number, from: string | undefined) =>
    apiClients.list(organizationId, { limit: size, ...(from !== undefined && { cursor: from }) });
  const found: ApiClientRecord[] = [];
  let position = cursor;
  for (let pages = 0; pages < PAGES; pages++) {
    const page = await read(PAGE_SIZE, position);
    const here = page.items.filter(matches);
    const lastToFit = here[limit - found.length - 1];
    if (lastToFit !== undefined) {
      // Reads the same page again, up to the last match. Its cursor continues after that.
      const part = await read(page.items.indexOf(lastToFit) + 1, position);
      return { ...part, items: [...found, ...part.items.filter(matches)] };
    }
    found.push(...here);
    position = page.nextCursor;
    if (position === undefined) return { items: found };
  }
  return { items: found, ...(position !== undefined && { nextCursor: position }) };
}

function matcherOf(text: string): (record: ApiClientRecord) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, description = "", clientId }) =>
    [name, description, clientId].some((field) => field.toLowerCase().includes(wanted));
}
