/**
 * The nonce that the policy of this page allows style elements with; the server writes it into the page. Mantine gets it
 * from the theme's provider; what locks scrolling behind dialogs looks for it under webpack's name.
 */
export function allowStyles(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;
  return nonce;
}
