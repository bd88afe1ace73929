import chromium from "@sparticuz/chromium";

// A process of its own, as its folder for temporary files is where the package unpacks to.
await chromium.executablePath();
