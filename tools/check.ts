/**
 * `npm run check [-- names]`: static checks of the sources.
 *
 * Each check runs twice: on the repository, where it must look at something and find nothing, and on its planted violations
 * under tools/check/planted, where it must find every one of them.
 */
import { join } from 'node:path'
import type { Check, Findings } from './check/check.ts'
import { checks } from './check/checks.ts'
import { findVerdict } from './check/find-verdict.ts'
import { root } from './paths.ts'

const names = process.argv.slice(2)
const selected = checks.filter((check) => names.length === 0 || names.some((name) => check.name.includes(name)))
const lines: string[][] = [['check', 'looked at', 'result', 'ms']]
let failed = selected.length === 0
for (const check of selected) {
  const started = performance.now()
  const findings = await look(check, root)
  const planted = await look(check, join(root, 'tools/check/planted', check.planted.folder))
  const verdict = findVerdict(check, findings, planted)
  if (verdict.length > 0) {
    failed = true
    console.log(`\n✖ ${check.name}\n${verdict.join('\n').replaceAll(/^/gm, '  ')}\n`)
  }
  if (findings.absent !== undefined) console.log(`${check.name}: ${findings.absent}`)
  const result = verdict.length === 0 ? '✔' : `✖ ${verdict.length}`
  lines.push([check.name, String(findings.looked), result, String(Math.round(performance.now() - started))])
}
for (const line of lines) console.log(line.map((cell, column) => cell.padEnd([24, 11, 8, 0][column] ?? 0)).join(''))
process.exitCode = failed ? 1 : 0

async function look(check: Check, base: string): Promise<Findings> {
  try {
    return await check.look(base)
  } catch (error) {
    return { looked: 0, problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}
