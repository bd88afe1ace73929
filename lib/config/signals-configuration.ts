/** A transmitter of security events (OpenID Shared Signals Framework 1.0) about people of a connector. */
export interface SignalsConfiguration {
  /** Name of the connector. */
  readonly connector: string;
  /** Of the events; absent: the connector's. */
  readonly issuer?: string;
  /** Where its keys are; absent: the connector's keys. */
  readonly jwksURL?: string;
  readonly audience: readonly string[];
  /** What the transmitter presents here, or is presented where events are fetched; absent: the signature alone counts. */
  readonly token?: string;
  /** Where events are fetched, and how often (milliseconds); absent: the transmitter posts them. */
  readonly poll?: { readonly url: string; readonly interval: number };
}
