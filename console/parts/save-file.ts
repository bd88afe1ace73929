/** Lets the browser save a file, as if it had been downloaded under this name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the content by the time this runs.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
