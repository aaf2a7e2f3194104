import {
  findWorkloadPreset,
  WORKLOAD_PLATFORMS,
  type WorkloadPlatform,
  type WorkloadPreset,
  workloadTargetForm,
} from '@countersign/contract/workload-presets'
import type { AccountInput, HostedClient } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import { collect } from '../collect.ts'
import type { Call, Flag } from '../command.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { textFlag } from '../text-flag.ts'
import { withHosted } from './with-hosted.ts'

/** The flags for the conditions of an account without secrets. */
export const CONDITION_FLAGS: readonly Flag[] = [
  {
    name: 'condition',
    value: 'CLAIM=VALUE',
    repeatable: true,
    description: 'For tokens in which the claim has this value, or one of several: no secret; can be repeated',
  },
  {
    name: 'condition-glob',
    value: 'CLAIM=PATTERN',
    repeatable: true,
    description: 'The same for a pattern: * is any run of characters, ? is one; can be repeated',
  },
  {
    name: 'confirm-broad',
    description: 'Accept conditions that any repository, project or namespace at the issuer would meet',
  },
]

/** The flags of `accounts create` for accounts without secrets. */
export const FEDERATED_FLAGS: readonly Flag[] = [
  {
    name: 'github',
    value: 'OWNER/REPOSITORY',
    description: 'For jobs of GitHub Actions in this repository: no secret',
  },
  { name: 'gitlab', value: 'GROUP/PROJECT', description: 'For jobs of GitLab CI in this project: no secret' },
  {
    name: 'kubernetes',
    value: 'NAMESPACE/ACCOUNT',
    description: 'For pods with this service account: no secret; name the cluster with --issuer or --provider',
  },
  { name: 'environment', value: 'NAME', description: 'Only jobs of this environment' },
  { name: 'branch', value: 'NAME', description: 'Only jobs of this branch' },
  {
    name: 'issuer',
    value: 'URL',
    description: 'The issuer of the cluster, or of a GitHub or GitLab server of your own',
  },
  ...CONDITION_FLAGS,
]

type Conditions = Readonly<Record<string, string | readonly string[] | { readonly glob: string }>>

interface Workload {
  readonly preset: WorkloadPreset | undefined
  readonly conditions: Conditions
}

/** What the flags say about an account without secrets; undefined when they describe one with a client. */
export function findWorkload({ flags }: Call): Workload | undefined {
  const platforms = WORKLOAD_PLATFORMS.filter((name) => flags[name] !== undefined)
  if (platforms.length > 1) throw usageError(`--${platforms.join(' and --')} exclude each other`, 'name one platform')
  const [platform] = platforms
  const preset = platform && getPreset(platform, flags)
  const given = readConditions(flags)
  const both = Object.keys(given).find((claim) => preset?.conditions[claim] !== undefined)
  if (both)
    throw usageError(`--${platform} sets a condition for ${both} already`, `leave out the condition for ${both}`)
  const conditions = { ...preset?.conditions, ...given }
  if (preset || Object.keys(conditions).length > 0) return { preset, conditions }
  const alone = ['environment', 'branch', 'issuer', 'confirm-broad'].find((name) => flags[name] !== undefined)
  if (alone)
    throw usageError(`--${alone} needs a platform or a condition`, 'add --github OWNER/REPOSITORY, for example')
  return undefined
}

function getPreset(platform: WorkloadPlatform, flags: Call['flags']): WorkloadPreset {
  const [target, environment, branch] = [platform, 'environment', 'branch'].map((name) => textFlag(flags, name))
  const preset = findWorkloadPreset(platform, { target: target ?? '', environment, branch })
  if (preset) return preset
  throw usageError(
    `"${target}" is not ${workloadTargetForm(platform)}`,
    `write --${platform} ${workloadTargetForm(platform)}`,
  )
}

function pairsOf(given: Call['flags'][string], form: string): [claim: string, value: string][] {
  return [given ?? []].flat().map((text) => {
    const [claim, ...rest] = String(text).split('=')
    if (claim && rest.length > 0) return [claim, rest.join('=')]
    throw usageError(`"${String(text)}" is not ${form}`, `write ${form}`)
  })
}

