import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import { createLibrary, type Library, LibraryError } from "./library.ts";

/** The lending desk as a REST API: the operations of `openapi.yaml`, one route each. */
export function libraryApi(library: Library): Hono {
  const api = new Hono();

  api.get("/books", (c) => c.json(library.searchBooks(parse(bookSearch, c.req.query()))));
  api.post("/books", async (c) => {
    const book = library.addBook(parse(newBook, await body(c.req.raw)));
    return c.json(book, 201, { Location: `/books/${book.bookId}` });
  });
  api.get("/books/:bookId", (c) => c.json(library.getBook(c.req.param("bookId"))));
  api.post("/books/:bookId/reservations", async (c) => {
    const { memberId } = parse(newReservation, await body(c.req.raw));
    return c.json(library.reserveBook(c.req.param("bookId"), memberId), 201);
  });
  api.delete("/reservations/:reservationId", (c) => {
    library.cancelReservation(c.req.param("reservationId"));
    return c.body(null, 204);
  });

  api.post("/members", async (c) => {
    const member = library.registerMember(parse(newMember, await body(c.req.raw)));
    return c.json(member, 201, { Location: `/members/${member.memberId}` });
  });
  api.get("/members/:memberId", (c) => c.json(library.getMember(c.req.param("memberId"))));

  api.get("/loans", (c) => c.json({ loans: library.listLoans(parse(loanFilter, c.req.query())) }));
  api.post("/loans", async (c) => {
    const { bookId, memberId } = parse(newLoan, await body(c.req.raw));
    const loan = library.lendBook(bookId, memberId);
    return c.json(loan, 201, { Location: `/loans/${loan.loanId}` });
  });
  api.get("/loans/:loanId", (c) => c.json(library.getLoan(c.req.param("loanId"))));
  api.post("/loans/:loanId/renew", (c) => c.json(library.renewLoan(c.req.param("loanId"))));
  api.post("/loans/:loanId/return", (c) => c.json(library.returnBook(c.req.param("loanId"))));

  api.notFound(() => problem(404, "There is nothing at this path."));
  api.onError((error) => {
    if (error instanceof LibraryError) return problem(error.code === "not_found" ? 404 : 409, error.message);
    if (error instanceof HTTPException) return problem(error.status, error.message);
    throw error;
  });
  return api;
}

export interface RunningLibrary {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the API on a loopback port; rejects with the cause when the port is taken. Port 0 takes a free one. */
export function startLibrary(port: number): Promise<RunningLibrary> {
  const { fetch } = libraryApi(createLibrary(Date.now));
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: "localhost" }, (address) =>
      resolve({
        url: `http://localhost:${address.port}`,
        stop: () => new Promise((stopped) => server.close(() => stopped())),
      }),
    );
    server.on("error", reject);
  });
}

const memberId = z.string().regex(/^member-[0-9]+$/, "must look like member-1");
const bookId = z.string().regex(/^book-[0-9]+$/, "must look like book-1");
const text = z.string().trim().min(1).max(200);

const bookSearch = z.strictObject({
  query: z.string().max(200).optional(),
  available: z.stringbool({ truthy: ["true"], falsy: ["false"] }).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  offset: z.coerce.number().int().min(0).default(0),
});
const newBook = z.strictObject({
  title: text,
  author: text,
  isbn: z
    .string()
    .regex(/^97[89][0-9]{10}$/, "must be thirteen digits")
    .optional(),
  subjects: z.array(z.string().trim().min(1).max(60)).max(10).optional(),
  copies: z.int().min(1).max(100).default(1),
});
const newReservation = z.strictObject({ memberId });
const newMember = z.strictObject({ name: text, email: z.email().max(254).optional() });
const loanFilter = z.strictObject({
  memberId: memberId.optional(),
  bookId: bookId.optional(),
  status: z.enum(["open", "overdue", "returned"]).optional(),
});
const newLoan = z.strictObject({ bookId, memberId });

function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  throw new HTTPException(400, { message: faults.join("; ") });
}

async function body(request: Request): Promise<unknown> {
  if (request.headers.get("Content-Type")?.split(";")[0]?.trim() !== "application/json") {
    throw new HTTPException(400, { message: "The body must be application/json." });
  }
  try {
    return await request.json();
  } catch (cause) {
    throw new HTTPException(400, { message: "The body is not valid JSON.", cause });
  }
}

function problem(status: number, detail: string): Response {
  const title = { 400: "Bad request", 404: "Not found", 409: "Conflict" }[status] ?? "Error";
  return Response.json({ title, status, detail }, { status, headers: { "Content-Type": "application/problem+json" } });
}
