import type { Component } from "./components.ts";

/** The product itself. */
export interface Product {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/**
 * The components as a software bill of materials: CycloneDX 1.6, JSON. It has neither a time nor a serial number, so that the
 * same sources give the same file.
 */
export function billOfMaterials(product: Product, components: readonly Component[]): object {
  const own = { ...describe(product), type: "application" };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components: components.map((component) => ({
      ...describe(component),
      hashes: [{ alg: "SHA-512", content: Buffer.from(component.sha512, "base64").toString("hex") }],
    })),
    dependencies: [{ ref: own["bom-ref"], dependsOn: components.map(packageURL) }],
  };
}

/** The licenses of all components with their texts, for people. */
export function licenseList(components: readonly Component[]): string {
  const head = components.map((component) => `${component.name} ${component.version}: ${component.license}`);
  const texts = components.map((component) => {
    const { name, version, license } = component;
    const body =
      component.texts.map((text) => text.trim()).join("\n\n") || `${license}. The package has no text of it.`;
    return `${"-".repeat(80)}\n${name} ${version}\n\n${body}\n`;
  });
  return `This package includes code of these packages:\n\n${head.join("\n")}\n\n${texts.join("\n")}`;
}

function describe({ name, version, license }: Product) {
  const [scope, base = ""] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": packageURL({ name, version }),
    ...(scope !== undefined && { group: scope }),
    name: base,
    version,
    licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }],
    purl: packageURL({ name, version }),
  };
}

/** As the package URL specification has it for npm. */
function packageURL({ name, version }: Pick<Product, "name" | "version">): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
