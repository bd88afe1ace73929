/** Says why a text is not sent as a public key. A private key is found here already, so that it stays in the browser. */
export function publicKeyFault(text: string): string | null {
  if (text.trim() === "") return "Paste the public key.";
  if (/PRIVATE KEY-----/.test(text) || isPrivateJwk(text)) {
    return "This is a private key. It was not sent. Keep it, and paste its public key.";
  }
  return null;
}

function isPrivateJwk(text: string): boolean {
  try {
    const jwk: unknown = JSON.parse(text);
    return typeof jwk === "object" && jwk !== null && ("d" in jwk || "k" in jwk);
  } catch {
    return false;
  }
}
