import { ENROLLMENTS } from '../../resources/kinds.ts'
import { createOwnedList, createOwnedShow, createReissue, createRevoke } from './owned-commands.ts'

/** `countersign enrollments …` */
export const enrollments = {
  list: createOwnedList(ENROLLMENTS),
  show: createOwnedShow(ENROLLMENTS),
  renew: createReissue(ENROLLMENTS, {
    verb: 'renew',
    done: 'renewed',
    effect: 'A new one-time token replaces the old one, which stops working.',
    asks: false,
    async issue({ enrollments: all }, id, expiresAt) {
      await all.refresh(id, expiresAt)
      return id
    },
  }),
  revoke: createRevoke(ENROLLMENTS, 'Its one-time token stops working.'),
}
