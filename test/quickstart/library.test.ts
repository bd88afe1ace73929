import { readFile } from "node:fs/promises";
import { Validator } from "@cfworker/json-schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { libraryApi, type RunningLibrary, startLibrary } from "../../examples/quickstart/api.ts";
import { createLibrary } from "../../examples/quickstart/library.ts";

const document = parse(
  await readFile(new URL("../../examples/quickstart/openapi.yaml", import.meta.url), "utf8"),
) as OpenApiDocument;
let library: RunningLibrary;

beforeAll(async () => {
  library = await startLibrary(0);
});
afterAll(() => library.stop());

test("the routes of the sample API are the operations of its document", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== "parameters")
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
  );
  const served = libraryApi(createLibrary(() => 0)).routes.map((route) => `${route.method} ${route.path}`);
  expect(served.sort()).toEqual(described.sort());
  expect(served.length).toBeGreaterThanOrEqual(8);
});

test("a search finds books by words of title, author and subject, page by page", async () => {
  const sea = await send("GET", "/books?query=sea%20adventure");
  expect(sea.body).toMatchObject({ total: 2, books: [{ title: "Moby-Dick" }, { author: "Jules Verne" }] });
  expectSchema(sea.body, document.paths["/books"]?.get?.responses["200"]?.content["application/json"].schema);
  const second = await send("GET", "/books?query=sea%20adventure&limit=1&offset=1");
  expect(second.body).toMatchObject({ total: 2, books: [{ author: "Jules Verne" }] });
});

test("a book is lent, waited for, returned, and kept for whoever waits", async () => {
  const loan = await send("POST", "/loans", { bookId: "book-3", memberId: "member-1" });
  expect(loan.status).toBe(201);
  expectSchema(loan.body, { $ref: "#/components/schemas/Loan" });
  expect((await send("POST", "/loans", { bookId: "book-3", memberId: "member-2" })).status).toBe(409);

  const reservation = await send("POST", "/books/book-3/reservations", { memberId: "member-2" });
  expect(reservation.status).toBe(201);
  expectSchema(reservation.body, { $ref: "#/components/schemas/Reservation" });
  const renewal = await send("POST", `/loans/${loan.body.loanId}/renew`);
  expect(renewal).toMatchObject({ status: 409, body: { detail: "Somebody waits for book-3." } });
  expectSchema(renewal.body, { $ref: "#/components/schemas/Problem" });

  expect((await send("POST", `/loans/${loan.body.loanId}/return`)).body).toMatchObject({ status: "returned" });
  expect((await send("POST", "/loans", { bookId: "book-3", memberId: "member-1" })).status).toBe(409);
  expect((await send("POST", "/loans", { bookId: "book-3", memberId: "member-2" })).status).toBe(201);
  expect((await send("DELETE", `/reservations/${reservation.body.reservationId}`)).status).toBe(404);
});

test("a loan is renewed twice at most and overdue after its day", () => {
  let now = Date.UTC(2026, 0, 1);
  const desk = createLibrary(() => now);
  const { loanId } = desk.lendBook("book-1", "member-1");
  expect(desk.renewLoan(loanId).renewals).toBe(1);
  expect(desk.renewLoan(loanId).renewals).toBe(2);
  expect(() => desk.renewLoan(loanId)).toThrow("renewed 2 times");
  now += 22 * 24 * 60 * 60 * 1000;
  expect(desk.getLoan(loanId).status).toBe("overdue");
  expect(() => desk.lendBook("book-2", "member-1")).toThrow("overdue");
});

test("a member is registered once an address and borrows three books at most", async () => {
  const member = await send("POST", "/members", { name: "Mary Fairfax", email: "mary@library.example" });
  expect(member.status).toBe(201);
  expectSchema(member.body, { $ref: "#/components/schemas/Member" });
  expect((await send("POST", "/members", { name: "Mary", email: "mary@library.example" })).status).toBe(409);
  const { memberId } = member.body;
  for (const bookId of ["book-1", "book-2", "book-4"]) {
    expect((await send("POST", "/loans", { bookId, memberId })).status).toBe(201);
  }
  expect((await send("POST", "/loans", { bookId: "book-5", memberId })).status).toBe(409);
  expect((await send("GET", `/members/${memberId}`)).body.openLoans).toBe(3);
  expect((await send("GET", `/loans?memberId=${memberId}&status=open`)).body.loans).toHaveLength(3);
});

test.each([
  ["GET", "/books?limit=0", undefined, 400],
  ["GET", "/books?available=maybe", undefined, 400],
  ["GET", "/books?colour=red", undefined, 400],
  ["GET", "/books/book-99", undefined, 404],
  ["GET", "/nowhere", undefined, 404],
  ["POST", "/books", { title: "" }, 400],
  ["POST", "/books", { title: "A", author: "B", isbn: "1" }, 400],
  ["POST", "/loans", { bookId: "book-1", memberId: "member-99" }, 404],
  ["POST", "/loans", "not an object", 400],
])("%s %s with %j is answered with %s and a problem document", async (method, path, body, status) => {
  const answer = await send(method, path, body);
  expect(answer.status).toBe(status);
  expectSchema(answer.body, { $ref: "#/components/schemas/Problem" });
});

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: unknown;
}

interface Operation {
  readonly responses: Record<string, { content: { "application/json": { schema: object } } }>;
}

async function send(method: string, path: string, body?: unknown) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const response = await fetch(library.url + path, { method, ...init });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
}

function expectSchema(value: unknown, schema: object | undefined): void {
  if (schema === undefined) throw new Error("The document has no such schema.");
  const result = new Validator({ ...schema, components: document.components }, "2020-12").validate(value);
  expect(result.errors).toEqual([]);
}
