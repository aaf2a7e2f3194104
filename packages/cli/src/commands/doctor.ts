import { EXIT } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { checkProviders } from '../doctor/check-providers.ts'
import { checkCertificate, checkConnection, checkSession } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'
import { getProfile } from '../files/profiles.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CALL_FLAGS, CREDENTIALS_FLAG } from '../session/call-flags.ts'
import { readSecondJwt } from '../session/second-jwt.ts'
import { withProgress } from '../with-progress.ts'

/** `countersign doctor`: check everything that a login and the hosted API need. */
export const doctor: Command = {
  args: [],
  flags: [...CALL_FLAGS, CREDENTIALS_FLAG],
  details: [
    'Checks the connection, the clock, the certificate, the identity providers of people, the session, the keys of signers,',
    'leftovers of --dev and the API account.',
  ],
  examples: [{ command: 'countersign doctor --profile ci', description: 'check everything that a login needs' }],
  async run(call) {
    const { name, profile } = getProfile(call)
    const findings: Finding[] = [{ check: 'profile', ok: true, says: `${name}: ${profile.url}` }]
    const check = async () => {
      findings.push(...(await checkConnection(profile)))
      if (findings.every(({ ok }) => ok)) {
        findings.push(await checkCertificate(profile))
        findings.push(...(await checkProviders(profile)))
        if (profile.credentials === undefined)
          findings.push(...(await checkSession(profile, name, (await readSecondJwt(call)) ?? profile.secondJwt)))
        if (profile.credentials !== undefined || call.flags.credentials !== undefined)
          findings.push(await (await import('../doctor/check-account.ts')).checkAccount(call, profile))
      }
    }
    await withProgress(call.terminal, 'checking…', check())
    if (getFormat(call) !== 'table') await printData(call, findings)
    else printFindings(call, findings)
    if (findings.every(({ ok }) => ok)) return EXIT.ok
    return findings.some(({ check, ok }) => check === 'connection' && !ok) ? EXIT.unreachable : EXIT.failure
  },
}

function printFindings({ terminal }: Call, findings: readonly Finding[]): void {
  for (const { check, ok, says, hint } of findings) {
    terminal.out([ok ? ['green', '✔ '] : ['red', '✘ '], `${check}: ${says}`])
    if (hint !== undefined) terminal.out([['cyan', '  hint: '], hint])
  }
}
