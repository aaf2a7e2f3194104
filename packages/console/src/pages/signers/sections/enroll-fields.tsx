import { MAX_ATTRIBUTE_RULES } from '@countersign/contract/limits'
import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { RuleListField } from '../../../form/rule-list-field.tsx'
import { PolicySelect } from '../../policies/policy-select.tsx'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** Which identities tokens create, and what follows the tokens afterwards. */
export function EnrollFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <Switch
        {...field('enrollToCertEnabled', 'Enroll to certificate', { type: 'checkbox' })}
        description="A valid token creates an identity with a certificate"
      />
      <Switch
        {...field('enrollToTokenEnabled', 'Enroll to token', { type: 'checkbox' })}
        description="A valid token creates an identity that logs in with tokens"
      />
      <TextInput {...field('enrollNameClaimsSelector', 'Name claims selector')} placeholder="/sub" />
      <TextInput {...field('enrollAttributeClaimsSelector', 'Attribute claims selector')} placeholder="None" />
      <RuleListField
        {...field('attributeRules', 'Attribute rules')}
        description="CEL expressions that give further attributes, each a list of strings"
        placeholder={'claims.groups.filter(g, g.startsWith("net-"))'}
        maxRules={MAX_ATTRIBUTE_RULES}
      />
      <PolicySelect {...field('enrollAuthPolicyId', 'Authentication policy of enrolled identities')} />
      <Select
        {...field('attributeSync', 'Attributes')}
        description="At each login they follow the attribute claim, and administrators cannot remove them"
        allowDeselect={false}
        data={[
          { value: 'enrollment', label: 'Set once, at the enrollment' },
          { value: 'login', label: 'Follow the token at each login' },
        ]}
      />
      <Switch
        {...field('nameSync', 'Synchronise the name', { type: 'checkbox' })}
        description="The name follows the name claim at each login"
      />
      <Switch
        {...field('provisionOnLogin', 'Provision on login', { type: 'checkbox' })}
        description="The login of an unknown subject enrolls it; needs enrollment to token"
      />
      <NumberInput
        {...field('reprovisionAfterMinutes', 'Provision again after (minutes)')}
        description="How long the subject of a deleted identity is not provisioned again"
        min={0}
        max={525_600}
        allowDecimal={false}
      />
    </>
  )
}
