import { separateWords } from '@countersign/contract/resource'
import {
  applySignerPreset,
  SIGNER_PRESET_NAMES,
  SIGNER_PRESETS,
  type SignerPreset,
} from '@countersign/contract/signer-presets'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { withController } from '../session/with-controller.ts'
import { SIGNERS } from './kinds.ts'
import { mergeMembers } from './merge-members.ts'
import type { Members } from './references.ts'

type Question = SignerPreset['questions'][number]

const flagOf = ({ name }: Question): string => separateWords(name, '-')
const FIELD_FLAGS: ReadonlySet<string> = new Set(SIGNERS.fields.map(({ flag }) => flag))

/** The flags for questions of presets that are not flags of members too. */
const QUESTION_FLAGS: readonly Flag[] = [
  ...Map.groupBy(
    SIGNER_PRESETS.flatMap(({ name, questions }) => questions.map((question) => ({ preset: name, question }))),
    ({ question }) => flagOf(question),
  ),
].flatMap(([name, uses]) => {
  const [first] = uses
  if (FIELD_FLAGS.has(name) || !first) return []
  const presets = uses.map(({ preset }) => preset).join(', ')
  const help = uses.length === 1 ? `${first.question.help}, such as ${first.question.example}` : first.question.label
  return [{ name, value: 'TEXT', description: `For --preset ${presets}: ${help}` }]
})

/** The flags of `signers create` that say where members come from. */
export const SOURCE_FLAGS: readonly Flag[] = [
  { name: 'discover', value: 'ISSUER', description: 'Read the members from the discovery document of this issuer' },
  {
    name: 'preset',
    value: 'NAME',
    choices: SIGNER_PRESET_NAMES,
    description: `Fill the members for a provider: ${SIGNER_PRESET_NAMES.join(', ')}`,
  },
  ...QUESTION_FLAGS,
]

export const SOURCE_HELP: readonly string[] = [
  'A preset asks only for what differs between installations: in a terminal what no flag has given, else a missing flag is an error.',
  ...SIGNER_PRESETS.map(({ name, questions }) => {
    const flags = questions.map((question) => {
      const flag = `--${flagOf(question)}`
      return question.default === undefined ? flag : `[${flag}]`
    })
    return `  ${name.padEnd(Math.max(...SIGNER_PRESET_NAMES.map(({ length }) => length)))}  ${flags.join(' ')}`
  }),
]

/** Adds the members of `--preset` or `--discover`, which the members override. */
export async function completeFromSource(call: Call, members: Members): Promise<Members> {
  const { preset, discover } = call.flags
  if (preset !== undefined && discover !== undefined)
    throw usageError('--preset and --discover exclude each other', 'use one of them')
  if (preset !== undefined) return completeFromPreset(call, members)
  const stray = QUESTION_FLAGS.find(({ name }) => call.flags[name] !== undefined)
  if (stray) throw usageError(`--${stray.name} needs a preset`, `add --preset ${SIGNER_PRESET_NAMES.join(' or ')}`)
  if (typeof discover !== 'string') return mergeMembers(SIGNERS.defaults, members)
  const found = await withController(call, (client) => client.signers.discover(discover))
  return mergeMembers(SIGNERS.defaults, mergeMembers(found, members))
}

async function completeFromPreset(call: Call, members: Members): Promise<Members> {
  const preset = SIGNER_PRESETS.find(({ name }) => name === call.flags.preset)
  if (!preset) throw new TypeError('parseFlags refuses other values')
  const result = applySignerPreset(preset.name, await readAnswers(call, preset))
  if (!result.ok) throw refusedValues(preset, result.errors)
  for (const warning of result.warnings) call.terminal.note(`note: ${warning}`)
  // A flag that is the answer to a question is in the preset's members already, in the form that the provider uses.
  const answered = new Set(preset.questions.map(flagOf))
  const rest = Object.entries(members).filter(([member, value]) => {
    const { flag } = SIGNERS.fields.find((field) => field.member === member) ?? {}
    return flag === undefined || !answered.has(flag) || value !== call.flags[flag]
  })
  return mergeMembers(SIGNERS.defaults, mergeMembers(result.signer, Object.fromEntries(rest)))
}

/** The values of the flags. In a terminal, asks for required ones that are missing. */
async function readAnswers({ flags, input }: Call, { questions }: SignerPreset): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const question of questions) {
    const flag = flags[flagOf(question)]
    if (typeof flag === 'string') values[question.name] = flag
    else if (question.default === undefined && input.isInteractive) {
      const { label, help, example } = question
      values[question.name] = await input.ask(`${label} (${help}), such as ${example}: `)
    }
  }
  const known = new Set(questions.map(flagOf))
  for (const { name } of QUESTION_FLAGS) {
    if (flags[name] !== undefined && !known.has(name)) values[name] = String(flags[name])
  }
  return values
}

function refusedValues({ name, questions }: SignerPreset, errors: Readonly<Record<string, string>>): CliError {
  const messages = Object.entries(errors).map(([member, reason]) => `--${separateWords(member, '-')} ${reason}`)
  const [first = ''] = Object.keys(errors)
  const question = questions.find((one) => one.name === first)
  const all = questions.map((one) => `--${flagOf(one)}`).join(', ')
  const hint = question ? `${question.help}, such as ${question.example}` : `flags of --preset ${name} are ${all}`
  return new CliError(messages, { hint, exitCode: EXIT.usage })
}
