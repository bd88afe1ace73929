import { sha256 } from "#sha256";
import { base64 } from "../kernel/encoding.ts";
import { lazy } from "../kernel/lazy.ts";
import { type Html, html } from "./html.ts";
import { type Language, languageOfHeader } from "./language.ts";
import type { Messages } from "./messages/en.ts";
import { MESSAGES } from "./messages/messages.ts";

/** A page of ours, in the language of whoever reads it; `renderPage` makes the answer of it. */
export type Page = (messages: Messages, language: Language) => PageContent;

/** What a page says. */
export interface PageContent {
  readonly title: string;
  /** What stands in `main`; begins with the heading. */
  readonly body: Html;
  /** Shown small below: names the request for whoever looks into the log. */
  readonly requestId?: string;
  /** 200 unless stated. */
  readonly status?: number;
}

/** Whose pages they are, as an operator wants them to look (`branding`). */
export interface Branding {
  readonly name: string;
  /** A `data:` URL of an image. */
  readonly logo?: string;
  /** Of buttons and outlines on light and on dark pages, `#rrggbb`. */
  readonly accentColor?: string;
  readonly darkAccentColor?: string;
}

/** A page as it is sent: the headers go with its very text. */
export interface RenderedPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function renderPage(page: Page, language: Language, branding?: Branding): RenderedPage {
  const messages = MESSAGES[language];
  const { title, body, requestId, status = 200 } = page(messages, language);
  const { style, brand, headers } = branding === undefined ? ownLook() : lookOf(branding);
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}${branding && ` · ${branding.name}`}</title>
<style>${style}</style>
</head>
<body>
${brand}<main>
${body}
</main>
${requestId === undefined ? undefined : html`<footer>${messages.request} <code>${requestId}</code></footer>\n`}</body>
</html>
`;
  return { status, html: document.html, headers: { ...headers, "Content-Language": language } };
}

/** What decides how a page looks for whoever asked for it. */
export interface Reader {
  readonly language: Language;
  readonly branding: Branding | undefined;
}

/** Whoever sent a request that no flow of ours asked a language for. */
export function readerOf(
  { headers }: { readonly headers: Headers },
  { branding }: { readonly branding?: Branding | undefined },
): Reader {
  return { language: languageOfHeader(headers.get("Accept-Language")), branding };
}

/** The same where no framework is in between. @param more further headers */
export function pageResponse(page: Page, { language, branding }: Reader, more: Record<string, string> = {}): Response {
  const { status, html: text, headers } = renderPage(page, language, branding);
  return new Response(text, { status, headers: { ...headers, ...more } });
}

/** The whole style sheet of our pages, in both colour schemes; it stands in each page, and its hash in the policy. */
const STYLE = `
:root{color-scheme:light dark;--text:#1b1f24;--soft:#4d5763;--ground:#f3f4f6;--card:#fff;--line:#c9ced6;--accent:#0b57b0;--on-accent:#fff;--note:#fff4d6;--note-line:#b98900}
@media (prefers-color-scheme:dark){:root{--text:#eceff3;--soft:#b4bcc8;--ground:#14171b;--card:#1e2329;--line:#4a535f;--accent:#8ab9ff;--on-accent:#0d1b2e;--note:#3a3013;--note-line:#d9ac2f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:1rem;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:30rem;padding:1.75rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
header{display:flex;align-items:center;gap:.625rem;width:100%;max-width:30rem;padding:.75rem 1.75rem;font-weight:600;overflow-wrap:anywhere}
header img{max-width:10rem;max-height:2.5rem}
footer{width:100%;max-width:30rem;padding:.75rem 1.75rem;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3}
h2{margin:1.25rem 0 .25rem;font-size:1rem}
p{margin:0 0 .75rem}
main>:last-child{margin-bottom:0}
ul{margin:0;padding:0;list-style:none}
li{padding:.375rem 0;border-bottom:1px solid var(--line)}
li:last-child{border-bottom:0}
dl{margin:0 0 .5rem}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0 0 .5rem}
code{color:var(--soft);font:.8125rem/1.4 ui-monospace,monospace}
.note{padding:.625rem .75rem;background:var(--note);border:1px solid var(--note-line);border-radius:.5rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button,.button{flex:1 1 8rem;min-height:2.75rem;padding:.5rem .625rem;border:1px solid var(--accent);border-radius:.5rem;background:transparent;color:var(--accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;overflow-wrap:anywhere}
.primary{background:var(--accent);color:var(--on-accent)}
button:hover,.button:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
`;

interface Look {
  readonly style: Html;
  /** Above the page. */
  readonly brand: Html | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const ownLook = lazy((): Look => look(STYLE));

/** Made once for a configuration. */
const looks = new WeakMap<Branding, Look>();

function lookOf(branding: Branding): Look {
  const known = looks.get(branding) ?? brandedLook(branding);
  looks.set(branding, known);
  return known;
}

function brandedLook({ name, logo, accentColor, darkAccentColor }: Branding): Look {
  const brand = html`<header>${logo && html`<img src="${logo}" alt="">`}<span>${name}</span></header>
`;
  const light = accentColor && `@media not all and (prefers-color-scheme:dark){:root{${accentOf(accentColor)}}}\n`;
  const dark = darkAccentColor && `@media (prefers-color-scheme:dark){:root{${accentOf(darkAccentColor)}}}\n`;
  return { ...look(`${STYLE}${light ?? ""}${dark ?? ""}`, logo !== undefined), brand };
}

function accentOf(colour: string): string {
  return `--accent:${colour};--on-accent:${contrastOf(colour, LIGHT_TEXT) >= contrastOf(colour, DARK_TEXT) ? LIGHT_TEXT : DARK_TEXT}`;
}

const LIGHT_TEXT = "#ffffff";
const DARK_TEXT = "#0d1b2e";

/** What stands behind texts in the accent colour. */
export const CARD = { light: "#ffffff", dark: "#1e2329" } as const;

/** Contrast ratio of two colours, `#rrggbb` (WCAG 2.2, "contrast ratio"): 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [lighter, darker] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * No script, no frame around it, nothing from elsewhere. There is no `form-action`: browsers hold it against the redirects
 * that follow a form too, and those lead to clients and identity providers. Addresses of pages may hold the secret of a
 * sign-in, so no other site learns them; `no-referrer` would make browsers send forms with `Origin: null` (Fetch §3.2).
 */
function look(style: string, hasLogo = false): Look {
  const styles = `style-src 'sha256-${base64(sha256(style))}'`;
  return {
    // Ours, and colours that were checked: nothing in it would end its element.
    style: { html: style },
    brand: undefined,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; ${styles};${hasLogo ? " img-src data:;" : ""} base-uri 'none'; frame-ancestors 'none'`,
      "X-Frame-Options": "DENY",
      "Referrer-Policy": "same-origin",
      "Cache-Control": "no-store",
    },
  };
}
