import type {} from '@countersign/core'

export const ownName = 1
