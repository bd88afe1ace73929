import fc from "fast-check";

/** What paths are made of when somebody wants them to be read in two ways, between names that mean something. */
const PIECES = [
  ...[
    "/",
    "/",
    "/",
    "/",
    "//",
    ".",
    "..",
    "/../",
    "/./",
    "...",
    ";",
    ";x",
    ";x=y",
    "..;",
    "+",
    "\\",
    "?",
    "#",
    "@",
    ":",
  ],
  ...[
    "%",
    "%2",
    "%zz",
    "%u002e",
    "%2e",
    "%2E%2e",
    "%2f",
    "%5c",
    "%3b",
    "%3B",
    "%3f",
    "%3F",
    "%23",
    "%00",
    "%0a",
    "%20",
  ],
  ...[
    "%25",
    "%252e",
    "%252f",
    "%253b",
    "%253F",
    "%2541",
    "%25%32%65",
    "%41",
    "%61",
    "%40",
    "%2B",
    "%7e",
    "%c0%ae",
    "%e9",
  ],
  ...[
    "%c3%a9",
    "%C3%89",
    "%EF%BC%8E",
    "%EF%BC%8F",
    "%EF%BC%9B",
    "%E2%84%AA",
    "%ef%bd%81",
    " ",
    "\t",
    "\u00e9",
    "^",
    "|",
    "[",
  ],
  ...["a", "A", "b", "B", "a.css", ".css", "admin", "ADMIN", "Admin", "key", "public", "x"],
];

/** Paths of which many are refused. */
export const anyPath: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 9,
  })
  .map((pieces) => `/${pieces.join("")}`);

const NAMES = ["admin", "a", "b", "a.css", "x", "key", "public", "a@b", "a;b", "\u00e9", "a b"];
/** Ways to write a character that some take for it. */
const SPELLINGS: readonly ((character: string) => string)[] = [
  (character) => encodeURIComponent(character).replace(/^[^%]$/, encoded),
  (character) =>
    encodeURIComponent(character)
      .replace(/^[^%]$/, encoded)
      .replaceAll("%", "%25"),
  (character) => character.toUpperCase(),
  (character) => encodeURIComponent(String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0)),
];
/** What some cut off the end of a name. */
const SUFFIXES = [
  ";x",
  ";x.css",
  ".",
  "..",
  "+",
  "%20",
  "%3Bx",
  "%3Fx",
  "%3F.css",
  "%253Bx",
  "%253F",
  "%252E",
  "%2520",
];
const FURTHER = [
  "%EF%BC%9Bx",
  "%EF%BC%9Fx",
  ";/x",
  "%3B/x",
  "/",
  "//",
  "/./",
  "/x/..",
  "/;x/",
  "/%20/",
  "/./;",
  ".css",
];

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

const name: fc.Arbitrary<string> = fc
  .record({
    text: fc.constantFrom(...NAMES),
    at: fc.nat(5),
    spelling: fc.option(fc.constantFrom(...SPELLINGS), { freq: 2 }),
    suffix: fc.option(fc.constantFrom(...SUFFIXES, ...FURTHER), { freq: 1 }),
  })
  .map(({ text, at, spelling, suffix }) => {
    const characters = [...text].map((character, index) =>
      index === at % text.length && spelling !== null ? spelling(character) : encodeURI(character),
    );
    return characters.join("") + (suffix ?? "");
  });

/** Paths of names that mean something, each a little disguised. */
export const disguisedPath: fc.Arbitrary<string> = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", "/"))
  .map(([names, end]) => `/${names.join("/")}${end}`);
