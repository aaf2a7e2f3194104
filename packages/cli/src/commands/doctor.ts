import { EXIT } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { checkCa } from '../doctor/check-ca.ts'
import { checkProviders } from '../doctor/check-providers.ts'
import { type Controller, checkCertificate, checkConnection, checkSession } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'
import { findProfile, getProfile, getProfileName } from '../files/profiles.ts'
import { findHostedAddress, loadCa } from '../hosted/hosted-api.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { findManager } from '../session/open-controller.ts'
import { readSecondJwt } from '../session/second-jwt.ts'
import { withProgress } from '../with-progress.ts'

/** `countersign doctor`: check everything that a login and the hosted API need. */
export const doctor: Command = {
  args: [],
  flags: [
    { name: 'backup', value: 'FOLDER', description: 'Check a backup of a controller on PostgreSQL, and nothing else' },
    ...CALL_FLAGS,
  ],
  details: [
    'Checks the connection, the clock, the certificate, the identity providers of people, the session, the keys of signers,',
    'leftovers of --dev and the API account. --backup checks that a dump, its sealing key and its CA are complete and belong together.',
  ],
  examples: [
    { command: 'countersign doctor --profile ci', description: 'check everything that a login needs' },
    { command: 'countersign doctor --backup /backup/monday', description: 'check a backup before it is needed' },
  ],
  async run(call) {
    const { backup } = call.flags
    if (typeof backup === 'string') {
      const { checkPostgresBackup } = await import('@countersign/server')
      return report(call, await checkPostgresBackup(backup))
    }
    const target = getTarget(call)
    const findings: Finding[] = [{ check: target.check, ok: true, says: target.says }]
    const check = async () => {
      findings.push(...(await checkConnection(target)))
      if (!findings.every(({ ok }) => ok)) return
      findings.push(await checkCertificate(target))
      findings.push(...(await checkCa(target)))
      findings.push(...(await checkProviders(target)))
      findings.push(...(await checkLogin(call)))
    }
    await withProgress(call.terminal, 'checking…', check())
    return report(call, findings)
  },
}

async function report(call: Call, findings: readonly Finding[]): Promise<number> {
  if (getFormat(call) !== 'table') await printData(call, findings, ({ check }: Finding) => check)
  else printFindings(call, findings)
  if (findings.every(({ ok }) => ok)) return EXIT.ok
  return findings.some(({ check, ok }) => check === 'connection' && !ok) ? EXIT.unreachable : EXIT.failure
}

/** The controller to check: of the profile, or of the flags and the environment. Throws when none is named. */
function getTarget(call: Call): Controller & Pick<Finding, 'check' | 'says'> {
  const profile = findProfile(call.env, getProfileName(call))
  const address = findHostedAddress(call)
  if (!address || address.url === profile?.url) {
    const { name, profile: own } = getProfile(call)
    return { url: own.url, caPem: loadCa(call, own.url), check: 'profile', says: `${name}: ${own.url}` }
  }
  const { url, source } = address
  return { url, caPem: loadCa(call, url), check: 'address', says: `${url} (${source})` }
}

/** The session of the profile, or the API account: whichever management commands would use. */
async function checkLogin(call: Call): Promise<Finding[]> {
  const caller = await findManager(call)
  if (!('session' in caller) && !('tried' in caller)) {
    const { checkAccount } = await import('../doctor/check-account.ts')
    return checkAccount(call, caller)
  }
  if ('tried' in caller && !findProfile(call.env, getProfileName(call))) {
    return [{ check: 'API account', ok: false, says: caller.tried }]
  }
  const { name, profile } = getProfile(call)
  return checkSession(profile, name, (await readSecondJwt(call)) ?? profile.secondJwt)
}

function printFindings({ terminal }: Call, findings: readonly Finding[]): void {
  for (const { check, ok, says, hint } of findings) {
    terminal.out([ok ? ['green', '✔ '] : ['red', '✘ '], `${check}: ${says}`])
    if (hint !== undefined) terminal.out([['cyan', '  hint: '], hint])
  }
}
