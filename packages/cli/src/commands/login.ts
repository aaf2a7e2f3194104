import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { DPOP_KEY_FLAG, ensureDpopKey, loadDpopKey } from '../files/dpop-keys.ts'
import { findProfile, getProfileName, saveProfile } from '../files/profiles.ts'
import { establishTrust } from '../net/establish-trust.ts'
import { getFormat, printData } from '../output/print-result.ts'
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

/** `countersign login`: log in and save the session in a profile. */
export const login: Command = {
  args: ['URL'],
  flags: [
    { name: 'username', short: 'u', value: 'NAME', description: 'Log in with a password, from a prompt' },
    { name: 'password-stdin', description: 'Read the password from the first line of stdin' },
    {
      name: 'cert',
      value: 'FILE',
      description:
        'Log in with this client certificate (PEM, with its chain); beside a token that is bound to it, with the token',
    },
    { name: 'key', value: 'FILE', description: 'The private key of the certificate (PEM)' },
    { name: 'jwt', value: 'FILE', description: 'Log in with the token in this file, - for stdin' },
    { name: 'jwt-command', value: 'COMMAND', description: 'Log in with the token that this command prints' },
    { name: 'signer', value: 'NAME', description: 'Log in at the provider of this signer, in the browser' },
    {
      name: 'device',
      description: 'With --signer or --second-signer: show a code to enter in a browser on another device',
    },
    {
      name: 'dpop',
      description: 'Bind tokens and the session to a key of this machine (DPoP), which is created in a private file',
    },
    DPOP_KEY_FLAG,
    ...SECOND_JWT_FLAGS,
    { name: 'second-signer', value: 'NAME', description: 'Get the second token from the provider of this signer' },
    {
      name: 'code-stdin',
      description: 'Read the one-time code from stdin, after the password if both come from there',
    },
    { ...CREDENTIALS_FLAG, description: 'Use the hosted API as the API account of this credentials file' },
    CA_FILE_FLAG,
    { name: 'fingerprint', value: 'SHA256', description: 'Trust the CA with this fingerprint' },
    PROFILE_FLAG,
    YES_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  details: [
    'The first login shows the fingerprint of the CA and asks whether to trust it, unless this machine trusts it already.',
    'When a policy requires a second token on every call, the profile stores the file or command that supplies it;',
    'a token from stdin or a browser is stored itself, like the session.',
    'With --dpop the provider binds its token to the key of the profile, and the controller the session: a thief of both can use neither.',
    'Passwords, tokens and codes are read from a prompt, a file or stdin, never from the command line.',
  ],
  examples: [
    {
      command: 'countersign login https://127.0.0.1:1280 --username admin',
      description: 'with a password, from a prompt',
    },
    {
      command: 'countersign login https://ctrl.example.com --ca-file ca.pem --jwt token.txt --profile ci',
      description: 'with a provider token, saved as profile "ci"',
    },
    { command: 'countersign login https://ctrl.example.com --signer keycloak', description: 'in the browser' },
    {
      command: 'countersign login https://ctrl.example.com --signer keycloak --device',
      description: 'with a code to enter in a browser on another device',
    },
    {
      command: 'countersign login https://ctrl.example.com --signer keycloak --dpop',
      description: 'in the browser, with a token and a session that need the key of this machine',
    },
    {
      command: 'countersign login https://ctrl.example.com --cert me.pem --key me.key',
      description: 'with a certificate',
    },
    {
      command: 'countersign login https://ctrl.example.com --jwt token.txt --cert me.pem --key me.key',
      description: 'with a token that is bound to a certificate (RFC 8705)',
    },
    {
      command: 'countersign login https://ctrl.example.com --cert me.pem --key me.key --second-jwt-command get-token',
      description: 'with a certificate, and a token of a second signer on every call',
    },
  ],
  async run(call) {
    const url = parseControllerUrl(call.args[0] ?? '')
    const name = getProfileName(call)
    const known = findProfile(call.env, name)
    const method = chooseMethod(call)
    const caPem = await establishTrust(call, url.href, { known })
    call.terminal.debug(caPem === undefined ? 'trusting the CAs of this machine' : 'trusting the CA of the profile')
    const dpopKey = ensureDpopKey(call, name)
    const dpop = dpopKey === undefined ? undefined : (await loadDpopKey(await dpopKey)).key
    const loggedIn = await method({ call, url: url.href, caPem, dpop })
    const bound = dpopKey !== undefined && { dpopKey: await dpopKey }
    const profile = { url: url.href, ...(caPem !== undefined && { caPem }), ...bound, ...loggedIn }
    saveProfile(call.env, name, profile)
    const { identity } = loggedIn
    if (getFormat(call) !== 'table') await printData(call, { profile: name, url: url.href, identity }, () => name)
    else
      call.terminal.out(
        `logged in to ${url.href} as ${identity?.name}${name === 'default' ? '' : ` (profile ${name})`}`,
      )
    return EXIT.ok
  },
}
