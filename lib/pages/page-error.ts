import { html } from "./html.ts";
import { type ErrorText, en, type Messages } from "./messages/en.ts";
import type { Page } from "./page.ts";

export interface PageErrorOptions {
  /** 400 unless stated. */
  readonly status?: 400 | 403 | 429 | 503;
  /** For the log only. */
  readonly detail?: string;
}

/** What a page of an error says, in the language of whoever reads it. */
export type ErrorTextIn = (messages: Messages) => ErrorText;

/** A refusal that a person reads, where no client can be told: the text is public, `detail` is for the log. */
export class PageError extends Error {
  readonly text: ErrorTextIn;
  /** In English, as `message` is. */
  readonly title: string;
  readonly status: number;
  readonly detail: string | undefined;
  constructor(text: ErrorTextIn, options: PageErrorOptions = {}) {
    const { title, message } = text(en);
    super(typeof message === "string" ? message : message.html);
    this.name = "PageError";
    this.text = text;
    this.title = title;
    this.status = options.status ?? 400;
    this.detail = options.detail;
  }
}

export function errorPage(text: ErrorTextIn, status: number, requestId: string): Page {
  return (messages) => {
    const { title, message, advice } = text(messages);
    const body = html`<h1>${title}</h1>
<p>${message}</p>
${advice === undefined ? undefined : html`<p>${advice}</p>`}`;
    return { title, body, requestId, status };
  };
}
