/** How fast workerd verifies ES256: each request does so many with one key, which is imported once. */
const VERIFICATIONS = 20;
const ES256 = { name: "ECDSA", hash: "SHA-256" };
const data = new Uint8Array(300);
let publicKey;
let signature;

export default {
  async fetch() {
    if (publicKey === undefined) await prepare();
    for (let i = 0; i < VERIFICATIONS; i++) {
      if (!(await crypto.subtle.verify(ES256, publicKey, signature, data))) return new Response(null, { status: 500 });
    }
    return Response.json({ status: "up", verifications: VERIFICATIONS });
  },
};

async function prepare() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  signature = await crypto.subtle.sign(ES256, pair.privateKey, data);
  publicKey = pair.publicKey;
}
