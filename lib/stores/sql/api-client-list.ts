import { type ApiClientListRequest, type ApiClientPage, type ApiClientSort, hasText } from "../api-clients.ts";
import { cursorOf, pageOf, positionOf, type Total } from "../paging.ts";
import type { SqlDatabase, SqlRow, SqlValue } from "./database.ts";

/** What is counted, looked through or sorted for one page at most: it takes some ten milliseconds. */
const MOST = 10_000;
/** What is looked through at a time, where matches are so many that a page is soon full. */
const STEP = 1_000;

interface ListedRows extends Omit<ApiClientPage, "items"> {
  /** Of the table, with all columns. */
  readonly rows: readonly SqlRow[];
}

/**
 * One page of an organization's clients. With at most 10,000 clients a search looks at each. Beyond, letters of names and
 * descriptions are found by their index, and ids by their beginning; of fewer than three letters names begin with them (D267).
 */
export function listApiClientRows(
  db: SqlDatabase,
  organizationId: string,
  { limit, cursor, sort = "-createdAt", search }: ApiClientListRequest,
): ListedRows {
  const list: List = { db, organizationId, limit, order: orderOf(sort), start: startOf(cursor, sort) };
  const count = countUpTo(list, MOST + 1);
  if (search === undefined) return { ...wholePage(list), total: totalOf(count) };
  if (count <= MOST) return sortedPage(list, ALL, (row) => hasTextIn(row, search));
  return searchMany(list, search);
}

interface List {
  readonly db: SqlDatabase;
  readonly organizationId: string;
  readonly limit: number;
  readonly order: Order;
  readonly start: Position | undefined;
}

interface Order {
  readonly sort: ApiClientSort;
  readonly isByName: boolean;
  readonly sql: string;
  readonly beyond: "<" | ">";
}

/** Behind which client a page begins. */
interface Position {
  readonly sequence: number;
  readonly name: string;
}

