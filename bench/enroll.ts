/** How fast identities enroll, and how fast certificates are issued by the function alone, beside nothing but the signatures that takes. */
import { measureEnrolling } from './support/enrolling.ts'
import { measureIssuing } from './support/issuing.ts'

const KINDS = ['ec256', 'rsa2048', 'ed25519'] as const

/** Prints tables of enrollments and of certificates per second, and the processor time of one. */
export async function run(): Promise<void> {
  await measureEnrolling()
  const columns = ['issued/s', 'CPU ms', 'bare/s', 'CPU ms', 'of bare']
  console.log(['key     ', ...columns.map((column) => column.padStart(10))].join(''))
  for (const kind of KINDS) {
    const { issue, bare } = await measureIssuing(kind)
    const cells = [
      Math.round(issue.perSecond).toLocaleString('en-US'),
      issue.cpuMs.toFixed(3),
      Math.round(bare.perSecond).toLocaleString('en-US'),
      bare.cpuMs.toFixed(3),
      `${Math.round((100 * bare.cpuMs) / issue.cpuMs)} %`,
    ]
    console.log([kind.padEnd(8), ...cells.map((cell) => cell.padStart(10))].join(''))
  }
}
