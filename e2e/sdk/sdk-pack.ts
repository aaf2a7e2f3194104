import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { emitPackage } from '../../tools/publish/emit-package.ts'
import { publishedPackages } from '../../tools/publish/published-packages.ts'

/** Builds the SDK as published, with the contract it needs, in a folder that is removed after the test. */
export async function buildSdk(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-build-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true })
  for (const one of publishedPackages) if (['contract', 'sdk'].includes(one.folder)) await emitPackage(one, folder)
  return { dist: join(folder, 'sdk/dist') }
}
