import type { ControllerClient, KeyStatus } from '@countersign/sdk'
import { withProfileFlag } from '../session/with-profile-flag.ts'
import { shellQuote } from '../shell-quote.ts'
import { isSdkError, toCliError } from '../to-cli-error.ts'
import type { Finding } from './finding.ts'

const UNAUTHORIZED = 401

/** Checks the keys of every enabled signer. Reads each one, because the list has no `keyStatus`. */
export async function checkSigners(client: ControllerClient, profileName: string): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    for await (const { id, name } of client.signers.list({ filter: 'enabled = true' })) {
      const { keyStatus } = await client.signers.get(id)
      const refresh = `run: ${withProfileFlag(`countersign signers refresh ${shellQuote(name)}`, profileName)}`
      if (keyStatus) findings.push({ check: `signer ${name}`, ...checkKeys(keyStatus, refresh) })
    }
  } catch (error) {
    if (!isSdkError(error)) throw error
    if (error.status === UNAUTHORIZED)
      findings.push({ check: 'signers', ok: true, says: 'not checked: you are not allowed to read signers' })
    else findings.push({ check: 'signers', ok: false, says: (toCliError(error) as Error).message })
  }
  return findings
}

function checkKeys({ source, keys, lastError, warnings }: KeyStatus, refresh: string): Omit<Finding, 'check'> {
  if (lastError) return { ok: false, says: lastError, hint: refresh }
  const warned = warnings.length > 0 ? warnings.join('; ') : undefined
  if (keys.length > 0) return { ok: true, says: 'its keys are loaded', hint: warned }
  if (source === 'jwks') return { ok: true, says: 'its keys have not been fetched yet', hint: warned ?? refresh }
  return { ok: false, says: 'it has no keys', hint: warned }
}
