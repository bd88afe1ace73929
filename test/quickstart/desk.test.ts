import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningLibrary, startLibrary } from "../../examples/quickstart/api.ts";
import { type RunningDesk, startDesk } from "../../examples/quickstart/desk/desk.ts";
import { rawRequest } from "../support/raw-request.ts";

/** What the proxy adds for a librarian. */
const ADA = { "X-User-Name": "Ada Byron", "X-User-Groups": "librarians,night shift" };

let library: RunningLibrary;
let desk: RunningDesk;
beforeAll(async () => {
  library = await startLibrary(0);
  desk = await startDesk(0, { libraryURL: library.url, signOutURL: "http://localhost:8080/oauth2/logout" });
});
afterAll(async () => {
  await desk.stop();
  await library.stop();
});

const open = async (path: string, headers: Readonly<Record<string, string>> = ADA) => {
  const response = await fetch(desk.url + path, { headers });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
};
const lend = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${desk.url}/desk`, {
    method: "POST",
    redirect: "manual",
    // Behind the proxy the origin is the proxy's, and the browser says that the form is of the same site.
    headers: { ...ADA, Origin: "http://localhost:8080", "Sec-Fetch-Site": "same-origin", ...headers },
    body: new URLSearchParams(fields),
  });

test("the first page says who is signed in, lists the books, and leads librarians to the desk", async () => {
  const page = await open("/");
  expect(page).toMatchObject({ status: 200, type: "text/html; charset=UTF-8" });
  for (const text of ["Ada Byron (librarians, night shift)", "Moby-Dick, Herman Melville: 1 on the shelf", "Sign out"])
    expect(page.text).toContain(text);
  expect(page.text).toContain('href="desk"');
  expect((await open("/", { "X-User-Name": "Ben", "X-User-Groups": "readers" })).text).not.toContain('href="desk"');
});

test("a name is shown as the proxy encoded it, and is never markup", async () => {
  const name = "%C3%85sa <script>alert(1)</script> 100%25";
  const { text } = await open("/", { "X-User-Name": name, "X-User-Groups": "" });
  expect(text).toContain("Åsa &lt;script&gt;alert(1)&lt;/script&gt; 100%");
});

test.each(["/", "/desk", "/search.js", "/api/books"])("%s is for nobody whom the proxy does not name", async (path) => {
  expect(await open(path, {})).toMatchObject({ status: 403, text: "Nobody is signed in: come through the proxy." });
});

test("the stylesheet is for everybody, and the script for who is signed in", async () => {
  expect(await open("/style.css", {})).toMatchObject({ status: 200, type: "text/css; charset=utf-8" });
  expect(await open("/search.js")).toMatchObject({ status: 200, type: "text/javascript; charset=utf-8" });
});

test("the script finds books", async () => {
  expect(JSON.parse((await open("/api/books?query=whales")).text)).toMatchObject({
    total: 1,
    books: [{ title: "Moby-Dick" }],
  });
});

test("a librarian lends a book, and sees at the desk who has it, and why a second one cannot be lent", async () => {
  const answer = await lend({ bookId: "book-7", memberId: "member-2" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "desk"]);
  expect((await open("/desk")).text).toContain("book-7 is with member-2 until");
  const second = await lend({ bookId: "book-7", memberId: "member-1" });
  expect(second.status).toBe(400);
  expect(await second.text()).toContain('<p role="alert">No copy of book-7 is free; it can be reserved.</p>');
});

test("another site lends nothing, also under a name that leads to this machine", async () => {
  const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
  expect((await lend({ bookId: "book-1", memberId: "member-1" }, foreign)).status).toBe(403);
  const headers = { ...ADA, Host: `evil.example:${new URL(desk.url).port}` };
  expect((await rawRequest(desk.url, { path: "/desk", headers })).status).toBe(421);
});

test("the pages work below any path: no link begins at the root", async () => {
  const addresses = await Promise.all(
    ["/", "/desk"].map(async (path) => [...(await open(path)).text.matchAll(/(?:href|src|action)="([^"]*)"/g)]),
  );
  const links = addresses.flat().map(([, address]) => address ?? "");
  expect(links.length).toBeGreaterThan(6);
  expect(links.filter((address) => address.startsWith("/"))).toEqual([]);
});
