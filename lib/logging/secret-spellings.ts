import { utf8 } from "../encoding.ts";

/**
 * How a secret may stand in a text whose URL escapes are decoded: as it is, line by line when it has several, in a form, in
 * JSON, and as base64 or base64url, also somewhere within a longer text that was encoded.
 */
export function spellingsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const texts = lines.length === 1 ? [secret] : [secret, ...lines];
  return [...new Set(texts.flatMap((text) => [text, ...escaped(text), ...encoded(text)]))];
}

/** Without URL escapes; what is no well-formed one stays. */
export function withoutUrlEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function escaped(text: string): readonly string[] {
  return [text.replaceAll(" ", "+"), JSON.stringify(text).slice(1, -1)];
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
