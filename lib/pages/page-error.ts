import { html } from "./html.ts";
import type { Page } from "./page.ts";

export interface PageErrorOptions {
  /** 400 unless stated. */
  readonly status?: 400 | 403 | 429 | 503;
  /** A further sentence for the person. */
  readonly advice?: string;
  /** For the log only. */
  readonly detail?: string;
}

/** A refusal that a person reads, where no client can be told: title and sentences are public, `detail` is for the log. */
export class PageError extends Error {
  readonly title: string;
  readonly status: number;
  readonly advice: string | undefined;
  readonly detail: string | undefined;
  constructor(title: string, message: string, options: PageErrorOptions = {}) {
    super(message);
    this.name = "PageError";
    this.title = title;
    this.status = options.status ?? 400;
    this.advice = options.advice;
    this.detail = options.detail;
  }
}

export interface ShownError {
  readonly title: string;
  readonly message: string;
  readonly status: number;
  readonly advice?: string | undefined;
}

export function errorPage({ title, message, status, advice }: ShownError, requestId: string): Page {
  const body = html`<h1>${title}</h1>
<p>${message}</p>
${advice === undefined ? undefined : html`<p>${advice}</p>`}`;
  return { title, body, requestId, status };
}
