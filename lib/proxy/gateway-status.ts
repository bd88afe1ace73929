/**
 * Whether an answer comes of something in front of the upstream, which has none of the upstream's (RFC 9110 §15.6). Cloudflare has
 * statuses of its own for a server that does not answer it: 520 to 526, and 530.
 */
export function isGatewayError(status: number): boolean {
  return [502, 503, 504, 530].includes(status) || (status >= 520 && status <= 526);
}

/** Of these the ones after which nobody knows whether the upstream had the request: 503 is sent instead of passing it on. */
export function mayHavePassedOn(status: number): boolean {
  return isGatewayError(status) && ![503, 521, 523, 525, 526, 530].includes(status);
}
