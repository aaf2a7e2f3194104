import type { ControllerClient, KeyStatus } from '@countersign/sdk'
import { forProfile } from '../session/profile-words.ts'
import { shellQuote } from '../shell-quote.ts'
import { isSdkError, toExplained } from '../to-explained.ts'
import type { Finding } from './finding.ts'

const UNAUTHORIZED = 401

/** The keys of every signer that is enabled. Only the answer for one signer tells of them, not the list. */
export async function checkSigners(client: ControllerClient, profileName: string): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    for await (const { id, name } of client.signers.list({ filter: 'enabled = true' })) {
      const { keyStatus } = await client.signers.get(id)
      const refresh = `run: ${forProfile(`countersign signers refresh ${shellQuote(name)}`, profileName)}`
      if (keyStatus) findings.push({ check: `signer ${name}`, ...judgeKeys(keyStatus, refresh) })
    }
  } catch (error) {
    if (!isSdkError(error)) throw error
    if (error.status === UNAUTHORIZED) findings.push({ check: 'signers', ok: true, says: 'you may not see them' })
    else findings.push({ check: 'signers', ok: false, says: (toExplained(error) as Error).message })
  }
  return findings
}

function judgeKeys({ source, keys, lastError, warnings }: KeyStatus, refresh: string): Omit<Finding, 'check'> {
  if (lastError) return { ok: false, says: lastError, hint: refresh }
  const warned = warnings.length > 0 ? warnings.join('; ') : undefined
  if (keys.length > 0) return { ok: true, says: 'its keys are here', hint: warned }
  if (source === 'jwks') return { ok: true, says: 'its keys have not been fetched yet', hint: warned ?? refresh }
  return { ok: false, says: 'it has no keys', hint: warned }
}
