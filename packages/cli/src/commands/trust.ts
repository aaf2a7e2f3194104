import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextFile } from '../files/load-text-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CA_FILE_FLAG, PROFILE_FLAG, QUIET_FLAG } from '../session/call-flags.ts'
import { shellQuote } from '../shell-quote.ts'

/** `countersign trust`: how to make this machine, or a program on it, trust the controller's CA. */
export const trust: Command = {
  args: [],
  flags: [
    { ...CA_FILE_FLAG, description: 'The CA certificate [of the profile, else of the data directory]' },
    {
      name: 'data-dir',
      value: 'DIR',
      description: 'The data directory of a controller on this machine [.countersign]',
    },
    { name: 'pem', description: 'Print only the certificate' },
    PROFILE_FLAG,
    QUIET_FLAG,
  ],
  details: ['Changes nothing: prints the fingerprint to compare, and the commands to run.'],
  examples: [
    { command: 'countersign trust', description: 'print the fingerprint and the commands to run' },
    { command: 'countersign trust --pem', description: 'print the certificate' },
  ],
  async run(call) {
    const { pem, source, flag, isNamed } = findCa(call)
    const { subject, fingerprint256, validTo } = new X509Certificate(pem)
    const root = new X509Certificate(pem).toString()
    if (call.flags.pem === true) {
      if (!isNamed)
        throw usageError(`the CA certificate is ${source} of the current folder`, `if you trust it, add ${flag}`)
      call.terminal.note(`CA certificate of ${source}, SHA-256 ${fingerprint256}`)
      for (const line of root.trimEnd().split('\n')) call.terminal.out(line)
      return EXIT.ok
    }
    if (getFormat(call) !== 'table') {
      const [fingerprint, shown] = [fingerprint256, subject.split('\n').join(', ')]
      await printData(call, { fingerprint, subject: shown, validTo, source, pem: root }, () => fingerprint)
      return EXIT.ok
    }
    for (const line of buildInstructions({ subject, fingerprint256, validTo, source, flag })) call.terminal.out(line)
    return EXIT.ok
  },
}

const DATA_DIR = '.countersign'
const caOf = (dataDir: string) => join(dataDir, 'keys', 'ca.pem')

interface FoundCa {
  readonly pem: string
  readonly source: string
  /** Selects this certificate again. Empty for that of the current profile. */
  readonly flag: string
  /** Not if it was found in the current folder. Another user may have prepared that: `--pem`, whose output is trusted unseen, needs it named. */
  readonly isNamed: boolean
}

function findCa(call: Call): FoundCa {
  const { flags, env } = call
  const [file, dir] = [flags['ca-file'], flags['data-dir']]
  if (typeof file === 'string') return fromFile(file, `--ca-file ${shellQuote(file)}`)
  if (typeof dir === 'string') return fromFile(caOf(dir), `--data-dir ${shellQuote(dir)}`)
  const name = getProfileName(call)
  const profile = findProfile(env, name)
  if (profile?.caPem !== undefined) {
    const flag = typeof flags.profile === 'string' ? `--profile ${shellQuote(name)}` : ''
    return { pem: profile.caPem, source: `profile ${name}`, flag, isNamed: true }
  }
  if (existsSync(caOf(DATA_DIR))) return { ...fromFile(caOf(DATA_DIR), `--data-dir ${DATA_DIR}`), isNamed: false }
  throw new CliError('no CA certificate was found', {
    hint: 'log in, or name the data directory with --data-dir or the certificate with --ca-file',
    exitCode: EXIT.notFound,
  })
}

function fromFile(file: string, flag: string): FoundCa {
  return { pem: loadTextFile(file), source: file, flag, isNamed: true }
}

interface CaDetails {
  readonly subject: string
  readonly fingerprint256: string
  readonly validTo: string
  readonly source: string
  readonly flag: string
}

function buildInstructions({ subject, fingerprint256, validTo, source, flag }: CaDetails): string[] {
  const printPem = ['countersign trust --pem', flag].filter(Boolean).join(' ')
  return [
    `${subject.split('\n').join(', ')}, until ${validTo} (${source})`,
    `SHA-256 ${fingerprint256}`,
    '',
    'For one command:',
    `  countersign login URL --fingerprint ${fingerprint256}`,
    `  ${printPem} > ca.pem && curl --cacert ca.pem …`,
    'For programs on Node:',
    `  ${printPem} > ca.pem && export NODE_EXTRA_CA_CERTS="$PWD/ca.pem"`,
    'For this machine:',
    `  Debian, Ubuntu   ${printPem} | sudo tee /usr/local/share/ca-certificates/countersign.crt && sudo update-ca-certificates`,
    `  Fedora, RHEL     ${printPem} | sudo tee /etc/pki/ca-trust/source/anchors/countersign.crt && sudo update-ca-trust`,
    `  macOS            ${printPem} > ca.pem && sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ca.pem`,
  ]
}
