import type { Enrollment } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import type { BulkAction } from '../../list/bulk-action.ts'
import { DEFAULT_LIFETIME, expiryOf, kindOf, LIFETIMES } from './enrollment-kinds.ts'

const LIFETIME = LIFETIMES.find(({ value }) => value === DEFAULT_LIFETIME)?.label ?? ''

const rowOf = ({ id, identity, method }: Enrollment) => {
  return { id, name: `${identity.name} (${kindOf(method)?.label ?? method})` }
}

export const ENROLLMENT_BULK_ACTIONS: readonly BulkAction<Enrollment>[] = [
  {
    label: 'Renew',
    need: 'POST /enrollments/:id/refresh',
    preview: async (enrollments) =>
      enrollments.map((enrollment) => ({
        ...rowOf(enrollment),
        effect: `Gets a new link and token, valid for ${LIFETIME}. The old ones no longer work.`,
        run: () => controller.enrollments.refresh(enrollment.id, expiryOf(DEFAULT_LIFETIME, Date.now())),
      })),
  },
  {
    label: 'Revoke',
    isDangerous: true,
    need: 'DELETE /enrollments/:id',
    preview: async (enrollments) =>
      enrollments.map((enrollment) => ({
        ...rowOf(enrollment),
        effect: 'Its link and its token can no longer be used',
        run: () => controller.enrollments.delete(enrollment.id),
      })),
  },
]
