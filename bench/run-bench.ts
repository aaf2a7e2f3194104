import { describeOptions, parseBenchOptions } from './bench-options.ts'
import { enroll } from './enroll.ts'
import { events } from './events.ts'
import { growth } from './growth.ts'
import { hosted } from './hosted.ts'
import { keys } from './keys.ts'
import { login } from './login.ts'
import { manage } from './manage.ts'
import { memory } from './memory.ts'
import { oidc } from './oidc.ts'
import { overload } from './overload.ts'
import { possession } from './possession.ts'
import { describeMachine } from './report/describe-machine.ts'
import { flattenSection } from './report/flatten-section.ts'
import type { BenchResult, PartResult, Section } from './report/result.ts'
import { buildTextTable } from './report/text-table.ts'
import { writeReports } from './report/write-reports.ts'
import { scim } from './scim.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { verify } from './verify.ts'

/** In the order of execution. */
const PARTS: Readonly<Record<string, BenchPart>> = {
  verify,
  manage,
  login,
  possession,
  keys,
  events,
  oidc,
  enroll,
  scim,
  hosted,
  memory,
  growth,
  overload,
}

/** Runs the named parts, or all. Prints the tables and writes them as JSON and Markdown. Sets the exit code when a part fails. */
export async function runBench(args: readonly string[]): Promise<void> {
  const all = Object.keys(PARTS)
  const { options, parts: requested, help } = parseBenchOptions(args)
  const unknown = requested.filter((name) => !all.includes(name))
  if (help || unknown.length > 0) {
    if (unknown.length > 0) console.error(`Unknown part: ${unknown.join(', ')}.\n`)
    console.log(describeOptions(all))
    process.exitCode = help ? 0 : 1
    return
  }
  const names = all.filter((name) => requested.length === 0 || requested.includes(name))
  const started = Date.now()
  const parts: PartResult[] = []
  for (const [at, name] of names.entries()) {
    const progress = (text: string) => {
      process.stderr.write(`${formatClock(Date.now() - started)}  ${name} (${at + 1} of ${names.length}): ${text} …\n`)
    }
    parts.push(await runPart(name, { options, progress }))
  }
  const about = { startedAt: new Date(started).toISOString(), machine: describeMachine(), isQuick: options.isQuick }
  const result: BenchResult = { ...about, parts }
  const files = writeReports(result, requested.length === 0 ? 'bench' : names.join('-'))
  console.log(`\n${result.machine.join(', ')}\n\nWritten to:\n${files.map((file) => `  ${file}`).join('\n')}`)
}

async function runPart(part: string, run: Omit<BenchRun, 'report'>): Promise<PartResult> {
  const started = performance.now()
  const sections: Section[] = []
  const report = (section: Section) => {
    sections.push(section)
    console.log(`\n# ${section.title}\n\n${buildTextTable(flattenSection(section))}\n`)
  }
  const done = () => ({ part, seconds: Math.round((performance.now() - started) / 1000), sections })
  try {
    await PARTS[part]?.({ ...run, report })
    return done()
  } catch (error) {
    console.error(error)
    process.exitCode = 1
    return { ...done(), failure: error instanceof Error ? error.message : String(error) }
  }
}

function formatClock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
