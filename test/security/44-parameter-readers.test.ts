import fc from "fast-check";
import { parse } from "qs";
import { expect, test } from "vitest";
import { buildRequest, type UpstreamRequest } from "../../lib/openapi/request.ts";
import { compile, opened, parameter } from "../bridge/compiled.ts";

/** Documents as drawn; `COUNTERSIGN_CASES` says how many. */
const CASES = Number(process.env.COUNTERSIGN_CASES ?? 300);
const BASE = "https://api.example/v1";
const FORM = "application/x-www-form-urlencoded";

/** Parameters with one text, and objects with members of any name. */
const TEXTS = ["limit", "amount", "role", "page_size", "user"] as const;
const OBJECTS = ["filter", "extra", "deep"] as const;
const FREE = { type: "object", additionalProperties: true };

const STYLES = {
  query: [{}, { explode: false }, { style: "deepObject" }, { style: "pipeDelimited", explode: false }],
  cookie: [{}, { explode: false }, { style: "cookie" }],
  form: [{ style: "form", explode: true }, { style: "deepObject" }, { style: "form", explode: false }, {}],
} as const;

/** A name that some reader could take for a declared one. */
const nearly = fc
  .tuple(
    fc.constantFrom(...TEXTS),
    fc.constantFrom(
      "",
      "[]",
      "[0]",
      "[a]",
      ".a",
      " ",
      "\0",
      "%00",
      "%5B%5D",
      "\u00ad",
      ";x",
      "&x",
      "=1&x",
      ",1,x",
      "][",
    ),
    fc.constantFrom("", "x&", "x;", "x=1&", "x; ", "x\r\n", "deep][", "filter[", " ", "\u200b", "x,1,", 'x"; name="'),
    fc.constantFrom(
      (name: string) => name,
      (name: string) => name.toUpperCase(),
      (name: string) => name.replace(/[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
      (name: string) => name.replace("s", "\u017f").replace("i", "\u0131"),
    ),
  )
  .map(([name, end, start, spell]) => start + spell(name) + end);
const name = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z]{1,5}\d$/) },
  { weight: 1, arbitrary: nearly },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'ab[].&;=%2B+,|"\\\r\n '.split("")), maxLength: 6 }) },
);
/** Texts with what would be another pair if a reader came upon it. */
const value = fc.oneof(
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z]{1,4}$/) },
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS).map((one) => `1&${one}=evil`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(",limit,evil", "|limit|evil", "; limit=evil", '"\r\n\r\nevil', "%26limit=evil"),
  },
);
const members = fc.letrec((tie) => ({
  object: fc.dictionary(name, fc.oneof({ maxDepth: 1 }, value, tie("object"), fc.array(value, { maxLength: 2 })), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
})).object;

const drawn = fc.record({
  places: fc.array(fc.constantFrom("query", "cookie", "form"), { minLength: 8, maxLength: 8 }),
  styles: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  type: fc.constantFrom(FORM, "multipart/form-data"),
  texts: fc.dictionary(fc.constantFrom(...TEXTS), fc.stringMatching(/^[a-z]{1,4}$/), { noNullPrototype: true }),
  objects: fc.dictionary(fc.constantFrom(...OBJECTS), members, { noNullPrototype: true }),
});

test("44. whoever reads a request finds in each parameter what its own argument says", async () => {
  let [sent, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(drawn, async ({ places, styles, type, texts, objects }) => {
      const { request } = await documentOf(places, styles, type);
      const made = attempt(() => buildRequest(BASE, request, { ...texts, ...objects }));
      if (made === undefined) {
        refused += 1;
        return;
      }
      sent += 1;
      for (const [reader, pairs] of Object.entries(await readings(made))) {
        for (const one of TEXTS) {
          const read = pairs.filter(([name]) => isReadAs(name, one)).map(([, text]) => text);
          const given = Object.hasOwn(texts, one) ? [texts[one]] : [];
          // Each reader reads one place.
          if (read.length > 0 || reader === placeOf(one, places))
            expect([reader, one, read]).toEqual([reader, one, given]);
        }
      }
    }),
    { numRuns: CASES },
  );
  expect(sent, `${refused} are refused`).toBeGreaterThan(CASES / 20);
}, 600_000);

function placeOf(name: string, places: readonly string[]): string | undefined {
  return places[[...TEXTS, ...OBJECTS].indexOf(name as "limit")];
}

async function documentOf(places: readonly string[], styles: readonly number[], type: string) {
  const all = [...TEXTS, ...OBJECTS].map((name, index) => {
    const place = places[index] as keyof typeof STYLES;
    const known = STYLES[place];
    const style = index < TEXTS.length ? {} : known[(styles[index] as number) % known.length];
    return { name, place, style, schema: index < TEXTS.length ? { type: "string" } : FREE };
  });
  const inBody = all.filter(({ place }) => place === "form");
  const schema = { type: "object", properties: Object.fromEntries(inBody.map(({ name, schema }) => [name, schema])) };
  const encoding = Object.fromEntries(inBody.map(({ name, style }) => [name, style]));
  const operation = {
    operationId: "do",
    parameters: all
      .filter(({ place }) => place !== "form")
      .map(({ name, place, style, schema }) => parameter(name, place, { schema, ...style })),
    ...(inBody.length > 0 && { requestBody: { content: { [type]: { schema, encoding } } } }),
  };
  const [tool = expect.fail()] = opened({ catalog: await compile({ paths: { "/do": { post: operation } } }) });
  return tool;
}

function attempt(build: () => UpstreamRequest): UpstreamRequest | undefined {
  try {
    return build();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "RequestError") return undefined;
    throw cause;
  }
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** What arrives, by readers that know nothing of the document: careful ones and careless ones. */
async function readings({ url, headers, body }: UpstreamRequest): Promise<Readonly<Record<string, Pairs>>> {
  const { search } = new URL(url);
  const type = headers["content-type"] ?? "";
  const form = typeof body === "string" ? body : "";
  const parts = type.startsWith("multipart/")
    ? await new Response(body, { headers: { "content-type": type } }).formData()
    : [];
  const raw = body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
  return {
    query: [...new URLSearchParams(search)],
    "query, also split at ;": splitAt(search.slice(1), /[&;]/),
    "query, names decoded twice": splitAt(search.slice(1), /[&;]/).map(
      ([name, text]) => [decoded(name), text] as const,
    ),
    "query, by qs": nested(parse(search.slice(1), { allowDots: true, depth: 10 })),
    cookie: splitAt(headers.cookie ?? "", /; */),
    "cookie, also split at ,": splitAt(headers.cookie ?? "", /[;,] */),
    form: [...new URLSearchParams(form), ...[...parts].map(([name, text]) => [name, String(text)] as const)],
    "form, by qs": nested(parse(form, { allowDots: true, depth: 10 })),
    "parts, by their lines": [...raw.matchAll(/\bname="([^"]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)/g)].map(
      ([, name = "", text = ""]) => [name, text] as const,
    ),
  };
}

function splitAt(text: string, between: RegExp): Pairs {
  return text.split(between).map((pair) => {
    const [name = "", ...rest] = pair.split("=");
    return [decoded(name), decoded(rest.join("="))];
  });
}

/** Values at the top, whatever was made of brackets and dots. */
function nested(read: object): Pairs {
  return Object.entries(read).flatMap(([name, value]) =>
    [value].flat().map((one): readonly [string, string] => [name, typeof one === "string" ? one : JSON.stringify(one)]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** As PHP, Rails, ASP.NET, Spring and readers behind a proxy that normalises texts take a name. */
function isReadAs(name: string, wanted: string): boolean {
  const plain = name
    .normalize("NFKC")
    .replaceAll(/[\s\p{C}]/gu, "")
    .toUpperCase()
    .toLowerCase();
  return plain.split(/[[.]/)[0] === wanted;
}
