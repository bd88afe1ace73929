/** Where requests go. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface FormPost {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  /** Value of the `Authorization` header. */
  readonly authorization?: string;
}

/** A form post, ready to be written to a kept-alive HTTP/1.1 connection. */
export function serializePost({ host, port }: Target, { path, form, authorization }: FormPost): Buffer {
  const body = new URLSearchParams(form).toString();
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
}

export interface JsonPost {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A post of what is written already, likewise. */
export function serializeJson({ host, port }: Target, { path, headers, body }: JsonPost): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** `Authorization: Basic` (RFC 6749 §2.3.1) of a client whose id and secret need no encoding. */
export function basic(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
}

export function getRequest({ host, port }: Target, path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`, "latin1");
}
