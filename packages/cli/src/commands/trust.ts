import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextFile } from '../files/load-text-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { getFormat, OUTPUT_FLAG, printData } from '../output/print-result.ts'
import { CA_FILE_FLAG, PROFILE_FLAG, QUIET_FLAG } from '../session/call-flags.ts'

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
    OUTPUT_FLAG,
    QUIET_FLAG,
  ],
  details: ['Changes nothing: prints the fingerprint to compare, and the commands to run.'],
  examples: [
    { command: 'countersign trust', description: 'print the fingerprint and the commands to run' },
    { command: 'countersign trust --pem', description: 'print the certificate' },
  ],
  async run(call) {
    const { pem, source } = findCa(call)
    const { subject, fingerprint256, validTo } = new X509Certificate(pem)
    const root = new X509Certificate(pem).toString()
    if (call.flags.pem === true) {
      for (const line of root.trimEnd().split('\n')) call.terminal.out(line)
      return EXIT.ok
    }
    if (getFormat(call) !== 'table') {
      await printData(call, {
        fingerprint: fingerprint256,
        subject: subject.split('\n').join(', '),
        validTo,
        source,
        pem: root,
      })
      return EXIT.ok
    }
    for (const line of buildInstructions({ subject, fingerprint256, validTo, source })) call.terminal.out(line)
    return EXIT.ok
  },
}

function findCa(call: Call): { readonly pem: string; readonly source: string } {
  const { flags, env } = call
  if (typeof flags['ca-file'] === 'string') return fromFile(flags['ca-file'])
  if (typeof flags['data-dir'] === 'string') return fromFile(join(flags['data-dir'], 'keys', 'ca.pem'))
  const name = getProfileName(call)
  const profile = findProfile(env, name)
  if (profile?.caPem !== undefined) return { pem: profile.caPem, source: `profile ${name}` }
  const file = join('.countersign', 'keys', 'ca.pem')
  if (existsSync(file)) return fromFile(file)
  throw new CliError('no CA certificate was found', {
    hint: 'log in, or name the data directory with --data-dir or the certificate with --ca-file',
    exitCode: EXIT.notFound,
  })
}

function fromFile(file: string): { readonly pem: string; readonly source: string } {
  return { pem: loadTextFile(file), source: file }
}

interface CaDetails {
  readonly subject: string
  readonly fingerprint256: string
  readonly validTo: string
  readonly source: string
}

function buildInstructions({ subject, fingerprint256, validTo, source }: CaDetails): string[] {
  return [
    `${subject.split('\n').join(', ')}, until ${validTo} (${source})`,
    `SHA-256 ${fingerprint256}`,
    '',
    'For one command:',
    `  countersign login URL --fingerprint ${fingerprint256}`,
    '  countersign trust --pem > ca.pem && curl --cacert ca.pem …',
    'For programs on Node:',
    '  countersign trust --pem > ca.pem && export NODE_EXTRA_CA_CERTS="$PWD/ca.pem"',
    'For this machine:',
    '  Debian, Ubuntu   countersign trust --pem | sudo tee /usr/local/share/ca-certificates/countersign.crt && sudo update-ca-certificates',
    '  Fedora, RHEL     countersign trust --pem | sudo tee /etc/pki/ca-trust/source/anchors/countersign.crt && sudo update-ca-trust',
    '  macOS            countersign trust --pem > ca.pem && sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ca.pem',
  ]
}
