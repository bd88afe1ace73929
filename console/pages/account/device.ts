/**
 * A browser and its system in words, from what it says of itself (RFC 9110 §10.1.5): "Firefox on Windows". Undefined when
 * neither is known. Browsers may say whatever they like; it helps people to tell their own apart, and proves nothing.
 */
export function deviceOf(userAgent: string): string | undefined {
  const browser = nameOf(BROWSERS, userAgent);
  const system = nameOf(SYSTEMS, userAgent);
  if (browser === undefined) return system;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function nameOf(names: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return names.find(([mark]) => mark.test(userAgent))?.[1];
}

/** Most browsers name others, too: whoever is named by more comes later. */
const BROWSERS = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\/|\bOpera\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
] as const;

const SYSTEMS = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;
