import { base64, sha256 } from "../encoding.ts";
import { type Html, html } from "./html.ts";
import { STYLE } from "./style.ts";

/** A page of ours, complete but for its headers (`PAGE_HEADERS`). */
export interface Page {
  readonly status: number;
  readonly html: string;
}

export interface PageContent {
  readonly title: string;
  /** What stands in `main`; begins with the heading. */
  readonly body: Html;
  /** Shown small below: names the request for whoever looks into the log. */
  readonly requestId?: string;
  /** 200 unless stated. */
  readonly status?: number;
}

export function page({ title, body, requestId, status = 200 }: PageContent): Page {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE_HTML}</style>
</head>
<body>
<main>
${body}
</main>
${requestId === undefined ? undefined : html`<footer>Request <code>${requestId}</code></footer>\n`}</body>
</html>
`;
  return { status, html: document.html };
}

/** The style sheet is ours and holds nothing that would end its element. */
const STYLE_HTML: Html = { html: STYLE };

/**
 * No script, no frame around it, nothing from elsewhere. There is no `form-action`: browsers hold it against the redirects
 * that follow a form too, and those lead to clients and identity providers. Addresses of pages may hold the secret of a
 * sign-in, so no other site learns them; `no-referrer` would make browsers send forms with `Origin: null` (Fetch §3.2).
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${base64(sha256(STYLE))}'; base-uri 'none'; frame-ancestors 'none'`,
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cache-Control": "no-store",
};
