/** A piece of HTML whose values are escaped already. Only `html` makes one. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | readonly Html[] | undefined;

/**
 * A template of HTML. What stands in `${}` is text unless it is HTML made by this function: it is escaped for content and
 * for quoted attributes alike; undefined is nothing.
 *
 * @example html`<a href="${url}">${name}</a>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.reduce((text, string, index) => text + render(values[index - 1]) + string) };
}

/**
 * A text that a stranger chose: marks of writing direction in it stay without effect on what surrounds it (Unicode UAX 9),
 * and characters that are not seen are left out.
 */
export function foreignText(text: string): Html {
  return html`<bdi>${text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, " ").trim()}</bdi>`;
}

function render(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return "html" in value ? value.html : value.map((part) => part.html).join("");
}

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
