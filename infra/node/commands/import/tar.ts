const BLOCK = 512;
/** What an archive holds at most, with its folders. */
const MOST_ENTRIES = 1_000;
/** Of a header that extends the next one (pax), bytes. */
const LONGEST_EXTENSION = 65_536;

/** The archive is refused. The message goes on "The bundle …". */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/**
 * The regular files of a tar archive (POSIX ustar and pax), by name. Folders are left out. Whatever could be read in two ways, or
 * could lead out of a folder, is refused: links, devices, names that are absolute, have `..` or stand there twice.
 * @throws ArchiveError
 */
export function filesOfTar(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let extension: ReadonlyMap<string, string> | undefined;
  let entries = 0;
  let at = 0;
  for (; ; at += BLOCK) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new ArchiveError("ends in the middle of its archive");
    if (isEmpty(header)) break;
    if (++entries > MOST_ENTRIES) throw new ArchiveError(`has more than ${MOST_ENTRIES} entries`);
    mustBeHeader(header);
    const kind = String.fromCharCode(header[156] || 0x30);
    const size = extension?.has("size") ? decimal(extension.get("size")) : octal(header, 124, 12);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new ArchiveError("ends in the middle of a file");
    at += Math.ceil(size / BLOCK) * BLOCK;
    if (kind === "x") {
      if (extension !== undefined) throw new ArchiveError("extends the name of a file twice");
      extension = extensionIn(content);
      continue;
    }
    const name = safeName(extension?.get("path") ?? nameIn(header), kind);
    extension = undefined;
    if (kind === "5" && size === 0) continue;
    if (kind !== "0") throw new ArchiveError(`has ${JSON.stringify(name)}, which is no regular file`);
    if (files.has(name)) throw new ArchiveError(`has ${JSON.stringify(name)} twice`);
    files.set(name, content);
  }
  if (extension !== undefined) throw new ArchiveError("extends the name of no file");
  if (archive.length - at < 2 * BLOCK || !isEmpty(archive.subarray(at))) {
    throw new ArchiveError("does not end where its archive ends");
  }
  return files;
}

function mustBeHeader(header: Uint8Array): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (octal(header, 148, 8) !== sum) throw new ArchiveError("has a header whose checksum is another one");
  const magic = latin(header, 257, 5);
  if (magic !== "ustar") throw new ArchiveError("is no tar archive in the format ustar or pax");
}

/** GNU's own format, which begins with the same letters, has no prefix. */
function nameIn(header: Uint8Array): string {
  const prefix = header[262] === 0 ? field(header, 345, 155) : "";
  const name = field(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Without `./` in front of it, and of a folder without `/` behind it. */
function safeName(written: string, kind: string): string {
  const name = (kind === "5" ? written.replace(/\/$/, "") : written).replace(/^\.\//, "");
  if (kind === "5" && (name === "." || name === "")) return ".";
  const isSafe = !/[\p{Cc}\\:]/u.test(name) && name.split("/").every((part) => !["", ".", ".."].includes(part));
  if (!isSafe) throw new ArchiveError(`has the name ${JSON.stringify(written.slice(0, 100))}, which leads elsewhere`);
  return name;
}

/** Records of `LENGTH KEY=VALUE` and a line feed each (POSIX pax, "extended header"). */
function extensionIn(content: Uint8Array): ReadonlyMap<string, string> {
  if (content.length > LONGEST_EXTENSION) throw new ArchiveError("has a header that is too long");
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const [, digits] = /^([1-9]\d{0,5}) /.exec(latin(content, at, 8)) ?? [];
    const end = at + Number(digits);
    const record = digits === undefined || end > content.length ? "" : text(content.subarray(at, end));
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(record) ?? [];
    if (key === undefined || value === undefined || records.has(key) || key.startsWith("GNU.sparse")) {
      throw new ArchiveError("has a header that cannot be read");
    }
    records.set(key, value);
    at = end;
  }
  return records;
}

function octal(header: Uint8Array, at: number, length: number): number {
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(latin(header, at, length)) ?? [];
  if (digits === undefined) throw new ArchiveError("has a header with a number that cannot be read");
  return Number.parseInt(digits, 8);
}

function decimal(digits = ""): number {
  if (!/^\d{1,12}$/.test(digits)) throw new ArchiveError("has a header with a number that cannot be read");
  return Number(digits);
}

function field(header: Uint8Array, at: number, length: number): string {
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return text(end < 0 ? bytes : bytes.subarray(0, end));
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ArchiveError("has a name that is not UTF-8", { cause });
  }
}

function latin(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

function isEmpty(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
