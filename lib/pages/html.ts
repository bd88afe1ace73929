/** A piece of HTML whose values are escaped already. Only `html` makes one. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | readonly Html[] | undefined;

/**
 * A template of HTML. A value in `${}` is text and gets escaped for content and for quoted attributes, unless this function
 * made it. Undefined adds nothing.
 *
 * @example html`<a href="${url}">${name}</a>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.reduce((text, string, index) => text + render(values[index - 1]) + string) };
}

/**
 * A text that somebody else chose. Its marks of writing direction have no effect on the surrounding text (Unicode UAX 9), and
 * invisible characters are left out.
 */
export function foreignText(text: string): Html {
  return html`<bdi>${text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, " ").trim()}</bdi>`;
}

function render(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return "html" in value ? value.html : value.map((part) => part.html).join("");
}

/** For text and for attributes in quotes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
