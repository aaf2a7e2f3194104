/**
 * `npm run check:deploy [-- chart|image]`: builds helm and a strict decoder with Go, lints and renders the chart and decodes it into the types of Kubernetes;
 * builds the container image twice, compares both, and runs it. Needs Go, and apt with root rights for buildah and podman where they are missing.
 */
import { checkChart } from './deploy/check-chart.ts'
import { checkImage } from './deploy/check-image.ts'

const CHECKS: Readonly<Record<string, () => Promise<void>>> = { chart: checkChart, image: checkImage }
const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}\nusage: npm run check:deploy [-- chart|image]`)
  process.exit(2)
}
let failed = 0
const chosen = Object.entries(CHECKS).filter(([name]) => names.length === 0 || names.includes(name))
for (const [name, check] of chosen) {
  console.log(`\n# ${name}`)
  try {
    await check()
  } catch (error) {
    failed++
    console.error(error instanceof Error ? error.message : error)
  }
}
console.log(`\n${chosen.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
