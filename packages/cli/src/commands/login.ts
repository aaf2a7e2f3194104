import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { findProfile, getProfileName, saveProfile } from '../files/profiles.ts'
import { settleTrust } from '../net/first-use-trust.ts'
import { getFormat, OUTPUT_FLAG, printData } from '../output/print-result.ts'
import {
  CA_FILE_FLAG,
  CREDENTIALS_FLAG,
  PROFILE_FLAG,
  QUIET_FLAG,
  VERBOSE_FLAG,
  YES_FLAG,
} from '../session/call-flags.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { chooseMethod } from '../session/login-methods.ts'
import { SECOND_JWT_FLAGS } from '../session/second-jwt.ts'

/** `countersign login`: sign in and remember the session under a profile. */
export const login: Command = {
  args: ['URL'],
  flags: [
    { name: 'username', short: 'u', value: 'NAME', description: 'Sign in by password, which is asked for' },
    { name: 'password-stdin', description: 'Read the password from the first line of stdin' },
    { name: 'cert', value: 'FILE', description: 'Sign in by this client certificate (PEM, with its chain)' },
    { name: 'key', value: 'FILE', description: 'The private key of the certificate (PEM)' },
    { name: 'jwt', value: 'FILE', description: 'Sign in by the token in this file, or on stdin for -' },
    { name: 'jwt-command', value: 'COMMAND', description: 'Sign in by the token that this command prints' },
    { name: 'signer', value: 'NAME', description: 'Sign in at the provider of this signer, in the browser' },
    { name: 'device', description: 'With --signer or --second-signer: show a code to enter in a browser elsewhere' },
    ...SECOND_JWT_FLAGS,
    { name: 'second-signer', value: 'NAME', description: 'Get the second token at the provider of this signer' },
    { name: 'code-stdin', description: 'Read the one-time code from stdin, after the password if that is there too' },
    { ...CREDENTIALS_FLAG, description: 'Use the hosted API as the API account of this credentials file' },
    CA_FILE_FLAG,
    { name: 'fingerprint', value: 'SHA256', description: 'Trust the CA with this fingerprint' },
    PROFILE_FLAG,
    OUTPUT_FLAG,
    YES_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  details: [
    'The first login shows the fingerprint of the CA and asks whether to trust it, unless this machine does anyway.',
    'Where a policy wants a second token on every call, the profile remembers the file or the command that gives it;',
    'a token from stdin or a browser it remembers itself, as it does the session.',
    'Passwords, tokens and codes are read from a prompt, a file or stdin, never from the command line.',
  ],
  examples: [
    { command: 'countersign login https://127.0.0.1:1280 --username admin', says: 'by password, which is asked for' },
    {
      command: 'countersign login https://ctrl.example.com --ca-file ca.pem --jwt token.txt --profile ci',
      says: 'by a token of a provider, remembered as "ci"',
    },
    { command: 'countersign login https://ctrl.example.com --signer keycloak', says: 'in the browser' },
    {
      command: 'countersign login https://ctrl.example.com --signer keycloak --device',
      says: 'by a code that is entered in a browser elsewhere',
    },
    { command: 'countersign login https://ctrl.example.com --cert me.pem --key me.key', says: 'by certificate' },
    {
      command: 'countersign login https://ctrl.example.com --cert me.pem --key me.key --second-jwt-command get-token',
      says: 'by certificate, with a token of a second signer on every call',
    },
  ],
  async run(call) {
    const url = parseControllerUrl(call.args[0] ?? '')
    const name = getProfileName(call)
    const known = findProfile(call.env, name)
    const method = chooseMethod(call)
    const caPem = await settleTrust(call, url.href, known)
    call.terminal.debug(caPem === undefined ? 'trusts what this machine trusts' : 'trusts the CA of the profile')
    const signedIn = await method({ call, url: url.href, caPem })
    const profile = { url: url.href, ...(caPem !== undefined && { caPem }), ...signedIn }
    saveProfile(call.env, name, profile)
    const who = signedIn.identity
    if (getFormat(call) !== 'table') await printData(call, { profile: name, url: url.href, identity: who })
    else call.terminal.out(`signed in to ${url.href} as ${who?.name}${name === 'default' ? '' : ` (profile ${name})`}`)
    return EXIT.ok
  },
}
