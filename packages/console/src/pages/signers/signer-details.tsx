import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Code } from '@mantine/core'
import type { Signer } from '../../api/wire.ts'
import { claimLines } from '../../form/claim-rows.ts'
import { EnabledBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { type Detail, Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { ExternalLink } from '../../show/links.tsx'
import { remainingRows } from '../../show/remaining-rows.ts'
import { TagList } from '../../show/tag-list.tsx'
import { PolicyName } from '../policies/policy-name.tsx'
import { shortKeySource } from './key-source.ts'
import { possessionLabel } from './possession-options.ts'

type SignerProps = { readonly signer: Signer }

/** Members that the page shows in rows of their own, or in its head. */
const SHOWN_EXPLICITLY = [
  ...['name', 'enabled', 'issuer', 'audience', 'jwksEndpoint', 'jwksCaPem', 'certPem', 'kid', 'claimsProperty'],
  ...['fingerprint', 'commonName', 'notBefore', 'notAfter', 'useExternalId', 'clockSkewSeconds', 'maxTokenAgeSeconds'],
  ...[
    'requiredClaims',
    'tags',
    'openIdConfigurationUrl',
    'clientId',
    'scopes',
    'externalAuthUrl',
    'targetToken',
    'attributeRules',
  ],
  ...['enrollToCertEnabled', 'enrollToTokenEnabled', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'],
  ...['enrollAuthPolicyId', 'trust', 'attributeSync', 'nameSync', 'provisionOnLogin', 'reprovisionAfterMinutes'],
  ...['backchannelLogoutUrl', 'sharedSignals', 'sharedSignalsUrl', 'scimUrl', 'scimIdentityAttribute'],
  ...[
    'scimGroupAttributeTemplate',
    'jwks',
    'certPems',
    'pushedKeys',
    'jwksAuthorization',
    'jwksAuthorizationSet',
    'pinnedKeyThumbprints',
  ],
  ...['requireKeyContinuity', 'requirePossession', 'oneUse'],
]

const yesOrNo = (value: boolean): string => (value ? 'Yes' : 'No')

/** A section with settings of the signer, whose tooltips have the names of the API. */
function Settings({ title, rows, signer }: SignerProps & { readonly title: string; readonly rows: readonly Detail[] }) {
  const isFirst = title === 'Tokens'
  return (
    <Section title={title} aside={isFirst && <EnabledBadge enabled={signer.enabled} />}>
      <Details rows={rows} members={SIGNER.members} />
    </Section>
  )
}

/** Where the keys come from, and which of them are used. */
function keySourceRows(signer: Signer): Detail[] {
  const { jwksEndpoint, pushedKeys, pinnedKeyThumbprints: pins } = signer
  return [
    ...(jwksEndpoint
      ? ([
          ['JWKS endpoint', <ExternalLink key="keys" url={jwksEndpoint} />, 'jwksEndpoint'],
          ['Credential of the endpoint', signer.jwksAuthorizationSet ? 'Set' : 'None', 'jwksAuthorizationSet'],
          ['Require key continuity', yesOrNo(signer.requireKeyContinuity), 'requireKeyContinuity'],
        ] as const)
      : ([['Key source', shortKeySource(signer)]] as const)),
    ...(pushedKeys ? ([['Maximum age of pushed keys', `${pushedKeys.maxAgeSeconds} s`, 'pushedKeys']] as const) : []),
    ...(pins.length > 0
      ? ([['Pinned keys', <PinnedKeys key="pins" thumbprints={pins} />, 'pinnedKeyThumbprints']] as const)
      : []),
  ]
}

function PinnedKeys({ thumbprints }: { readonly thumbprints: readonly string[] }) {
  return (
    <Code block className="wrapped-code">
      {thumbprints.join('\n')}
    </Code>
  )
}

/** Which tokens the signer accepts, and whom they identify. */
export function TokensSection({ signer }: SignerProps) {
  return (
    <Settings
      title="Tokens"
      signer={signer}
      rows={[
        ['Id', <CopyId key="id" id={signer.id} of={signer.name} />, 'id'],
        ['Issuer', <ExternalLink key="issuer" url={signer.issuer} />, 'issuer'],
        ['Audience', signer.audience, 'audience'],
        ...keySourceRows(signer),
        ['Key id (kid)', signer.kid, 'kid'],
        [
          'Identity claim',
          `${signer.claimsProperty} equals the identity's ${signer.useExternalId ? 'external id' : 'id'}`,
          'claimsProperty',
        ],
        ['Clock skew', `${signer.clockSkewSeconds} s`, 'clockSkewSeconds'],
        [
          'Max token age',
          signer.maxTokenAgeSeconds === null ? 'unlimited' : `${signer.maxTokenAgeSeconds} s`,
          'maxTokenAgeSeconds',
        ],
        ['Proof of possession', possessionLabel(signer.requirePossession), 'requirePossession'],
        ['Accepts each token once', yesOrNo(signer.oneUse), 'oneUse'],
        ['Required claims', <RequiredClaims key="claims" claims={signer.requiredClaims} />, 'requiredClaims'],
        ['Tags', <TagList key="tags" tags={signer.tags} />, 'tags'],
        ['Created', <Instant key="created" at={signer.createdAt} />, 'createdAt'],
        ['Last changed', <Instant key="changed" at={signer.updatedAt} />, 'updatedAt'],
        ...remainingRows(SIGNER.members, signer, SHOWN_EXPLICITLY),
        [
          'JWKS CA, in addition to the system CAs',
          signer.jwksCaPem && (
            <Code key="ca" block className="wrapped-code">
              {signer.jwksCaPem}
            </Code>
          ),
          'jwksCaPem',
        ],
      ]}
    />
  )
}

export function BrowserSection({ signer }: SignerProps) {
  return (
    <Settings
      title="Browser login"
      signer={signer}
      rows={[
        [
          'OpenID configuration URL',
          signer.openIdConfigurationUrl && <ExternalLink key="openid" url={signer.openIdConfigurationUrl} />,
          'openIdConfigurationUrl',
        ],
        ['Client id', signer.clientId, 'clientId'],
        ['Scopes', signer.scopes?.join(' '), 'scopes'],
        [
          'External auth URL',
          signer.externalAuthUrl && <ExternalLink key="address" url={signer.externalAuthUrl} />,
          'externalAuthUrl',
        ],
        ['Target token', signer.targetToken === 'ID' ? 'ID token' : 'Access token', 'targetToken'],
      ]}
    />
  )
}

export function EnrollSection({ signer }: SignerProps) {
  return (
    <Settings
      title="Enrollment by token"
      signer={signer}
      rows={[
        ['Enroll to certificate', yesOrNo(signer.enrollToCertEnabled), 'enrollToCertEnabled'],
        ['Enroll to token', yesOrNo(signer.enrollToTokenEnabled), 'enrollToTokenEnabled'],
        ['Name claims selector', signer.enrollNameClaimsSelector, 'enrollNameClaimsSelector'],
        ['Attribute claims selector', signer.enrollAttributeClaimsSelector, 'enrollAttributeClaimsSelector'],
        [
          'Attribute rules',
          signer.attributeRules.length > 0 && <Lines key="rules" lines={signer.attributeRules} />,
          'attributeRules',
        ],
        ['Authentication policy', <PolicyName key="policy" id={signer.enrollAuthPolicyId} />, 'enrollAuthPolicyId'],
        [
          'Attributes',
          signer.attributeSync === 'login' ? 'Follow the token at each login' : 'Set at the enrollment',
          'attributeSync',
        ],
        ['Synchronise the name', yesOrNo(signer.nameSync), 'nameSync'],
        ['Provision on login', yesOrNo(signer.provisionOnLogin), 'provisionOnLogin'],
        [
          'Provision again',
          `${signer.reprovisionAfterMinutes} minutes after an identity was deleted`,
          'reprovisionAfterMinutes',
        ],
      ]}
    />
  )
}

/** What the provider sends besides tokens for logins. */
export function MessagesSection({ signer }: SignerProps) {
  const { sharedSignals } = signer
  return (
    <Settings
      title="Provider messages"
      signer={signer}
      rows={[
        ['Back-channel logout URL', signer.backchannelLogoutUrl, 'backchannelLogoutUrl'],
        ['Security events', sharedSignals ? `for the audience ${sharedSignals.audience}` : 'off', 'sharedSignals'],
        ...(sharedSignals
          ? ([
              ['Security events URL', signer.sharedSignalsUrl, 'sharedSignalsUrl'],
              ['Issuer of events', sharedSignals.issuer ?? signer.issuer, 'sharedSignals.issuer'],
              ['Keys of events', sharedSignals.jwksUri ?? 'those of tokens', 'sharedSignals.jwksUri'],
              ['Actions', <SignalActions key="actions" actions={sharedSignals.actions} />, 'sharedSignals.actions'],
            ] as const)
          : []),
      ]}
    />
  )
}

function RequiredClaims({ claims }: { readonly claims: Signer['requiredClaims'] }) {
  const lines = claimLines(claims)
  return lines.length === 0 ? <>none</> : <Lines lines={lines} />
}

function SignalActions({ actions }: { readonly actions: Readonly<Record<string, string>> }) {
  const lines = Object.entries(actions).map(([event, action]) => `${event}: ${action}`)
  return lines.length === 0 ? <>default</> : <Lines lines={lines} />
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line) => <div key={line}>{line}</div>)
}
