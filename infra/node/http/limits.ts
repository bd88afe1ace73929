/** Bounds of one request and of its connection; times in milliseconds. */
export interface Limits {
  /** Bytes of the request line and the headers together. */
  readonly headerBytes: number;
  /** Bytes that a request may announce as its body. */
  readonly bodyBytes: number;
  /** For a TLS handshake. */
  readonly handshakeTimeout: number;
  /** For the headers to arrive. */
  readonly headersTimeout: number;
  /** For the whole request to arrive. */
  readonly requestTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
  /** Between two looks at the timeouts. */
  readonly checkInterval: number;
  /** Between two looks whether certificate files changed. */
  readonly certificateInterval: number;
}

export const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  bodyBytes: 4 * 1024 * 1024,
  handshakeTimeout: 15_000,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than the minute for which load balancers keep theirs: whoever closes first must not be the one that is asked.
  keepAliveTimeout: 75_000,
  checkInterval: 5_000,
  certificateInterval: 5_000,
};
