import type { ProductionPackage } from './production-packages.ts'

interface Part {
  readonly name: string
  readonly version: string
  readonly license?: string | undefined
  readonly integrity?: string | undefined
}

/** A CycloneDX 1.5 list of what is in the image. Without time and serial number, so that two builds are the same. */
export function buildSbom(product: Part, own: readonly Part[], others: readonly ProductionPackage[]): object {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', ...componentOf(product) } },
    components: [...own, ...others].map((part) => ({ type: 'library', ...componentOf(part) })),
  }
}

function componentOf({ name, version, license, integrity }: Part): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, digest] = integrity?.split('-', 2) ?? []
  return {
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license && { licenses: [{ expression: license }] }),
    ...(algorithm === 'sha512' &&
      digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}
