import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Code, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Versioned } from '../../api/versioned.ts'
import type { Signer } from '../../api/wire.ts'
import { claimLines } from '../../form/claim-rows.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { ButtonLink, ExternalLink, PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { remainingRows } from '../../show/remaining-rows.ts'
import { TagList } from '../../show/tag-list.tsx'
import { TrustSection } from '../../show/trust-section.tsx'
import { PolicyName } from '../policies/policy-name.tsx'
import { KeyStatusSection } from './key-status-section.tsx'
import { ScimSection } from './scim-section.tsx'
import { signerQuery } from './signer-query.ts'
import { DeleteWarning, PoliciesSection } from './signer-references.tsx'

const BACK = <PageLink to="/signers">Signers</PageLink>

/** Members that the page shows in rows of their own, or in its head. */
const SHOWN_EXPLICITLY = [
  ...['name', 'enabled', 'issuer', 'audience', 'jwksEndpoint', 'jwksCaPem', 'certPem', 'kid', 'claimsProperty'],
  ...['fingerprint', 'commonName', 'notBefore', 'notAfter', 'useExternalId', 'clockSkewSeconds', 'maxTokenAgeSeconds'],
  ...['requiredClaims', 'tags', 'openIdConfigurationUrl', 'clientId', 'scopes', 'externalAuthUrl', 'targetToken'],
  ...['enrollToCertEnabled', 'enrollToTokenEnabled', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'],
  ...['enrollAuthPolicyId', 'trust', 'attributeSync', 'nameSync', 'provisionOnLogin', 'reprovisionAfterMinutes'],
  ...['backchannelLogoutUrl', 'sharedSignals', 'sharedSignalsUrl', 'scimUrl', 'scimIdentityAttribute'],
  'scimGroupAttributeTemplate',
]

const POLL_MS = 10_000

export function SignerPage() {
  const { id } = useParams({ from: '/shell/signers/$id' })
  const query = useQuery({ ...signerQuery(id), refetchInterval: POLL_MS })
  return (
    <Loaded query={query} back={BACK}>
      {(signer) => <SignerDetail signer={signer} />}
    </Loaded>
  )
}

function SignerDetail({ signer }: { readonly signer: Versioned<Signer> }) {
  const trust = async (reviewed: string | undefined) => {
    await controller.signers.trust(signer.id, { ifMatch: reviewed })
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <Stack>
      <PageHead title={signer.name} back={BACK}>
        <SignerActions signer={signer} />
      </PageHead>
      {signer.keyStatus && <KeyStatusSection signer={signer} keyStatus={signer.keyStatus} />}
      <TrustSection
        name={signer.name}
        trust={signer.trust}
        version={signer.version}
        warning="Its tokens can then log in administrators and identities with permissions, and it offers sign-in in a browser. Check its issuer, keys and claims first."
        need="POST /ext-jwt-signers/:id/trust"
        onTrust={trust}
        done={`The signer “${signer.name}” is trusted.`}
      />
      <Section title="Tokens" aside={<EnabledBadge enabled={signer.enabled} />}>
        <Details
          rows={[
            ['Issuer', <ExternalLink key="issuer" url={signer.issuer} />],
            ['Audience', signer.audience],
            [
              'JWKS endpoint',
              signer.jwksEndpoint ? <ExternalLink key="keys" url={signer.jwksEndpoint} /> : 'the certificate',
            ],
            ['Key id (kid)', signer.kid],
            [
              'Identity claim',
              `${signer.claimsProperty} equals the identity's ${signer.useExternalId ? 'external id' : 'id'}`,
            ],
            ['Clock skew', `${signer.clockSkewSeconds} s`],
            ['Max token age', signer.maxTokenAgeSeconds === null ? 'unlimited' : `${signer.maxTokenAgeSeconds} s`],
            ['Required claims', <RequiredClaims key="claims" claims={signer.requiredClaims} />],
            ['Tags', <TagList key="tags" tags={signer.tags} />],
            ...remainingRows(SIGNER.members, signer, SHOWN_EXPLICITLY),
            [
              'JWKS CA, in addition to the system CAs',
              signer.jwksCaPem && (
                <Code key="ca" block className="wrapped-code">
                  {signer.jwksCaPem}
                </Code>
              ),
            ],
          ]}
        />
      </Section>
      <Section title="Browser login">
        <Details
          rows={[
            [
              'OpenID configuration URL',
              signer.openIdConfigurationUrl && <ExternalLink key="openid" url={signer.openIdConfigurationUrl} />,
            ],
            ['Client id', signer.clientId],
            ['Scopes', signer.scopes?.join(' ')],
            [
              'External auth URL',
              signer.externalAuthUrl && <ExternalLink key="address" url={signer.externalAuthUrl} />,
            ],
            ['Target token', signer.targetToken === 'ID' ? 'ID token' : 'Access token'],
          ]}
        />
      </Section>
      <Section title="Enrollment by token">
        <Details
          rows={[
            ['Enroll to certificate', signer.enrollToCertEnabled ? 'Yes' : 'No'],
            ['Enroll to token', signer.enrollToTokenEnabled ? 'Yes' : 'No'],
            ['Name claims selector', signer.enrollNameClaimsSelector],
            ['Attribute claims selector', signer.enrollAttributeClaimsSelector],
            ['Authentication policy', <PolicyName key="policy" id={signer.enrollAuthPolicyId} />],
            [
              'Attributes',
              signer.attributeSync === 'login' ? 'Follow the token at each login' : 'Set at the enrollment',
            ],
            ['Synchronise the name', signer.nameSync ? 'Yes' : 'No'],
            ['Provision on login', signer.provisionOnLogin ? 'Yes' : 'No'],
            ['Provision again', `${signer.reprovisionAfterMinutes} minutes after an identity was deleted`],
          ]}
        />
      </Section>
      <Section title="Provider messages">
        <Details
          rows={[
            ['Back-channel logout URL', signer.backchannelLogoutUrl],
            ['Security events', signer.sharedSignals ? `for the audience ${signer.sharedSignals.audience}` : 'off'],
            ...(signer.sharedSignals
              ? ([
                  ['Security events URL', signer.sharedSignalsUrl],
                  ['Issuer of events', signer.sharedSignals.issuer ?? signer.issuer],
                  ['Keys of events', signer.sharedSignals.jwksUri ?? 'those of tokens'],
                  ['Actions', <SignalActions key="actions" actions={signer.sharedSignals.actions} />],
                ] as const)
              : []),
          ]}
        />
      </Section>
      <ScimSection signer={signer} />
      <PoliciesSection signerId={signer.id} />
    </Stack>
  )
}

function RequiredClaims({ claims }: { readonly claims: Signer['requiredClaims'] }) {
  const lines = claimLines(claims)
  if (lines.length === 0) return <>none</>
  return lines.map((line) => <div key={line}>{line}</div>)
}

function SignalActions({ actions }: { readonly actions: Readonly<Record<string, string>> }) {
  const lines = Object.entries(actions).map(([event, action]) => `${event}: ${action}`)
  return lines.length === 0 ? <>default</> : lines.map((line) => <div key={line}>{line}</div>)
}

function SignerActions({ signer: { id, name, enabled, trust } }: { readonly signer: Signer }) {
  const navigate = useNavigate()
  const change = (action: () => Promise<unknown>) => async () => {
    await action()
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  const remove = async () => {
    await controller.signers.delete(id)
    await navigate({ to: '/signers' })
    await queries.invalidateQueries({ queryKey: ['signers', 'list'] })
  }
  return (
    <>
      <ButtonLink to="/signers/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      {enabled ? (
        <ConfirmButton
          label="Disable"
          name={name}
          need="PATCH /ext-jwt-signers/:id"
          warning="Its tokens are refused, and clients no longer see it."
          onConfirm={change(() => controller.signers.patch(id, { enabled: false }))}
          done={`The signer “${name}” is disabled.`}
        />
      ) : (
        <ActionButton
          need={trust.state === 'trusted' ? 'POST /ext-jwt-signers/:id/trust' : 'PATCH /ext-jwt-signers/:id'}
          onAct={change(() => controller.signers.patch(id, { enabled: true }))}
          done="The signer is enabled."
        >
          Enable
        </ActionButton>
      )}
      <ConfirmButton
        label="Delete"
        name={name}
        need="DELETE /ext-jwt-signers/:id"
        warning={<DeleteWarning signerId={id} />}
        onConfirm={remove}
        done={`The signer “${name}” is deleted.`}
      />
    </>
  )
}