/** A condition on rows, and its parameters. */
interface Where {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

const ALL: Where = { sql: "TRUE", parameters: [] };

function orderOf(sort: ApiClientSort): Order {
  const isDescending = sort.startsWith("-");
  const isByName = sort.endsWith("name");
  const direction = isDescending ? "DESC" : "ASC";
  const sql = `${isByName ? `name COLLATE NOCASE ${direction}, ` : ""}sequence ${direction}`;
  return { sort, isByName, sql, beyond: isDescending ? "<" : ">" };
}

function startOf(cursor: string | undefined, sort: ApiClientSort): Position | undefined {
  const [sorted, sequence = "", name = ""] = positionOf(cursor, 3) ?? [];
  return sorted === sort && /^\d{1,15}$/.test(sequence) ? { sequence: Number(sequence), name } : undefined;
}

function cursorBehind({ sort, isByName }: Order, { sequence, name }: Position): string {
  return cursorOf([sort, String(sequence), isByName ? name : ""]);
}

const positionOfRow = (row: SqlRow): Position => ({ sequence: Number(row.sequence), name: String(row.name) });

/** The first condition on names is the index's, the second one tells those of the same name apart. */
function behind({ isByName, beyond }: Order, position: Position | undefined): Where {
  if (position === undefined) return ALL;
  const { sequence, name } = position;
  if (!isByName) return { sql: `sequence ${beyond} ?`, parameters: [sequence] };
  return {
    sql: `name COLLATE NOCASE ${beyond}= ? AND (name COLLATE NOCASE, sequence) ${beyond} (?, ?)`,
    parameters: [name, name, sequence],
  };
}

function countUpTo({ db, organizationId }: List, most: number): number {
  const sql = "SELECT COUNT(*) AS count FROM (SELECT 1 FROM api_clients WHERE organization_id = ? LIMIT ?)";
  return Number(db.all(sql, organizationId, most)[0]?.count);
}

function totalOf(count: number): Total {
  return { count: Math.min(count, MOST), isExact: count <= MOST };
}

function wholePage({ db, organizationId, order, start, limit }: List): ListedRows {
  const after = behind(order, start);
  const rows = db.all(
    `SELECT * FROM api_clients WHERE organization_id = ? AND ${after.sql} ORDER BY ${order.sql} LIMIT ?`,
    ...[organizationId, ...after.parameters, limit + 1],
  );
  return listed(pageOf(rows, limit, (row) => cursorBehind(order, positionOfRow(row))));
}

function listed({ items, ...next }: ReturnType<typeof pageOf<SqlRow>>): ListedRows {
  return { rows: items, ...next };
}

/** All that match are sorted, so that they are counted, too. */
function sortedPage(list: List, candidates: Where, matches: (row: SqlRow) => boolean): ListedRows {
  const { db, organizationId, order, start, limit } = list;
  const after = behind(order, start);
  // The unary plus: no index of the organization's clients helps to find some by their number.
  const rows = db.all(
    `SELECT sequence, client_id, name, description, ${after.sql} AS is_behind FROM api_clients
     WHERE ${candidates === ALL ? "" : "+"}organization_id = ? AND ${candidates.sql} ORDER BY ${order.sql}`,
    ...[...after.parameters, organizationId, ...candidates.parameters],
  );
  const found = rows.filter(matches);
  const page = pageOf(
    found.filter(({ is_behind }) => is_behind === 1),
    limit,
    (row) => cursorBehind(order, positionOfRow(row)),
  );
  return { ...whole(list, listed(page)), total: totalOf(found.length) };
}

/** The same rows with all columns. */
function whole({ db }: List, { rows, ...rest }: ListedRows): ListedRows {
  const found = new Map(
    db
      .all("SELECT * FROM api_clients WHERE sequence IN (SELECT value FROM json_each(?))", numbersOf(rows))
      .map((row) => [row.sequence, row]),
  );
  return { rows: rows.map((row) => found.get(row.sequence) ?? row), ...rest };
}

function numbersOf(rows: readonly SqlRow[]): string {
  return JSON.stringify(rows.map(({ sequence }) => sequence));
}

function searchMany(list: List, text: string): ListedRows {
  const isShort = [...text].length < LETTERS;
  const matches = isShort ? (row: SqlRow) => beginsWith(row, text) : (row: SqlRow) => hasTextIn(row, text);
  const some = isShort ? namesWith(list, text) : textsWith(list, text);
  const candidates = [...some, ...idsWith(list, text)];
  if (candidates.length <= MOST) return sortedPage(list, oneOf(candidates), matches);
  const page = whole(list, walkedPage(list, matches, stepsOf(list, text, isShort)));
  if (list.start !== undefined) return page;
  const { total } = sortedPage({ ...list, limit: 1 }, oneOf(candidates.slice(0, STEP)), matches);
  return { ...page, total: { count: total?.count ?? 0, isExact: false } };
}

function oneOf(candidates: readonly SqlRow[]): Where {
  return { sql: "sequence IN (SELECT value FROM json_each(?))", parameters: [numbersOf(candidates)] };
}

function stepsOf({ order }: List, text: string, isShort: boolean): (list: List, after: Position | undefined) => Step {
  if (!isShort) return order.isByName ? stepOfOrder(ALL) : stepOfTexts(text);
  return stepOfOrder(order.isByName && /^[ -~]*$/.test(text) ? namesFrom(text) : ALL);
}

/** What trigrams are made of. */
const LETTERS = 3;
/** More of them find hardly less. */
const TRIGRAMS = 32;

function hasTextIn(row: SqlRow, text: string): boolean {
  const { client_id, name, description } = row;
  return hasText({ clientId: String(client_id), name: String(name), description: String(description ?? "") }, text);
}

function beginsWith({ name }: SqlRow, text: string): boolean {
  return String(name).toLowerCase().startsWith(text);
}

/** The numbers of those whose name begins with a text. SQLite knows upper and lower case of A to Z alone. */
function namesWith({ db, organizationId }: List, text: string): readonly SqlRow[] {
  const forms = [...new Set([text, text.toUpperCase()].map((form) => form.replace(/[A-Z]/g, (a) => a.toLowerCase())))];
  return forms.flatMap((form) =>
    db.all(
      `SELECT sequence FROM api_clients WHERE organization_id = ? AND ${namesFrom(form).sql} LIMIT ?`,
      ...[organizationId, ...namesFrom(form).parameters, MOST + 1],
    ),
  );
}

/** Names that begin with a text. */
function namesFrom(text: string): Where {
  return { sql: "name COLLATE NOCASE >= ? AND name COLLATE NOCASE < ?", parameters: [text, `${text}\u{10FFFF}`] };
}

/** Those of all organizations that have all trigrams of a text, in some order. */
function textsWith({ db }: List, text: string): readonly SqlRow[] {
  return db.all(
    "SELECT rowid AS sequence FROM api_client_texts WHERE api_client_texts MATCH ? LIMIT ?",
    trigramsOf(text),
    MOST + 1,
  );
}

/** Those whose id begins with a text, with or without the part that all ids have. */
function idsWith({ db }: List, text: string): readonly SqlRow[] {
  const [, id] = /^(?:client_)?([0-9a-f-]{4,36})$/.exec(text) ?? [];
  if (id === undefined) return [];
  const from = `client_${id}`;
  return db.all(
    "SELECT sequence FROM api_clients WHERE client_id >= ? AND client_id < ? LIMIT ?",
    from,
    `${from}~`,
    MOST,
  );
}

/** As FTS5 reads it: each of some trigrams of the text. */
function trigramsOf(text: string): string {
  const letters = [...text];
  const all = letters.slice(LETTERS - 1).map((_, at) => letters.slice(at, at + LETTERS).join(""));
  const every = Math.ceil(all.length / TRIGRAMS);
  return all
    .filter((_, at) => at % every === 0 || at === all.length - 1)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(" AND ");
}

/** Some rows in order; `last` is undefined at the end. */
interface Step {
  readonly rows: readonly SqlRow[];
  readonly last: Position | undefined;
}

/** Looks through rows in order until a page is full, or they were enough. */
function walkedPage(
  list: List,
  matches: (row: SqlRow) => boolean,
  step: (list: List, after: Position | undefined) => Step,
): ListedRows {
  const { order, limit } = list;
  const found: SqlRow[] = [];
  let last = list.start;
  for (let looked = 0; looked < MOST; looked += STEP) {
    const next = step(list, last);
    found.push(...next.rows.filter(matches));
    last = next.last;
    if (found.length > limit || last === undefined) {
      return listed(pageOf(found, limit, (row) => cursorBehind(order, positionOfRow(row))));
    }
  }
  return { rows: found, ...(last !== undefined && { nextCursor: cursorBehind(order, last) }) };
}

function stepOfOrder(among: Where) {
  return ({ db, organizationId, order }: List, after: Position | undefined): Step => {
    const where = behind(order, after);
    const rows = db.all(
      `SELECT sequence, client_id, name, description FROM api_clients
       WHERE organization_id = ? AND ${among.sql} AND ${where.sql} ORDER BY ${order.sql} LIMIT ?`,
      ...[organizationId, ...among.parameters, ...where.parameters, STEP],
    );
    const last = rows.at(-1);
    return { rows, last: rows.length < STEP || last === undefined ? undefined : positionOfRow(last) };
  };
}

/** By creation: the index of texts has its entries in that order. */
function stepOfTexts(text: string) {
  const trigrams = trigramsOf(text);
  return ({ db, organizationId, order }: List, after: Position | undefined): Step => {
    const { beyond, sql } = order;
    const from = after === undefined ? ALL : { sql: `rowid ${beyond} ?`, parameters: [after.sequence] };
    const numbers = db.all(
      `SELECT rowid AS sequence FROM api_client_texts WHERE api_client_texts MATCH ? AND ${from.sql}
       ORDER BY ${sql.replace("sequence", "rowid")} LIMIT ?`,
      ...[trigrams, ...from.parameters, STEP],
    );
    const rows = db.all(
      `SELECT sequence, client_id, name, description FROM api_clients
       WHERE sequence IN (SELECT value FROM json_each(?)) AND +organization_id = ? ORDER BY ${sql}`,
      ...[numbersOf(numbers), organizationId],
    );
    const last = numbers.at(-1);
    return {
      rows,
      last: numbers.length < STEP || last === undefined ? undefined : { sequence: Number(last.sequence), name: "" },
    };
  };
}
