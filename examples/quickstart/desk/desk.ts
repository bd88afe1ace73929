import { readFile } from "node:fs/promises";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { html } from "hono/html";
import type { Book, Loan } from "../library.ts";

/** Who is signed in, as the proxy says. */
interface Reader {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface DeskTerms {
  /** Base URL of the library's REST API. */
  readonly libraryURL: string;
  /** Where people sign out. */
  readonly signOutURL: string;
}

export interface RunningDesk {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves the library's web pages on a loopback port; rejects with the cause when the port is taken. Port 0 takes a free one.
 *
 * The pages have no sign-in of their own. They believe the headers `X-User-Name` and `X-User-Groups`, whoever sends them. That is
 * right only because they listen on loopback, where nobody but the proxy is meant to come, and because the proxy removes these
 * headers from what browsers send. On a network they would have to take connections of the proxy alone.
 */
export async function startDesk(port: number, terms: DeskTerms): Promise<RunningDesk> {
  const asset = (name: string) => readFile(new URL(name, import.meta.url), "utf8");
  const { fetch } = deskPages(terms, { style: await asset("style.css"), script: await asset("search.js") });
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

/** All links are relative, so the pages work below any path of the proxy. */
function deskPages(
  { libraryURL, signOutURL }: DeskTerms,
  { style, script }: { readonly style: string; readonly script: string },
): Hono<{ Variables: { reader: Reader } }> {
  const pages = new Hono<{ Variables: { reader: Reader } }>();

  // A site whose name is made to lead to this machine (DNS rebinding) could send the headers below, but not this one.
  pages.use(async (c, next) => {
    if (new URL(c.req.url).hostname !== "localhost") return c.text("This is not the host that you asked for.", 421);
    await next();
  });

  pages.get("/style.css", (c) => c.body(style, 200, { "Content-Type": "text/css; charset=utf-8" }));

  pages.use(async (c, next) => {
    const reader = readerOf(c);
    if (reader === undefined) return c.text("Nobody is signed in: come through the proxy.", 403);
    c.set("reader", reader);
    await next();
  });

  pages.get("/search.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript; charset=utf-8" }));

  pages.get("/", async (c) => {
    const { books } = (await ask("/books?limit=50")).body as { readonly books: readonly Book[] };
    const rows = books.map(({ title, author, onShelf }) => html`<li>${title}, ${author}: ${onShelf} on the shelf</li>`);
    const search = html`<p><label>Search <input id="query" type="search"></label></p><ul id="books">${rows}</ul>
<script src="search.js"></script>`;
    return c.html(page("Books", c.get("reader"), search));
  });

  // The script of the page asks this.
  pages.get("/api/books", async (c) => {
    const query = new URLSearchParams({ query: c.req.query("query") ?? "", limit: "50" });
    const { status, body } = await ask(`/books?${query}`);
    return Response.json(body, { status });
  });

  // Who may come to the desk is decided by a policy of the proxy. These pages do not ask again.
  pages.get("/desk", async (c) => c.html(await deskPage(c.get("reader"))));
  pages.post("/desk", csrf(), async (c) => {
    const { bookId, memberId } = await c.req.parseBody();
    const { status, body } = await ask("/loans", { bookId, memberId });
    if (status === 201) return c.redirect("desk", 303);
    return c.html(await deskPage(c.get("reader"), (body as { readonly detail: string }).detail), 400);
  });
  return pages;

  async function deskPage(reader: Reader, fault?: string) {
    const { loans } = (await ask("/loans?status=open")).body as { readonly loans: readonly Loan[] };
    const rows = loans.map((loan) => html`<li>${loan.bookId} is with ${loan.memberId} until ${loan.dueOn}</li>`);
    const body = html`${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
<form method="post" action="desk">
<label>Book <input name="bookId" value="book-1"></label>
<label>Member <input name="memberId" value="member-1"></label>
<button>Lend</button>
</form>${rows.length === 0 ? html`<p>No book is lent.</p>` : html`<ul>${rows}</ul>`}`;
    return page("Lending desk", reader, body);
  }

  function page(title: string, { name, groups }: Reader, body: ReturnType<typeof html>) {
    const desk = groups.includes("librarians") ? html` <a href="desk">Lending desk</a>` : "";
    return html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="stylesheet" href="style.css">
<header><a href="./">Books</a>${desk} <span>${name} (${groups.join(", ")}) · <a href="${signOutURL}">Sign out</a></span></header>
<h1>${title}</h1>${body}
<footer>These pages have no sign-in. The gateway told them your name and groups with this request.</footer></html>`;
  }

  async function ask(path: string, sent?: object): Promise<{ readonly status: number; readonly body: unknown }> {
    const headers = { "Content-Type": "application/json" };
    const init = sent === undefined ? {} : { method: "POST", headers, body: JSON.stringify(sent) };
    const response = await fetch(libraryURL + path, init);
    return { status: response.status, body: await response.json() };
  }
}

/** Undefined: the request did not come through the proxy. It encodes in percent what a header cannot hold. */
function readerOf(c: Context): Reader | undefined {
  const name = c.req.header("X-User-Name");
  if (name === undefined) return undefined;
  const groups = (c.req.header("X-User-Groups") ?? "").split(",").filter((group) => group !== "");
  return { name: decodeURIComponent(name), groups: groups.map(decodeURIComponent) };
}
