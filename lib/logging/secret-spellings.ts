import { utf8 } from "../encoding.ts";

/**
 * How a secret may stand in a text: as it is, line by line when it has several, escaped for URLs, forms and JSON, and as
 * base64 or base64url, also somewhere within a longer text that was encoded.
 */
export function spellingsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const texts = lines.length === 1 ? [secret] : [secret, ...lines];
  return [...new Set(texts.flatMap((text) => [text, ...escaped(text), ...encoded(text)]))];
}

function escaped(text: string): readonly string[] {
  const inUrl = encodeURIComponent(text.toWellFormed());
  const inForm = new URLSearchParams({ "": text }).toString().slice(1);
  const lowerCase = (percent: string) => percent.replace(/%../g, (octet) => octet.toLowerCase());
  return [inUrl, lowerCase(inUrl), inForm, lowerCase(inForm), JSON.stringify(text).slice(1, -1)];
}

/** What of the encoded text depends on nothing before and after it, for each of the three places it may begin at. */
function encoded(text: string): readonly string[] {
  const bytes = [...utf8(text)];
  return [0, 1, 2].flatMap((before) => {
    const group = [...Array<number>(before).fill(0), ...bytes];
    const base64 = btoa(String.fromCharCode(...group));
    const inner = base64.slice(Math.ceil((before * 8) / 6), Math.floor((group.length * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