/** The conditions of `--condition` and `--condition-glob`. Throws when a claim has several of which one would replace another. */
export function readConditions({ condition, 'condition-glob': patterns }: Call['flags']): Conditions {
  const values = readValues(condition)
  const globs: Record<string, { readonly glob: string }> = {}
  for (const [claim, glob] of pairsOf(patterns, 'CLAIM=PATTERN')) {
    if (values[claim] !== undefined || globs[claim] !== undefined) {
      const hint = `give ${claim} values with --condition, or one pattern with --condition-glob`
      throw usageError(`there are several conditions for ${claim}`, hint)
    }
    globs[claim] = { glob }
  }
  return { ...values, ...globs }
}

/** A claim that is given several times has one of the values. */
function readValues(given: Call['flags'][string]): Record<string, string | readonly string[]> {
  const byClaim = Map.groupBy(pairsOf(given, 'CLAIM=VALUE'), ([claim]) => claim)
  return Object.fromEntries(
    [...byClaim].map(([claim, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [claim, values.length === 1 ? String(values[0]) : values]
    }),
  )
}

type FindProviderId = (client: HostedClient, nameOrId: unknown) => Promise<string>

/** Creates a federated account and prints the audience and configuration for its jobs. */
export async function createFederated(
  call: Call,
  { preset, conditions }: Workload,
  body: Omit<AccountInput, 'identityProviderId'>,
  findProviderId: FindProviderId,
): Promise<number> {
  const { flags, terminal } = call
  const format = getFormat(call)
  const confirmBroad = flags['confirm-broad'] === true
  const issuer = textFlag(flags, 'issuer') ?? preset?.issuer
  if (preset && issuer === undefined && flags.provider === undefined) {
    const hint =
      'add --issuer URL, the "issuer" of "kubectl get --raw /.well-known/openid-configuration", or --provider NAME'
    throw usageError('the cluster is not named', hint)
  }
  const { account, audience, created, url } = await withHosted(call, async (client, { url }) => {
    const provider =
      flags.provider === undefined && issuer !== undefined
        ? await ensureProvider(client, issuer, preset?.providerName ?? issuer)
        : { id: await findProviderId(client, flags.provider), created: undefined }
    const input = { ...body, kind: 'federated' as const, conditions, identityProviderId: provider.id }
    return {
      account: await client.accounts.create(input, { confirmBroad }),
      audience: await getAudience(client),
      created: provider.created,
      url,
    }
  })
  const { id, name } = account
  const snippet = preset?.snippet(audience, url)
  if (format !== 'table') {
    await printData(call, { id, name, audience, conditions: account.conditions, ...(snippet && { snippet }) })
  } else {
    if (created) terminal.out(`created identity provider ${created}`)
    terminal.out(`created account ${name} (${id}), which needs no credentials`)
    terminal.out(`audience: ${audience}`)
    for (const line of snippet?.trimEnd().split('\n') ?? []) terminal.out(`  ${line}`)
  }
  if (preset?.warning) terminal.note(`warning: ${preset.warning}`)
  return EXIT.ok
}

/** The audience that tokens of the organization's federated accounts must have. */
export async function getAudience(client: HostedClient): Promise<string> {
  const [organization] = await collect(client.organizations.list())
  return organization?.audience ?? ''
}

/** Finds the record of an issuer, or creates one. `created` is its name then. */
async function ensureProvider(
  client: HostedClient,
  issuer: string,
  name: string,
): Promise<{ readonly id: string; readonly created: string | undefined }> {
  const all = await collect(client.providers.list())
  const known = all.find((provider) => provider.issuer === issuer)
  if (known) return { id: known.id, created: undefined }
  const isTaken = all.some((provider) => provider.name === name)
  const made = await client.providers.create({ name: isTaken ? issuer : name, kind: 'oidc', issuer })
  return { id: made.id, created: made.name }
}
