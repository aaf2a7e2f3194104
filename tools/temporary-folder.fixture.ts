import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Creates a temporary folder with these files for one test. Values other than strings are written as JSON. */
export function makeFolder(t: TestContext, files: Record<string, unknown> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-tools-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}
