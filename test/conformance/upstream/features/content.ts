/** The smallest PNG: one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** A WAV header without samples. */
export const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

export const IMAGE = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
export const AUDIO = { type: "audio", data: SILENCE, mimeType: "audio/wav" } as const;

export function text(value: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: value };
}

export function embeddedText(uri: string, content: string) {
  return { type: "resource", resource: { uri, mimeType: "text/plain", text: content } } as const;
}
